"""What a body is: its type as sent, unless its first bytes know better; what has no text is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.contract.errors import WebError
from webcards.fetch.sniff import media_type, sniff

HTML = b"<!doctype html><html><body><p>x</p></body></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "url", "form"),
    [
        (HTML, "text/html", "/", "html"),
        (HTML, "TEXT/HTML ; Charset=utf-8", "/", "html"),
        (HTML, None, "/", "html"),
        (b"\n<!-- hello -->\n<p>x", "", "/", "html"),
        (HTML, "application/octet-stream", "/", "html"),
        (HTML, "image/png", "/missing.png", "html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "application/xhtml+xml", "/", "html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "application/xml", "/", "html"),
        (b'<?xml version="1.0"?><rss version="2.0">', "text/html", "/", "xml"),
        (b'<?xml version="1.0"?><rss version="2.0">', "application/rss+xml", "/", "xml"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom">', None, "/", "xml"),
        (b'{"a": 1}', "application/ld+json", "/", "json"),
        (b'{"a": 1}', "text/html", "/", "json"),
        (b'{"a": 1}', None, "/", "json"),
        (b"[1, 2]", "text/plain", "/list.json", "json"),
        (b"# Quay\n\nHow to tie up.\n", "text/markdown", "/", "markdown"),
        (b"# Quay\n\nHow to tie up.\n", "application/octet-stream", "/README.md", "markdown"),
        (b"# Quay\n\n- one\n- two\n", "application/octet-stream", "/readme", "markdown"),
        (b"a,b\n1,2\n", "text/csv", "/", "csv"),
        (b"a\tb\n1\t2\n", "text/tab-separated-values", "/", "tsv"),
        (b"a,b\n1,2\n", "application/octet-stream", "/tides.csv", "csv"),
        (b"Dear harbour master,", "text/plain", "/", "plain"),
        (HTML, "text/plain", "/", "plain"),
        (b"Dear harbour master,", None, "/", "plain"),
        (b"body { color: red }", "text/css", "/", "plain"),
        (b"let x = 1;", "application/javascript", "/", "plain"),
        (b"%PDF-1.7\n", "text/html", "/", "pdf"),
        (b"%PDF-1.7\n", "application/octet-stream", "/", "pdf"),
        (b"junk before\n%PDF-1.7\n", "application/pdf", "/", "pdf"),
        (b"On %PDF-1.4 and later", "text/plain", "/", "plain"),
        ("<p>x".encode("utf-16"), None, "/", "html"),
        ("<p>x".encode("utf-16-le"), "text/html; charset=utf-16", "/", "html"),
        (b"", None, "/", "plain"),
        (b"", "text/html", "/", "html"),
    ],
)
def test_a_body_is_read_as_what_it_is(body: bytes, content_type: str | None, url: str, form: str) -> None:
    assert sniff(body, content_type, f"http://pages.example{url}").form == form


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png", "image/png"),
        (b"\x89PNG\r\n\x1a\n", "text/html", "image/png (sent as text/html)"),
        (b"\xff\xd8\xff\xe0", None, "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None, "image/webp"),
        (b"\x00\x00\x00\x20ftypisom", None, "video/mp4"),
        (b"\x00\x00\x00\x20ftypavif", None, "image/avif"),
        (b"PK\x03\x04" + b"\0" * 26 + b"word/document.xml", None, "Word document"),
        (b"PK\x03\x04" + b"\0" * 26 + b"a.txt", "application/x-zip", "application/zip"),
        (b"\x1f\x8b\x08\x00", "text/plain", "application/gzip"),
        (b"\x7fELF\x02\x01", None, "ELF"),
        (b"wOF2\x00\x01", "font/woff2", "font/woff2"),
        (b"SQLite format 3\x00", None, "sqlite"),
        (b"words", "audio/mpeg", "audio/mpeg"),
        (bytes(range(256)), "application/octet-stream", "application/octet-stream"),
        (bytes(range(256)), None, "unnamed"),
    ],
)
def test_what_has_no_text_is_refused_by_name(body: bytes, content_type: str | None, name: str) -> None:
    with pytest.raises(WebError, match=r"pages\.example/thing") as refusal:
        sniff(body, content_type, "http://pages.example/thing")
    assert refusal.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert name in refusal.value.message


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Text/HTML; charset=x", "text/html"),
        ('"text/html"', "text/html"),
        ("text/html, text/html", "text/html"),
        (None, ""),
        ("", ""),
    ],
)
def test_a_media_type_is_what_stands_before_the_parameters(header: str | None, expected: str) -> None:
    assert media_type(header) == expected


@given(st.binary(max_size=300), st.text(max_size=40) | st.none(), st.text(max_size=40))
def test_sniffing_gives_a_form_or_refuses(body: bytes, content_type: str | None, url: str) -> None:
    try:
        assert sniff(body, content_type, url).form
    except WebError as error:
        assert error.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
