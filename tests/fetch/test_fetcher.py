"""A fetch from end to end, against a real server on loopback: the value, the details, the settings, the library."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from tests.fetch.loopback import Answering, Asked, PlainReader, Wire, running, text_page
from webcards.contract import WebError, render_fetch_output
from webcards.fetch.alternate import linked_alternate
from webcards.fetch.fetcher import READING_AT_ONCE, Fetcher
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport, pages
from webcards.settings import read_settings


async def page(asked: Asked, wire: Wire) -> None:
    await wire.answer(
        200, text_page(words="The harbour office keeps a ledger. "), Content_Type="text/html; charset=utf-8"
    )


def site(answers: dict[str, tuple[int, bytes, dict[str, str]]]) -> Answering:
    """Answers by path: status, body, headers."""

    async def answer(asked: Asked, wire: Wire) -> None:
        status, body, headers = answers.get(asked.target, (404, b"nothing here", {"Content_Type": "text/plain"}))
        await wire.answer(status, body, **headers)

    return answer


HTML = {"Content_Type": "text/html; charset=utf-8"}
MARKDOWN = {"Content_Type": "text/markdown; charset=utf-8"}


async def test_a_page_comes_back_as_markdown_with_what_is_known_of_its_retrieval() -> None:
    async with running(page) as web:
        fetched = await web.fetcher().fetch("http://pages.example/notes#top")
    assert "The harbour office keeps a ledger." in (fetched.value.body.markdown or "")
    assert (fetched.value.url, fetched.value.truncated) == ("http://pages.example/notes#top", False)
    assert web.dialled == [("93.184.216.34", 80)]
    told = msgspec.to_builtins(fetched.details)
    assert told["requestedUrl"] == told["finalUrl"] == "http://pages.example/notes#top"
    assert (told["statusCode"], told["retries"], told["redirects"], told["fromLibrary"]) == (200, 0, [], False)
    assert (told["httpVersion"], told["remoteAddress"], told["title"]) == ("HTTP/1.1", "127.0.0.1", "A page")
    assert told["bytesRead"] == told["bytesDecoded"] > 900
    assert told["characters"] == len(fetched.value.body.markdown or "")
    assert told["contentType"] == "text/html; charset=utf-8"
    assert told["elapsedMs"] > 0
    assert not {"cache", "robots", "note", "byline"} & set(told)


async def test_the_request_says_honestly_who_asks_and_that_markdown_is_liked_best() -> None:
    async with running(page) as web:
        await web.fetcher(fetch_user_agent="HarbourBot/2 (+ask us)").fetch("http://pages.example/a b?q=1|2#x")
        await web.fetcher().fetch("http://pages.example:8080/", raw=True)
    asked, raw = web.asked
    assert asked.headers["user-agent"] == "HarbourBot/2 (+ask us)"
    assert asked.headers["accept"].startswith("text/markdown,")
    assert asked.headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert (asked.target, asked.headers["host"]) == ("/a%20b?q=1|2", "pages.example")
    assert raw.headers["accept"].startswith("text/html")
    assert raw.headers["host"] == "pages.example:8080"


async def test_a_page_over_tls_is_verified_by_its_name_with_and_without_the_roots_dot() -> None:
    async with running(page) as web:
        for url in ("https://pages.example./notes", "https://pages.example/notes", "https://pages.example:8443/"):
            assert (await web.fetcher().fetch(url)).value.status_code == 200
    assert {asked.scheme for asked in web.asked} == {"https"}


async def test_raw_gives_the_page_as_it_was_sent() -> None:
    async with running(page) as web:
        fetched = await web.fetcher().fetch("http://pages.example/", raw=True)
    assert fetched.value.body.kind == "text"
    assert "<!doctype html><title>A page</title><article>" in fetched.value.body.content


async def test_many_fetches_run_side_by_side() -> None:
    async with running(page) as web:
        fetcher = web.fetcher(reader=PlainReader())
        got = await asyncio.gather(
            *(fetcher.fetch(f"http://host{number % 7}.example/{number}") for number in range(60))
        )
    assert [one.value.url for one in got] == [f"http://host{number % 7}.example/{number}" for number in range(60)]


async def test_pages_take_turns_to_be_read_so_that_waiting_costs_none_of_a_readings_own_time() -> None:
    class Counting(PlainReader):
        now = most = 0

        async def read(self, body: bytes, **given: Any) -> Any:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return await super().read(body, **given)

    reader = Counting()
    async with running(page) as web:
        fetcher = web.fetcher(reader=reader)
        await asyncio.gather(*(fetcher.fetch(f"http://pages.example/{number}") for number in range(30)))
    assert 1 <= reader.most <= READING_AT_ONCE


async def test_an_unprintable_user_agent_is_told_at_once() -> None:
    with pytest.raises(WebError, match="WEBCARDS_FETCH_USER_AGENT"):
        Fetcher(read_settings(fetch_user_agent="Käfer/1"))


# --- what is said of a page that has little


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (200, {}, "The page is empty."),
        (204, {}, "The page is empty."),
        (
            429,
            {"Retry_After": "120"},
            "The server answered 429 Too Many Requests and asks to be tried again after 120 s",
        ),
        (
            503,
            {"Retry_After": "3600"},
            "The server answered 503 Service Unavailable and asks to be tried again after 3600",
        ),
        (401, {"WWW_Authenticate": "Basic"}, "The server answered 401 Unauthorized: it wants a login."),
    ],
)
async def test_a_blocked_or_empty_page_says_so_in_plain_words(status: int, headers: dict[str, str], said: str) -> None:
    async with running(site({"/": (status, b"", {**HTML, **headers})})) as web:
        fetched = await web.fetcher().fetch("http://pages.example/")
    text, _ = render_fetch_output(fetched.value, 10_000)
    assert said in text
    assert f"(HTTP {status})" in text
    assert said in str(fetched.details.note)


async def test_what_the_server_asks_for_stands_above_the_pages_own_words() -> None:
    async with running(site({"/": (429, text_page("Slow down"), {**HTML, "Retry_After": "60"})})) as web:
        fetched = await web.fetcher().fetch("http://pages.example/")
    markdown = fetched.value.body.markdown or ""
    assert markdown.index("after 60 seconds") < markdown.index("Words of the page")


# --- Markdown that a page offers


ALTERNATE = b'<link rel="alternate" type="text/markdown" href="%s"><title>T</title><p>' + b"page " * 50
VERSION = b"# As Markdown\n\nA *starred* word, a_b_c.\n" + b"line\n" * 60


async def test_the_markdown_version_that_a_page_offers_is_taken_untouched() -> None:
    answers = {"/doc": (200, ALTERNATE % b"/doc.md", HTML), "/doc.md": (200, VERSION, MARKDOWN)}
    async with running(site(answers)) as web:
        fetched = await web.fetcher(reader=PlainReader()).fetch("http://pages.example/doc")
    assert fetched.value.body.content == VERSION.decode()
    assert fetched.value.url == "http://pages.example/doc"
    assert fetched.details.title == "From the page"
    assert [asked.headers["accept"] for asked in web.asked][1] == "text/markdown"


@pytest.mark.parametrize(
    ("href", "status", "body", "headers"),
    [
        (b"/doc.md", 404, VERSION, MARKDOWN),
        (b"/doc.md", 200, VERSION, HTML),
        (b"/doc.md", 200, b"# Stub\n", MARKDOWN),
        (b"/doc.md", 200, b"", MARKDOWN),
        (b"/doc.md", 302, b"", {"Location": "http://other.example/doc.md"}),
        (b"/doc.md", 302, b"", {"Location": "http://127.0.0.1/doc.md"}),
        (b"http://127.0.0.1/doc.md", 200, VERSION, MARKDOWN),
        (b"http://other.example/doc.md", 200, VERSION, MARKDOWN),
        (b"file:///doc.md", 200, VERSION, MARKDOWN),
        (b"http://[", 200, VERSION, MARKDOWN),
    ],
)
async def test_a_version_that_is_elsewhere_or_no_use_leaves_the_page(
    href: bytes, status: int, body: bytes, headers: dict[str, str]
) -> None:
    answers = {"/doc": (200, ALTERNATE % href, HTML), "/doc.md": (status, body, headers)}
    async with running(site(answers)) as web:
        fetched = await web.fetcher(reader=PlainReader()).fetch("http://pages.example/doc")
    assert fetched.value.body.content.startswith("<link")
    assert {asked.host for asked in web.asked} == {"pages.example"}


@pytest.mark.parametrize(
    ("header", "offered"),
    [
        ('</doc.md>; rel="alternate"; type="text/markdown"', "/doc.md"),
        ("</doc.md>;rel=alternate;type=text/markdown", "/doc.md"),
        ('</x.css>; rel=preload; as="style", </doc.md>; type="text/markdown;v=1"; rel="nofollow alternate"', "/doc.md"),
        ('</a,b;c.md>; title="x, <y>; rel=z"; rel=alternate; type=text/markdown', "/a,b;c.md"),
        ('</feed>; rel="alternate"; type="application/rss+xml"', None),
        ('</doc.md>; rel="canonical"; type="text/markdown"', None),
        ("</doc.md>", None),
        ("<" * 9000, None),
        ("; rel=" * 2000, None),
        ("", None),
    ],
)
def test_a_version_may_be_offered_in_a_link_header(header: str, offered: str | None) -> None:
    assert linked_alternate([header]) == offered


async def test_the_version_of_a_link_header_is_taken_too() -> None:
    link = {"Link": "</doc.md>; rel=alternate; type=text/markdown"}
    answers = {
        "/doc": (200, b"<title>T</title><p>" + b"page " * 50, {**HTML, **link}),
        "/doc.md": (200, VERSION, MARKDOWN),
    }
    async with running(site(answers)) as web:
        fetched = await web.fetcher(reader=PlainReader()).fetch("http://pages.example/doc")
    assert fetched.value.body.content == VERSION.decode()


async def test_a_version_that_hangs_costs_the_page_nothing_but_time() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        if asked.target == "/doc.md":
            await asyncio.sleep(60)
        await wire.answer(200, ALTERNATE % b"/doc.md", **HTML)

    async with running(answer) as web:
        fetched = await web.fetcher(reader=PlainReader(), fetch_timeout=1).fetch("http://pages.example/doc")
    assert fetched.value.body.content.startswith("<link")


# --- settings


async def test_extra_headers_go_to_the_hosts_they_are_named_for() -> None:
    settings: dict[str, Any] = {
        "fetch_headers": (
            "wiki.example=Authorization: Bearer abc=:def",
            "wiki.example=Accept-Language: de",
            "en;q=0.5",
            "wiki.example:8080=X-Only: on 8080",
        )
    }
    async with running(page) as web:
        fetcher = web.fetcher(**settings)
        for url in ("http://wiki.example/", "http://wiki.example:8080/", "http://www.wiki.example/"):
            await fetcher.fetch(url)
    first, second, third = (asked.headers for asked in web.asked)
    assert (first["authorization"], first["accept-language"]) == ("Bearer abc=:def", "de, en;q=0.5")
    assert "x-only" not in first
    assert second["x-only"] == "on 8080"
    assert not {"authorization", "accept-language", "x-only"} & set(third)


@pytest.mark.parametrize(
    "entry", ["wiki.example", "wiki.example=NoColon", "=X: y", "wiki.example=Host: evil", "a b=X: y"]
)
def test_a_header_setting_that_cannot_be_read_is_named_without_its_value(entry: str) -> None:
    with pytest.raises(WebError) as refused:
        Fetcher(read_settings(fetch_headers=(entry,)))
    assert "WEBCARDS_FETCH_HEADERS" in refused.value.message
    assert "evil" not in refused.value.message


async def test_a_loopback_server_can_be_fetched_where_the_setting_names_it() -> None:
    async with running(page) as web:
        allowed = f"127.0.0.1:{web.http_port}"
        fetcher = Fetcher(read_settings(fetch_allow=(allowed,)))
        fetched = await fetcher.fetch(f"http://{allowed}/")
        with pytest.raises(WebError) as refused:
            await fetcher.fetch(f"http://127.0.0.1:{web.https_port}/")
        await fetcher.aclose()
    assert fetched.value.status_code == 200
    assert refused.value.code == "WEB_BLOCKED_URL"


# --- the library


async def test_the_library_answers_for_its_hosts_through_the_same_code_without_a_network() -> None:
    async with running(page) as web:
        fetcher = Fetcher(
            read_settings(fetch_max_bytes=1000), library=LibraryTransport(), library_hosts=LIBRARY_HOSTS, resolver=web
        )
        long = next(entry for entry in pages() if len(entry.body) > 5000 and "html" in (entry.content_type or ""))
        fetched = await fetcher.fetch(long.url)
        await fetcher.aclose()
    assert fetched.details.from_library
    assert (fetched.value.truncated, fetched.details.bytes_decoded) == (True, 1000)
    assert (web.looked_up, web.asked) == ([], [])


async def test_a_redirect_out_of_the_library_meets_the_guard() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"Location": "http://127.0.0.1/"})

    fetcher = Fetcher(read_settings(), library=httpx.MockTransport(answer), library_hosts=frozenset({"town.example"}))
    with pytest.raises(WebError) as refused:
        await fetcher.fetch("http://town.example/")
    await fetcher.aclose()
    assert refused.value.code == "WEB_BLOCKED_URL"


async def test_a_library_that_fails_is_told_in_words() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    fetcher = Fetcher(
        read_settings(fetch_retries=0), library=httpx.MockTransport(answer), library_hosts=frozenset({"town.example"})
    )
    with pytest.raises(WebError) as refused:
        await fetcher.fetch("http://town.example/")
    await fetcher.aclose()
    assert refused.value.code == "WEB_PROVIDER_ERROR"
