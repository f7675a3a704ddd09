"""robots.txt, where the setting honours it: what is forbidden, what is not, and that it never holds a call up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.fetch.loopback import Answering, Asked, PlainReader, Wire, running
from webcards.contract import WebError

RULES = b"""
User-agent: WebCards
Disallow: /private
Allow: /private/open

User-agent: *
Disallow: /
"""


def with_robots(status: int, body: bytes = b"", **headers: str) -> Answering:
    async def answer(asked: Asked, wire: Wire) -> None:
        if asked.target == "/robots.txt":
            await wire.answer(status, body, **headers)
        else:
            await wire.answer(200, b"the page", Content_Type="text/plain")

    return answer


async def verdict(answering: Answering, path: str = "/", **settings: Any) -> str:
    """The page's text, or the code of the error; and what the details say of robots.txt."""
    async with running(answering) as web:
        try:
            fetched = await web.fetcher(reader=PlainReader(), **{"fetch_robots": True, **settings}).fetch(
                f"http://a.example{path}"
            )
        except WebError as error:
            return f"{error.code}: {error.message}"
    return f"{fetched.value.body.content}, {fetched.details.robots}"


async def test_it_is_not_even_asked_for_unless_the_setting_honours_it() -> None:
    async with running(with_robots(200, b"User-agent: *\nDisallow: /")) as web:
        await web.fetcher().fetch("http://a.example/")
    assert [asked.target for asked in web.asked] == ["/"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/", True), ("/private", False), ("/private/x?y=1", False), ("/private/open/x", True), ("/p%72ivate/", False)],
)
async def test_its_rules_for_our_name_are_kept(path: str, allowed: bool) -> None:
    told = await verdict(with_robots(200, RULES), path)
    assert told == "the page, allowed" if allowed else told.startswith("WEB_BLOCKED_URL")


async def test_the_name_is_the_user_agents_own() -> None:
    told = await verdict(with_robots(200, RULES), "/anything", fetch_user_agent="OtherBot/1.0 (+x)")
    assert told.startswith("WEB_BLOCKED_URL")
    assert "WEBCARDS_FETCH_ROBOTS" in told


@pytest.mark.parametrize("status", [404, 403, 410, 304])
async def test_without_the_file_all_is_allowed(status: int) -> None:
    assert await verdict(with_robots(status, b"")) == "the page, allowed"


async def test_a_server_in_trouble_is_left_alone() -> None:
    told = await verdict(with_robots(503, b"busy"))
    assert told.startswith("WEB_BLOCKED_URL")
    assert "503" in told


async def test_a_file_that_is_no_robots_txt_forbids_nothing() -> None:
    for body in (b"<!doctype html><p>Welcome", b"\xff\xfe\0\0" * 100, b"", b"Disallow: /\n"):
        assert await verdict(with_robots(200, body)) == "the page, allowed"


async def test_a_file_that_never_comes_holds_nothing_up() -> None:
    async def hanging(asked: Asked, wire: Wire) -> None:
        if asked.target == "/robots.txt":
            await asyncio.sleep(60)
        await wire.answer(200, b"the page", Content_Type="text/plain")

    async with asyncio.timeout(5):
        assert await verdict(hanging, fetch_timeout=2) == "the page, no answer"


async def test_a_file_without_end_is_read_up_to_its_cap() -> None:
    async def endless(asked: Asked, wire: Wire) -> None:
        if asked.target != "/robots.txt":
            await wire.answer(200, b"the page", Content_Type="text/plain")
            return
        await wire.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
        while True:
            await wire.chunk(b"# nothing\n" * 1000)

    assert await verdict(endless) == "the page, allowed"


async def test_a_redirect_of_the_file_is_followed_and_guarded() -> None:
    assert (await verdict(with_robots(301, b"", Location="http://127.0.0.1/robots.txt"))) == "the page, no answer"

    async def moved(asked: Asked, wire: Wire) -> None:
        if asked.target == "/robots.txt" and asked.host == "a.example":
            await wire.answer(301, Location="http://b.example/robots.txt")
        elif asked.target == "/robots.txt":
            await wire.answer(200, b"User-agent: *\nDisallow: /")
        else:
            await wire.answer(200, b"the page", Content_Type="text/plain")

    assert (await verdict(moved)).startswith("WEB_BLOCKED_URL")


async def test_it_is_asked_for_once_a_host_and_at_every_hop() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        match asked.target:
            case "/robots.txt":
                rules = b"User-agent: *\nDisallow: /secret" if asked.host == "b.example" else b""
                await wire.answer(200, rules)
            case "/go":
                await wire.answer(302, Location="http://b.example/secret")
            case _:
                await wire.answer(200, b"the page", Content_Type="text/plain")

    async with running(answer) as web:
        fetcher = web.fetcher(reader=PlainReader(), fetch_robots=True)
        for _ in range(3):
            await fetcher.fetch("http://a.example/")
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("http://a.example/go")
    assert refused.value.code == "WEB_BLOCKED_URL"
    assert [asked.host for asked in web.asked if asked.target == "/robots.txt"] == ["a.example", "b.example"]
