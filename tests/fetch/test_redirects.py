"""Redirects: where they lead, which are followed, and what never travels along."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.loopback import Answering, Asked, PlainReader, Wire, running, text_page
from webcards.contract import WebError
from webcards.fetch.redirects import Chain, location_of, refresh_of, scriptless_refresh_of
from webcards.fetch.url import parse_url


def redirecting(moves: dict[str, str], status: int = 302) -> Answering:
    """A site where some URLs (host and path) lead to others; all the rest is a page."""

    async def answer(asked: Asked, wire: Wire) -> None:
        target = moves.get(asked.host + asked.target)
        if target is None:
            await wire.answer(200, text_page(asked.url), Content_Type="text/html")
        else:
            await wire.answer(status, b"moved", Location=target)

    return answer


async def final(moves: dict[str, str], url: str, status: int = 302, **settings: Any) -> str:
    """Where a fetch ends, or the code of its error and the message."""
    async with running(redirecting(moves, status)) as web:
        try:
            return (await web.fetcher(**settings).fetch(url)).value.url
        except WebError as error:
            return f"{error.code}: {error.message}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_status_that_browsers_follow_is_followed(status: int) -> None:
    assert await final({"a.example/": "/b"}, "http://a.example/", status) == "http://a.example/b"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", "http://a.example/b"),
        ("b", "http://a.example/dir/b"),
        ("../b", "http://a.example/b"),
        ("?q=1", "http://a.example/dir/page?q=1"),
        ("//other.example/x", "http://other.example/x"),
        ("https://other.example", "https://other.example/"),
        ("HTTP://OTHER.example:80/x", "http://other.example/x"),
        ("http:b", "http://a.example/dir/b"),
        (r"\\other.example\x", "http://other.example/x"),
        ("  /b  ", "http://a.example/b"),
        ("/b c|d", "http://a.example/b%20c|d"),
        ("/naïve", "http://a.example/na%C3%AFve"),
        ("/b#part", "http://a.example/b#part"),
        ("http://例え.example/", "http://xn--r8jz45g.example/"),
    ],
)
async def test_a_location_is_resolved_as_browsers_resolve_it(location: str, target: str) -> None:
    assert await final({"a.example/dir/page": location}, "http://a.example/dir/page") == target


async def test_each_location_is_relative_to_its_own_hop_and_the_hops_are_told() -> None:
    moves = {"a.example/": "http://b.example/x/", "b.example/x/": "y", "b.example/x/y": "/z"}
    async with running(redirecting(moves)) as web:
        fetched = await web.fetcher().fetch("http://a.example/")
    assert fetched.value.url == "http://b.example/z"
    assert [(hop.url, hop.status) for hop in fetched.details.redirects] == [
        ("http://a.example/", 302),
        ("http://b.example/x/", 302),
        ("http://b.example/x/y", 302),
    ]


async def test_a_fragment_that_was_asked_for_outlives_a_redirect_without_one() -> None:
    assert await final({"a.example/": "/b"}, "http://a.example/#part") == "http://a.example/b#part"
    assert await final({"a.example/": "/b#own"}, "http://a.example/#part") == "http://a.example/b#own"


@pytest.mark.parametrize("status", [300, 304, 305, 306, 302])
async def test_what_names_no_target_is_a_result(status: int) -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        location = {"Location": ""} if status == 302 else {"Location": "/elsewhere"}
        await wire.answer(
            status, b"" if status == 304 else text_page("No target"), Content_Type="text/html", **location
        )

    async with running(answer) as web:
        fetched = await web.fetcher().fetch("http://a.example/")
    assert (fetched.value.status_code, fetched.value.url) == (status, "http://a.example/")


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("file:///etc/passwd", "WEB_REDIRECT_BLOCKED"),
        ("javascript:alert(1)", "WEB_REDIRECT_BLOCKED"),
        ("ftp://a.example/", "WEB_REDIRECT_BLOCKED"),
        ("http://[::1", "WEB_REDIRECT_BLOCKED"),
        ("http://a.example:99999/", "WEB_REDIRECT_BLOCKED"),
        ("http://user:secret@b.example/", "WEB_BLOCKED_URL"),
        ("http://127.0.0.1/", "WEB_BLOCKED_URL"),
        ("http://localhost/", "WEB_BLOCKED_URL"),
        ("//169.254.169.254/latest/", "WEB_BLOCKED_URL"),
        ("http://b.example:25/", "WEB_BLOCKED_URL"),
    ],
)
async def test_a_target_where_no_fetch_goes_ends_it(location: str, code: str) -> None:
    told = await final({"a.example/": location}, "http://a.example/")
    assert told.startswith(f"{code}: ")
    assert "a.example" in told
    assert "secret" not in told


async def test_a_loop_is_told_and_ends_at_once() -> None:
    async with running(redirecting({"a.example/": "/b", "a.example/b": "/"})) as web:
        with pytest.raises(WebError) as refused:
            await web.fetcher().fetch("http://a.example/")
    assert refused.value.code == "WEB_REDIRECT_BLOCKED"
    assert "circle" in refused.value.message
    assert len(web.asked) == 2


async def test_redirects_without_end_stop_at_the_limit() -> None:
    async def onward(asked: Asked, wire: Wire) -> None:
        await wire.answer(302, Location=f"/{int(asked.target[1:]) + 1}")

    async with running(onward) as web:
        with pytest.raises(WebError) as refused:
            await web.fetcher(fetch_max_redirects=4).fetch("http://a.example/0")
    assert refused.value.code == "WEB_REDIRECT_BLOCKED"
    assert "WEBCARDS_FETCH_MAX_REDIRECTS" in refused.value.message
    assert len(web.asked) == 5


async def test_a_downgrade_from_https_to_http_is_refused() -> None:
    told = await final({"a.example/": "http://a.example/"}, "https://a.example/")
    assert told.startswith("WEB_REDIRECT_BLOCKED")
    assert await final({"a.example/": "https://b.example/"}, "http://a.example/") == "https://b.example/"


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        ("/x", True),
        ("https://a.example/x", True),
        ("http://www.a.example/", False),
        ("http://b.example/", False),
        ("http://a.example:8080/", False),
        ("https://a.example:8443/", False),
    ],
)
async def test_same_origin_answers_a_redirect_to_another_host_with_its_target(location: str, followed: bool) -> None:
    told = await final({"a.example/": location}, "http://a.example/", fetch_cross_host="same-origin")
    assert told.startswith("WEB_REDIRECT_BLOCKED") != followed
    if not followed:
        assert location in told


async def test_several_locations_that_disagree_are_not_followed() -> None:
    async def two(asked: Asked, wire: Wire) -> None:
        await wire.head(302, [("Location", "/one"), ("Location", "/two"), ("Content-Length", "0")])

    async with running(two) as web:
        with pytest.raises(WebError) as refused:
            await web.fetcher().fetch("http://a.example/")
    assert refused.value.code == "WEB_REDIRECT_BLOCKED"


def _refreshing(way: str, target: str) -> Answering:
    async def refresh(asked: Asked, wire: Wire) -> None:
        meta = f'<meta http-equiv="refresh" content="0;url={target}">'.encode() if way == "meta" else b""
        header = {"Refresh": f"0;url={target}"} if way == "header" else {}
        first = asked.target == "/"
        await wire.answer(
            200, (meta if first else b"") + text_page(), Content_Type="text/html", **(header if first else {})
        )

    return refresh


@pytest.mark.parametrize("way", ["header", "meta"])
@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("http://127.0.0.1/", "WEB_BLOCKED_URL"),
        ("http://localhost/", "WEB_BLOCKED_URL"),
        ("http://user:secret@b.example/", "WEB_BLOCKED_URL"),
        ("http://a.example/", "WEB_REDIRECT_BLOCKED"),
    ],
)
async def test_a_refresh_is_checked_as_a_redirect_is(way: str, target: str, code: str) -> None:
    async with running(_refreshing(way, target)) as web:
        scheme = "https" if code == "WEB_REDIRECT_BLOCKED" else "http"
        with pytest.raises(WebError) as refused:
            await web.fetcher(reader=PlainReader()).fetch(f"{scheme}://a.example/")
    assert refused.value.code == code
    assert len(web.asked) == 1


@pytest.mark.parametrize("way", ["header", "meta"])
@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:alert(1)", "http://a.example/#top", "http://["])
async def test_a_refresh_that_leads_nowhere_leaves_the_page_as_it_is(way: str, target: str) -> None:
    async with running(_refreshing(way, target)) as web:
        fetched = await web.fetcher(reader=PlainReader()).fetch("http://a.example/")
    assert fetched.value.status_code == 200
    assert len(web.asked) == 1


@pytest.mark.parametrize("way", ["header", "meta"])
async def test_a_refresh_is_a_hop_that_is_told(way: str) -> None:
    async with running(_refreshing(way, "http://b.example/next")) as web:
        fetched = await web.fetcher(reader=PlainReader()).fetch("http://a.example/")
        raw = await web.fetcher(reader=PlainReader()).fetch("http://a.example/", raw=True)
    assert fetched.value.url == "http://b.example/next"
    assert [(hop.url, hop.status) for hop in fetched.details.redirects] == [("http://a.example/", 200)]
    # Who asks for the page as it was sent gets the page that names a refresh.
    assert (raw.value.url == "http://a.example/") == (way == "meta")


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("0;url=/b", "/b"),
        ("0; URL='/b'", "/b"),
        ('3 ; url = "/b" ignored', "/b"),
        ("0, /b", "/b"),
        ("0.5;url=/b", "/b"),
        (";url=/b", "/b"),
        ("10;url=/b", "/b"),
        ("11;url=/b", None),
        ("300;url=/b", None),
        ("5", None),
        ("0;", None),
        ("0;url=", None),
        ("now;url=/b", None),
        ("-1;url=/b", None),
        ("", None),
        (None, None),
    ],
)
def test_a_refresh_is_read_by_the_grammar_of_html(header: str | None, target: str | None) -> None:
    assert refresh_of(header) == target


async def test_nothing_secret_travels_to_another_host() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        if asked.host == "intranet.example":
            await wire.answer(302, Location="http://other.example/", Set_Cookie="session=s3cret; Domain=example")
        elif asked.target == "/":
            await wire.answer(302, Location="http://intranet.example.evil.example/back")
        else:
            await wire.answer(200, text_page(), Content_Type="text/html")

    async with running(answer) as web:
        await web.fetcher(
            fetch_headers=("intranet.example=Authorization: Bearer t0ken", "intranet.example=X-Team: harbour")
        ).fetch("http://intranet.example/start")
    first, *others = web.asked
    assert (first.headers["authorization"], first.headers["x-team"]) == ("Bearer t0ken", "harbour")
    assert len(others) == 2
    for asked in others:
        assert not {"authorization", "x-team", "cookie"} & set(asked.headers)
        assert "t0ken" not in str(asked.headers)


async def test_a_cookie_comes_back_to_the_host_that_set_it_so_that_a_cookie_wall_is_passed() -> None:
    async def wall(asked: Asked, wire: Wire) -> None:
        if "seen=1" in asked.headers.get("cookie", ""):
            await wire.answer(200, text_page("Past the wall"), Content_Type="text/html")
        else:
            await wire.answer(302, Location=asked.target, Set_Cookie="seen=1; Path=/; HttpOnly")

    async with running(wall) as web:
        fetcher = web.fetcher()
        fetched = await fetcher.fetch("http://a.example/")
        assert fetched.value.status_code == 200
        await fetcher.fetch("http://a.example/again")
    # The second call begins without the first one's cookies.
    assert [("cookie" in asked.headers) for asked in web.asked] == [False, True, False, True]


async def test_secure_cookies_stay_on_https_and_unset_ones_go() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        match asked.scheme, asked.target:
            case "https", "/":
                await wire.head(
                    302,
                    [
                        ("Location", "/two"),
                        ("Set-Cookie", "safe=1; Secure"),
                        ("Set-Cookie", "gone=1"),
                        ("Set-Cookie", "broken"),
                        ("Set-Cookie", f"huge={'x' * 5000}"),
                        ("Content-Length", "0"),
                    ],
                )
            case "https", "/two":
                await wire.answer(302, Location="/three", Set_Cookie="gone=; Max-Age=0")
            case _:
                await wire.answer(200, text_page(), Content_Type="text/html")

    async with running(answer) as web:
        await web.fetcher().fetch("https://a.example/")
    assert [asked.headers.get("cookie") for asked in web.asked] == [None, "safe=1; gone=1", "safe=1"]


@pytest.mark.parametrize(
    ("markup", "target"),
    [
        (b'<noscript><meta http-equiv="refresh" content="0;url=/b"></noscript>', "/b"),
        (b"<NOSCRIPT><META content='0; URL=&quot;/b?x=1&amp;y=2&quot;' HTTP-EQUIV=Refresh></NOSCRIPT>", "/b?x=1&y=2"),
        (b'<noscript><meta name="robots" content="x"><meta http-equiv=refresh content=0;url=/b></noscript>', "/b"),
        (b'<meta http-equiv="refresh" content="0;url=/b">', None),
        (b'<noscript><meta http-equiv="refresh" content="300;url=/b"></noscript>', None),
        (b"<noscript>Please turn script on</noscript>", None),
        (b"<noscript>" * 5000, None),
        (b"<noscript><meta " + b"a=b " * 5000, None),
    ],
)
def test_the_refresh_for_readers_without_script_is_found(markup: bytes, target: str | None) -> None:
    assert scriptless_refresh_of(markup) == target


async def test_a_page_with_nothing_but_script_is_followed_to_where_it_sends_readers_without() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        script = b"<script>location.replace('/b')</script>"
        noscript = b'<noscript><meta http-equiv="refresh" content="0;url=/b"></noscript>'
        if asked.target == "/told":
            script += b'<meta name="description" content="On the way to the harbour.">'
        words = text_page("Words") if asked.target in ("/b", "/words") else b""
        await wire.answer(200, script + noscript + words, Content_Type="text/html")

    async with running(answer) as web:
        empty = await web.fetcher().fetch("http://a.example/a")
        told = await web.fetcher().fetch("http://a.example/told")
        full = await web.fetcher().fetch("http://a.example/words")
    assert told.value.url == "http://a.example/b", "how a page describes itself is not what it has to say"
    assert (empty.value.url, full.value.url) == ("http://a.example/b", "http://a.example/words")


@given(st.lists(st.binary(max_size=40), max_size=3), st.integers(200, 399))
def test_any_location_header_gives_a_target_none_or_a_refusal(values: list[bytes], status: int) -> None:
    try:
        target = location_of(status, values)
    except WebError as error:
        assert error.code == "WEB_REDIRECT_BLOCKED"
        return
    if target is not None:
        chain = Chain(parse_url("https://a.example/"), limit=3)
        try:
            assert chain.follow(chain.start, target, status).scheme == "https"
        except WebError as error:
            assert error.code in ("WEB_REDIRECT_BLOCKED", "WEB_BLOCKED_URL")


@given(st.text(max_size=60))
def test_any_refresh_header_can_be_read(value: str) -> None:
    target = refresh_of(value)
    assert target is None or target.strip()
