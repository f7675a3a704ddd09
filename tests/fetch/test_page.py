"""A Page as a whole: what kind it is, what it says when there is little to say, and that no bytes break it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.fetch.reading import PROSE, URL, article, read
from webcards.contract.errors import WebError
from webcards.fetch.bare_text import BARE_NOTE, read_bare, strip_tags
from webcards.fetch.page import read_page

TAGS = st.sampled_from(
    [
        "p",
        "div",
        "span",
        "a",
        "b",
        "i",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "pre",
        "code",
        "blockquote",
        "h1",
        "h2",
        "br",
        "img",
        "script",
        "style",
        "noscript",
        "template",
        "dl",
        "dt",
        "dd",
        "figure",
        "figcaption",
        "sup",
        "math",
        "svg",
        "details",
        "summary",
        "main",
        "article",
        "nav",
        "select",
        "textarea",
        "ruby",
        "rt",
        "q",
        "hr",
        "title",
        "meta",
        "base",
    ]
)
ATTRIBUTES = st.sampled_from(
    ["", ' href="#a"', ' href="/x(y"', ' id="a"', ' class="share"', ' class="language-x"', ' style="display:none"', " hidden", ' colspan="99999999999"',
     ' start="-3"', ' value="x"', ' src="data:,"', ' src="/i.png" alt="]["', ' rel="alternate" type="text/markdown"', ' http-equiv="refresh" content="0;url=]"', " \ud800"]
)  # fmt: skip
TEXTS = st.sampled_from(
    [
        "word",
        " ",
        "\n",
        "*",
        "_",
        "`",
        "```",
        "[",
        "](",
        "|",
        "#",
        "1.",
        "- ",
        "<",
        "&",
        "&lt;",
        "&#xD800;",
        "&#0;",
        "\0",
        "\u200b",
        "港口",
        "\u202e",
        "$x_1$",
        "~~",
        "\\",
        "😀",
    ]
)
PIECES = st.one_of(
    st.builds("<{}{}>".format, TAGS, ATTRIBUTES), st.builds("</{}>".format, TAGS), TEXTS, st.text(max_size=8)
)


def test_an_html_page_tells_what_it_is() -> None:
    page = read(article("<p>End.</p>", head='<title>Harbour notes</title><meta charset="utf-8">'))
    assert (page.kind, page.title, page.lang, page.charset, page.content_type) == (
        "html",
        "Harbour notes",
        "en",
        "utf-8",
        "text/html",
    )
    assert (page.note, page.cut, page.redirect, page.alternate) == (None, False, None, None)


def test_raw_gives_the_source_in_a_fence_that_holds() -> None:
    source = "<p>```</p>"
    page = read_page(source.encode(), url=URL, content_type="text/html", raw=True)
    assert (page.kind, page.text, page.markdown) == ("text", source, "````html\n<p>```</p>\n````")


def test_a_source_that_was_cut_makes_a_cut_page() -> None:
    assert read_page(article("").encode()[:-300], url=URL, content_type="text/html", source_truncated=True).cut


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "The page is empty"),
        (" \n ", "The page is empty"),
        ("<html><body></body></html>", "The page has no text"),
        ('<div id="root"></div><script src="/app.js"></script>', "JavaScript"),
        ('<noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div>', "no readable text"),
        ("<p>Please enable JavaScript to view this page.</p>", "JavaScript"),
        ("<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>", "check for robots"),
        ("<title>x</title><p>Please wait while we check your browser.</p>", "check for robots"),
        ("<title>Access Denied</title><p>You don't have permission to access this. Reference #18.</p>", "refused"),
        ("<p>Too many requests.</p>", "refused"),
        ("<p>Please sign in to continue</p>", "login"),
    ],
)
def test_a_page_that_is_not_what_it_seems_says_so(source: str, words: str) -> None:
    assert words in (read(source).note or "")


@pytest.mark.parametrize(
    "source",
    [
        article("<p>The captcha was painted green, and access denied to the ladder.</p>" + PROSE * 3),
        "<p>Tide table for the first week.</p>",
        "<p>Nothing today.</p><script>count()</script>",
    ],
)
def test_a_page_that_is_what_it_seems_has_no_note(source: str) -> None:
    assert read(source).note is None


def test_xhtml_is_read_with_its_empty_elements_and_its_character_data() -> None:
    source = (
        '<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Caf\u00e9</title>'
        '<script src="x.js"/></head><body><a id="top"/><p>Ouvre \u00e0 <![CDATA[5 < 6 & 7]]> heures.</p></body></html>'
    )
    page = read(source.encode("latin-1"), content_type="application/xhtml+xml")
    assert (page.title, page.text) == ("Caf\u00e9", "Ouvre \u00e0 5 < 6 & 7 heures.")


def test_half_a_character_costs_nothing_but_itself() -> None:
    page = read(article("<p>Half a face: &#xD83D; and on.</p>"))
    assert "Half a face: " in page.markdown
    assert " and on." in page.markdown


@given(
    st.binary(max_size=600),
    st.sampled_from(
        [
            "text/html",
            "text/html; charset=utf-16",
            "application/json",
            "application/xml",
            "text/csv",
            "text/plain",
            "application/pdf",
            "",
            "image/png",
        ]
    ),
    st.booleans(),
)
def test_any_bytes_give_a_page_or_a_refusal(body: bytes, content_type: str, raw: bool) -> None:
    try:
        page = read_page(body, url=URL, content_type=content_type, raw=raw)
    except WebError as error:
        assert error.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    else:
        (page.markdown + page.text + (page.title or "") + (page.byline or "") + (page.note or "")).encode()


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_markup_gives_markdown_that_can_be_read(source: str) -> None:
    page = read("<!doctype html>" + source)
    assert page.note != BARE_NOTE
    (page.markdown + page.text + (page.title or "")).encode()
    MarkdownIt("commonmark").enable("table").parse(page.markdown)
    assert "\0" not in page.markdown


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12), min_size=1, max_size=60))
def test_every_word_of_a_plain_paragraph_comes_through(words: list[str]) -> None:
    shown = " ".join(words)
    assert (
        read(article(f"<p>{shown} the end</p>")).text.split("first week of August.")[1].split()
        == f"{shown} the end".split()
    )


@given(st.lists(PIECES, max_size=60).map("".join))
def test_the_bare_reading_takes_any_markup(source: str) -> None:
    strip_tags(source)[1].encode("utf-8", "replace")


def test_the_bare_reading_keeps_words_and_loses_tags() -> None:
    page = read_bare(
        article('<script>if (a < b) "</p>"</script><!-- <p>no --><p>a<b>b</b> &amp; c<br>d</p>').encode(),
        url=URL,
        content_type="text/html",
    )
    assert page.title == "Harbour notes"
    assert page.text.endswith("first week of August.\nab & c\nd")


def test_the_bare_reading_refuses_what_it_cannot_read() -> None:
    with pytest.raises(WebError, match="takes too long"):
        read_bare(b"%PDF-1.7\n", url=URL, content_type="application/pdf")
