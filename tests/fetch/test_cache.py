"""The private cache: RFC 9111 above the guard, bounded, off unless it is asked for."""

from __future__ import annotations

import gzip
from typing import Any

import httpx
import pytest

from tests.fetch.loopback import Asked, PlainReader, Wire, running
from webcards.contract import WebError
from webcards.fetch.cache import MemoryStorage, cached
from webcards.fetch.details import Fetched
from webcards.fetch.fetcher import Fetcher
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport
from webcards.settings import read_settings


def cache_of(fetched: Fetched) -> object:
    return fetched.details.cache


async def twice(
    headers: dict[str, str], body: bytes = b"text", status: int = 200, **settings: Any
) -> tuple[int, list[Fetched]]:
    """How often the server is asked when a page is fetched two times, and what came back."""

    async def answer(asked: Asked, wire: Wire) -> None:
        if "if-none-match" in asked.headers:
            await wire.head(304, [("ETag", asked.headers["if-none-match"]), ("Cache-Control", "max-age=0")])
        else:
            await wire.answer(status, body, **{"Content_Type": "text/plain", **headers})

    async with running(answer) as web:
        fetcher = web.fetcher(reader=PlainReader(), **{"fetch_cache": True, **settings})
        got = [await fetcher.fetch("http://a.example/?q=a|b") for _ in range(2)]
        return len(web.asked), got


@pytest.mark.parametrize(
    ("headers", "asked", "second"),
    [
        ({"Cache_Control": "max-age=600"}, 1, "hit"),
        ({"Cache_Control": "private, max-age=600"}, 1, "hit"),
        ({"Cache_Control": "max-age=600, s-maxage=0"}, 1, "hit"),
        ({"Cache_Control": "no-store"}, 2, "miss"),
        ({"Cache_Control": "max-age=0"}, 2, "miss"),
        ({"Cache_Control": "max-age=600", "Vary": "*"}, 2, "miss"),
        ({"Cache_Control": "max-age=0", "ETag": '"v1"'}, 2, "hit"),
    ],
)
async def test_answers_are_kept_and_reused_as_the_rules_allow(headers: dict[str, str], asked: int, second: str) -> None:
    times, got = await twice(headers)
    assert (times, cache_of(got[0]), cache_of(got[1])) == (asked, "miss", second)
    assert [one.value.body.content for one in got] == ["text", "text"]


async def test_it_is_off_unless_it_is_asked_for() -> None:
    times, got = await twice({"Cache_Control": "max-age=600"}, fetch_cache=False)
    assert times == 2
    assert not isinstance(cache_of(got[1]), str)


async def test_bodies_are_kept_as_they_came_and_the_cap_holds_for_a_hit() -> None:
    packed = gzip.compress(b"z" * 100_000)
    times, got = await twice({"Cache_Control": "max-age=600", "Content_Encoding": "gzip"}, packed)
    assert (times, cache_of(got[1])) == (1, "hit")
    assert got[0].value.body == got[1].value.body
    assert len(got[1].value.body.content) == 100_000


async def test_a_body_that_was_cut_is_not_kept() -> None:
    times, got = await twice({"Cache_Control": "max-age=600"}, b"x" * 50_000, fetch_max_bytes=10_000)
    assert (times, got[1].value.truncated) == (2, True)


async def test_a_hop_is_checked_before_its_stored_answer_is_looked_for() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        await wire.answer(301, Location="http://127.0.0.1/", Cache_Control="max-age=600")

    async with running(answer) as web:
        fetcher = web.fetcher(fetch_cache=True)
        for _ in range(2):
            with pytest.raises(WebError) as refused:
                await fetcher.fetch("http://a.example/")
            assert refused.value.code == "WEB_BLOCKED_URL"


async def test_pages_of_the_library_are_kept_too() -> None:
    fetcher = Fetcher(read_settings(fetch_cache=True), library=LibraryTransport(), library_hosts=LIBRARY_HOSTS)
    url = f"https://{min(LIBRARY_HOSTS)}/"
    got = [await fetcher.fetch(url) for _ in range(2)]
    await fetcher.aclose()
    assert [cache_of(one) for one in got] == ["miss", "hit"]
    assert got[0].value == got[1].value


class Origin(httpx.AsyncBaseTransport):
    """A server of bodies of a given size, all of which may be kept."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        headers = {"Cache-Control": "max-age=600", "Vary": "Accept"}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(b"b" * self.size))


async def get(transport: httpx.AsyncBaseTransport, url: str, **headers: str) -> bool:
    """Whether a URL's answer came from the cache."""
    response = await transport.handle_async_request(httpx.Request("GET", url, headers=headers))
    await response.aread()
    await response.aclose()
    return bool(response.extensions["caching"]["from_cache"])


async def test_the_least_recently_used_go_when_there_is_no_more_room() -> None:
    transport = cached(Origin(400), MemoryStorage(max_stored=1000))
    for url in ("http://a.example/1", "http://a.example/2", "http://a.example/1", "http://a.example/3"):
        await get(transport, url)
    assert [await get(transport, f"http://a.example/{number}") for number in (1, 3)] == [True, True]
    assert not await get(transport, "http://a.example/2")


async def test_a_body_that_is_too_long_to_keep_is_passed_through_whole() -> None:
    transport = cached(Origin(5000), MemoryStorage(max_body=1000))
    response = await transport.handle_async_request(httpx.Request("GET", "http://a.example/"))
    assert len(await response.aread()) == 5000
    assert not await get(transport, "http://a.example/")


async def test_variants_of_a_page_are_told_apart() -> None:
    origin = Origin(10)
    transport = cached(origin, MemoryStorage())
    asked = [await get(transport, "http://a.example/", accept=kind) for kind in ("text/html", "text/markdown") * 2]
    assert (asked, origin.asked) == ([False, False, True, True], 2)


async def test_an_entry_that_is_removed_is_forgotten() -> None:
    storage = MemoryStorage()
    transport = cached(Origin(10), storage)
    await get(transport, "http://a.example/")
    for entry in [
        entry
        for key in {stored.key for stored in storage._entries.values()}
        for entry in await storage.get_entries(key)
    ]:
        await storage.remove_entry(entry.id)
        await storage.remove_entry(entry.id)
    assert not await get(transport, "http://a.example/")


async def test_a_304_with_an_endless_body_is_not_read() -> None:
    class Endless(httpx.AsyncBaseTransport):
        asked = 0

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            self.asked += 1
            if self.asked == 1:
                return httpx.Response(200, headers={"ETag": '"1"', "Cache-Control": "max-age=0"}, content=b"kept")

            async def forever() -> Any:
                while True:
                    yield b"x" * 65_536

            return httpx.Response(304, headers={"ETag": '"1"'}, content=forever())

    transport = cached(Endless(), MemoryStorage())
    await get(transport, "http://a.example/")
    response = await transport.handle_async_request(httpx.Request("GET", "http://a.example/"))
    assert await response.aread() == b"kept"
