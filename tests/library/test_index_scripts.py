"""Scripts without spaces between words: what a person types of a text finds it, without a dictionary."""

from collections.abc import Iterator

import pytest

from webcards.library.index import Document, Index
from webcards.library.segment import cut, pairs, segment

PAGES = {
    "zh": Document(
        "https://zh.example/learn", "机器学习入门", "本文介绍如何在Python中读取文件，并训练一个神经网络模型。"
    ),
    "zh-hant": Document("https://zh.example/port", "港口指南", "輪渡每天早上八點從碼頭出發。船票在港務局購買。"),
    "ja": Document(
        "https://ja.example/tokyo", "東京都の図書館", "図書館では本を借りることができます。ﾃﾞｰﾀﾍﾞｰｽも使えます。"
    ),
    "kyoto": Document("https://ja.example/kyoto", "京都の寺", "京都には多くの寺があります。"),
    "ko": Document("https://ko.example/library", "도서관 안내", "도서관에서 책을 빌릴 수 있습니다."),
    "th": Document("https://th.example/ferry", "ตารางเรือ", "เรือข้ามฟากออกจากท่าเรือทุกเช้า"),
    "lo": Document("https://lo.example/boat", "ເຮືອ", "ເຮືອອອກຈາກທ່າເຮືອທຸກເຊົ້າ"),
    "my": Document("https://my.example/boat", "သင်္ဘော", "သင်္ဘောသည်နံနက်တိုင်းထွက်ခွာသည်"),
    "km": Document("https://km.example/boat", "ទូក", "ទូកចេញដំណើររៀងរាល់ព្រឹក"),
    "hi": Document("https://hi.example/boat", "नाव की समय-सारणी", "नाव हर सुबह घाट से निकलती है।"),
    "en": Document("https://en.example/page", "A page", "Nothing of all that."),
}


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    with Index.build(PAGES.values(), None) as built:
        yield built


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("神经网络", "zh"),
        ("文件", "zh"),
        ("如何读取文件", "zh"),
        ("Python中读取", "zh"),
        ("python 训练", "zh"),
        ("训", "zh"),
        ("门", "zh"),
        ("碼頭", "zh-hant"),
        ("船票哪裡購買", "zh-hant"),
        ("東京都", "ja"),
        ("図書館で本を借りる", "ja"),
        ("データベース", "ja"),
        ("ベース", "ja"),
        ("京都の寺", "kyoto"),
        ("도서관", "ko"),
        ("책", "ko"),
        ("เรือข้ามฟาก", "th"),
        ("ท่าเรือ", "th"),
        ("ທ່າເຮືອ", "lo"),
        ("နံနက်", "my"),
        ("ព្រឹក", "km"),
        ("सुबह", "hi"),
        ("घाट", "hi"),
        ('"八點從碼頭"', "zh-hant"),
        ('"在Python中"', "zh"),
        ("ＰＹＴＨＯＮ", "zh"),
    ],
)
def test_words_of_every_script_are_found(index: Index, query: str, page: str) -> None:
    assert [hit.url for hit in index.search(query)][:1] == [PAGES[page].url]


@pytest.mark.parametrize("query", ["习学", "館書図", '"ฟากข้าม"', '"中Python"', "관서도", "घर"])
def test_what_no_page_has_is_not_found(index: Index, query: str) -> None:
    assert index.search(query) == []


def test_what_was_typed_as_one_comes_before_its_parts_apart(index: Index) -> None:
    assert [hit.url for hit in index.search("東京都")] == [PAGES["ja"].url, PAGES["kyoto"].url]


def test_a_word_may_be_left_out_in_chinese_too(index: Index) -> None:
    assert PAGES["kyoto"].url not in [hit.url for hit in index.search("図書館 -寺")]
    assert [hit.url for hit in index.search("京都 -図書館")] == [PAGES["kyoto"].url]


def test_a_run_becomes_its_pairs_and_its_last_character() -> None:
    assert pairs("東京都") == ["東京", "京都", "都"]
    assert pairs("港") == ["港"]
    assert segment("Python3入門、やさしい").split() == ["python3", "入門", "門", "、", "やさ", "さし", "しい", "い"]


def test_words_of_other_scripts_stay_whole_with_the_marks_they_need() -> None:
    assert cut("हिन्दी है, Straße ＡＢＣ e\u0301t\u00e9 don't x_y 3.5") == [
        "हिन्दी",
        "है",
        "strasse",
        "abc",
        "ete",
        "don",
        "t",
        "x",
        "y",
        "3",
        "5",
    ]
    assert cut("كِتَاب שָׁלוֹם") == ["كتاب", "שלום"]
