"""What a page says of itself: title, author, date, language, where it sends the reader on."""

from __future__ import annotations

import pytest

from tests.fetch.reading import PROSE, read
from webcards.fetch.metadata_iso import iso_date


def _page(head: str, body: str = PROSE) -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Tide times &amp; moon</title>", "<svg><title>Menu</title></svg><h1>Tide times</h1>", "Tide times & moon"),
        ("<title>How the gate was painted green again | The Gazette</title>", "", "How the gate was painted green again"),
        ("<title>How the gate was painted green - The Gazette</title>", "", "How the gate was painted green"),
        ("<title>Gate | The Gazette</title>", "", "Gate | The Gazette"),
        ("<title>The Gazette: how the gate was painted green</title>", "", "how the gate was painted green"),
        ("<title>The Gazette: how the gate was painted green</title>", "<h1>The Gazette: how the gate was painted green</h1>", "The Gazette: how the gate was painted green"),
        ('<title>x</title><meta property="og:title" content="The gate">', "", "The gate"),
        ('<title>x</title><meta property="og:title" content="The &lt;gate&gt;">', "", "The <gate>"),
        ('<title>x</title><meta name="dc.title" content="The gate"><meta property="og:title" content="No">', "", "The gate"),
        ('<title>x</title><meta property="dc:title og:title" content="The gate">', "", "The gate"),
        ('<title>x</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"The gate"}</script>', "", "The gate"),
        ('<title>x</title><script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["Article"],"headline":"The gate"}]}</script>', "", "The gate"),
        ('<title>How the gate was painted | News</title><script type="application/ld+json">{"@type":"Article","name":"News","headline":"How the gate was painted"}</script>', "", "How the gate was painted"),
        ('<title>x</title><script type="application/ld+json">{"headline":}</script>', "", "x"),
        ("<title>  The\n gate </title>", "", "The gate"),
        ("", "<h1>The gate</h1>", "The gate"),
        ("", "", None),
        ("<title>港口的账本每周五朗读_新闻_港口网</title>", "", "港口的账本每周五朗读_新闻_港口网"),
    ],
)  # fmt: skip
def test_the_title_is_what_a_reader_would_call_the_page(head: str, body: str, title: str | None) -> None:
    assert read(_page(head, body + PROSE)).title == title


@pytest.mark.parametrize(
    ("head", "body", "byline"),
    [
        ('<meta name="author" content="Ada Quill">', "", "Ada Quill"),
        ('<meta property="article:author" content="https://social.example/ada">', "", None),
        ('<script type="application/ld+json">{"@type":"Article","author":[{"name":"Ada Quill"},{"name":"Bo Line"}]}</script>', "", "Ada Quill, Bo Line"),
        ("", '<p class="byline">By <b>Ada Quill</b></p>', "By Ada Quill"),
        ("", '<a rel="author" href="/ada">Ada Quill</a>', "Ada Quill"),
        ("", '<div itemprop="author"><span>By</span> <span itemprop="name">Ada Quill</span></div>', "Ada Quill"),
        ("", "", None),
    ],
)  # fmt: skip
def test_the_byline_is_found(head: str, body: str, byline: str | None) -> None:
    assert read(_page(head, body + PROSE)).byline == byline


