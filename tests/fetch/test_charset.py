"""Bytes become the characters that the page meant, whoever says what about them."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.fetch.charset import charset_label, declared_charset, decode, detected_charset, header_charset

SENTENCES = {
    "shift_jis": ("cp932", "港の事務所は毎日正午までに着いた船の名を帳面に書きます。髙橋①"),
    "euc-jp": ("euc_jp", "港の事務所は毎日正午までに着いた船の名を帳面に書きます。"),
    "iso-2022-jp": ("iso2022_jp", "港の事務所は毎日正午までに着いた船の名を帳面に書きます。"),
    "euc-kr": ("cp949", "항구 사무소는 정오 이전에 들어오는 모든 배를 장부에 적고"),
    "gbk": ("gb18030", "港口的账本每周五朗读，渔民都来听。"),
    "big5": ("big5", "港口的帳本每週五朗讀，漁民都來聽。"),
    "windows-1251": ("cp1251", "Портовая контора ведёт книгу всех судов, которые пришвартовались до полудня"),
    "koi8-r": ("koi8_r", "Портовая контора ведёт книгу всех судов, которые пришвартовались до полудня"),
    "windows-1252": ("cp1252", "Le café du port ouvre à l’aube, déjà fermé à midi, l’été"),
    "windows-1255": ("cp1255", "משרד הנמל מנהל ספר של כל סירה"),
    "windows-1256": ("cp1256", "مكتب الميناء يحتفظ بسجل لكل قارب يرسو"),
}


def _page(sentence: bytes) -> bytes:
    return (
        b"<!doctype html><html><head><title>x</title></head><body><p>Words before.</p><p>"
        + sentence
        + b"</p><p>"
        + sentence
        + b"</p>"
    )


@pytest.mark.parametrize(("codec", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_a_page_that_names_no_charset_is_read_by_the_look_of_it(codec: str, sentence: str) -> None:
    assert sentence in decode(_page(sentence.encode(codec)), "text/html").text


@pytest.mark.parametrize(("name", "codec", "sentence"), [(name, *rest) for name, rest in SENTENCES.items()])
def test_the_header_names_the_charset(name: str, codec: str, sentence: str) -> None:
    found = decode(_page(sentence.encode(codec)), f"text/html; charset={name}")
    assert sentence in found.text
    assert found.charset == name


@pytest.mark.parametrize(
    ("name", "codec", "sentence"),
    [(name, *rest) for name, rest in SENTENCES.items() if not name.startswith("iso-2022")],
)
def test_the_page_names_its_charset_itself(name: str, codec: str, sentence: str) -> None:
    body = f'<html><head><meta charset="{name}"></head><p>'.encode() + sentence.encode(codec)
    assert sentence in decode(body, "text/html").text


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("latin-1", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("gb2312", "gbk"),
        ("GB_2312-80", "gbk"),
        ("Shift_JIS", "shift_jis"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf8", "utf-8"),
        (" UTF-8 ", "utf-8"),
        ("unicode", "utf-16le"),
        ("tis-620", "windows-874"),
        ("nonsense", None),
        ("", None),
        ("utf-7", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, name: str | None) -> None:
    assert charset_label(label) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b'<meta charset="utf-8">', "utf-8"),
        (b"<META CHARSET=gbk>", "gbk"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=utf-8, ie=edge, chrome=1">', "utf-8"),
        (b'<meta httpequiv="ContentType" content="text/html; charset=gbk">', "gbk"),
        (b'<?xml version="1.0" encoding="iso-8859-1"?><html>', "windows-1252"),
        (b'<!-- <meta charset="gbk"> --><meta charset="big5">', "big5"),
        (b'<meta charset="utf-16">', "utf-8"),
        (b'<meta charset="x-user-defined">', "windows-1252"),
        (b'<meta charset="nonsense"><meta charset="koi8-r">', "koi8-r"),
        (b"<title>charset=gbk</title>", None),
    ],
)
def test_a_page_says_its_charset_in_many_ways(head: bytes, name: str | None) -> None:
    assert declared_charset(head) == name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('TEXT/HTML ; Charset="UTF-8"; boundary=x', "utf-8"),
        ("text/html;charset=euc-kr", "euc-kr"),
        ("text/html; charset='gbk'", "gbk"),
        ("text/html; charset=", None),
        (None, None),
    ],
)
def test_a_header_says_its_charset_in_many_ways(header: str | None, name: str | None) -> None:
    assert header_charset(header) == name


@pytest.mark.parametrize(
    ("bom", "codec"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_is_believed_before_all_else(bom: bytes, codec: str) -> None:
    assert decode(bom + "Überfahrt".encode(codec), "text/html; charset=gbk").text == "Überfahrt"


def test_one_bad_byte_does_not_flip_the_charset() -> None:
    assert decode("Fähre \u2014 ".encode() + b"\xff" + " täglich".encode(), None).text == "Fähre — � täglich"


def test_a_wrong_single_byte_label_does_not_spoil_utf8() -> None:
    assert decode("Überfahrt täglich — außer sonntags".encode(), "text/html; charset=iso-8859-1").charset == "utf-8"


def test_a_wrong_utf8_label_does_not_spoil_another_encoding() -> None:
    sentence = "Портовая контора ведёт книгу"
    assert decode(sentence.encode("cp1251"), "text/html; charset=utf-8").text == sentence


def test_a_short_word_that_is_good_utf8_by_chance_stays_in_its_own_encoding() -> None:
    assert decode("联通".encode("gbk"), "text/plain; charset=gbk").text == "联通"


def test_vendors_rows_of_euc_jp_are_read() -> None:
    assert decode(b"\xad\xa1\xfc\xe2", "text/html; charset=euc-jp").text == "①髙"


def test_wide_characters_without_a_mark_are_seen() -> None:
    assert detected_charset("<p>x".encode("utf-16-le")) == "utf-16le"


@given(
    st.binary(max_size=400),
    st.sampled_from([None, "text/html", *(f"text/html; charset={name}" for name in SENTENCES), "x; charset=utf-16"]),
)
def test_decoding_never_fails_and_always_gives_text(body: bytes, content_type: str | None) -> None:
    decode(body, content_type).text.encode()