@pytest.mark.parametrize(
    ("head", "body", "url", "date"),
    [
        ('<meta property="article:published_time" content="2026-11-02T10:00:00+01:00">', "", "/", "2026-11-02T10:00:00+01:00"),
        ('<script type="application/ld+json">{"@type":"Article","datePublished":"2026-11-02"}</script>', "", "/", "2026-11-02"),
        ("", '<time datetime="2026-11-02T10:00Z">today</time>', "/", "2026-11-02T10:00:00Z"),
        ("", '<time datetime="2026-11-09">x</time><time itemprop="datePublished" datetime="2026-11-02">x</time>', "/", "2026-11-02"),
        ("", "", "/2026/11/02/gate", "2026-11-02"),
        ("", "", "/news/2026/13/45/gate", None),
        ("", '<span class="post-date">2 November 2026</span>', "/", "2026-11-02"),
        ('<meta property="article:modified_time" content="2026-11-03">', "", "/", "2026-11-03"),
        ('<link rel="canonical" href="http://pages.example/2026/11/02/gate">', "", "/?p=7", "2026-11-02"),
        ("<script>var page = {'publishDate': '2026-11-02 10:00'}</script>", "", "/", "2026-11-02T10:00:00"),
        ("", "<div>Posted by the clerk on 2 November 2026</div>", "/", "2026-11-02"),
        ("", "<p>© The office, 2 November 2026</p>", "/", None),
        ("", "<p>On 2 November 2026 the gate was painted green, and nobody in the town asked why.</p>", "/", None),
        ('<meta name="publishdate" content="11/02/2026">', "", "/", "2026-02-11"),
        ("", "", "/", None),
    ],
)  # fmt: skip
def test_the_date_is_found(head: str, body: str, url: str, date: str | None) -> None:
    assert read(_page(head, body + PROSE), url=f"http://pages.example{url}").published == date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-11-02", "2026-11-02"),
        ("2026-11-02 09:05", "2026-11-02T09:05:00"),
        ("2026-11-02T09:05:06.123Z", "2026-11-02T09:05:06Z"),
        ("2026-11-02T09:05:06+0530", "2026-11-02T09:05:06+05:30"),
        ("20261102", "2026-11-02"),
        ("2 November 2026", "2026-11-02"),
        ("November 2nd, 2026, 9 o'clock", "2026-11-02"),
        ("2. Dezember 2026", "2026-12-02"),
        ("2 de enero de 2026", "2026-01-02"),
        ("2 février 2026", "2026-02-02"),
        ("2026年11月2日", "2026-11-02"),
        ("02/11/2026 09:49:00", "2026-11-02"),
        ("11/25/2026", "2026-11-25"),
        ("2.11.2026", "2026-11-02"),
        ("2026년 11월 2일", "2026-11-02"),
        ("Mon, 02 Nov 2026 10:00:00 GMT", "2026-11-02T10:00:00+00:00"),
        ("1793613600", "2026-11-02T10:00:00+00:00"),
        ("2026-02-30", None),
        ("31 June 2026", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_in_their_usual_dress_become_iso_8601(text: str, date: str | None) -> None:
    assert iso_date(text) == date


def test_americans_write_the_month_first() -> None:
    page = read('<html lang="en-US"><meta name="publishdate" content="11/02/2026"><p>x</p>')
    assert page.published == "2026-11-02"


def test_language_and_site_are_told() -> None:
    page = read('<html lang="pt_BR"><meta property="og:site_name" content="O Cais"><p>x</p>')
    assert (page.lang, page.site) == ("pt-BR", "O Cais")


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/new">', "http://docs.example/new"),
        ("<META HTTP-EQUIV=Refresh CONTENT=\"3;URL='new?a=b'\">", "http://docs.example/guide/new?a=b"),
        ('<meta http-equiv="refresh" content="0;http://other.example/">', "http://other.example/"),
        (
            '<base href="http://base.example/x/"><meta http-equiv="refresh" content="0;url=y">',
            "http://base.example/x/y",
        ),
        ('<meta http-equiv="refresh" content="600">', None),
        ('<meta http-equiv="refresh" content="600;url=/later">', None),
        ('<meta http-equiv="refresh" content="0;url=javascript:go()">', None),
        ('<noscript><meta http-equiv="refresh" content="0;url=/no-script"></noscript>', None),
        ('<script>var x = \'<meta http-equiv="refresh" content="0;url=/s">\'</script>', None),
        ('<!-- <meta http-equiv="refresh" content="0;url=/comment"> -->', None),
    ],
)
def test_a_refresh_names_where_the_page_has_gone(head: str, target: str | None) -> None:
    assert read(_page(head)).redirect == target


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ('<link rel="alternate" type="text/markdown" href="intro.md">', "http://docs.example/guide/intro.md"),
        ('<link rel="ALTERNATE" type="text/markdown; charset=utf-8" href="/i.md">', "http://docs.example/i.md"),
        ('<link rel="alternate" type="application/rss+xml" href="/feed">', None),
        ('<link rel="stylesheet" type="text/markdown" href="/i.md">', None),
    ],
)
def test_a_markdown_version_is_named(link: str, address: str | None) -> None:
    assert read(_page(link)).alternate == address
