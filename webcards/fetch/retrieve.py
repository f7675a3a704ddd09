"""One URL to its final answer: redirects hop by hop, each checked by the guard before anything is sent. No extraction.

The guard says what may be reached, redirects.py what may be followed, robots.py what a site asks for; exchange.py
sends.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

import httpx
import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.cookies import ChainCookies
from webcards.fetch.decoding import ACCEPT_ENCODING
from webcards.fetch.exchange import Answer, Exchange, Peek, Progress
from webcards.fetch.guard import Guard
from webcards.fetch.redirects import REDIRECT_STATUSES, Chain, Redirect, location_of, refresh_of
from webcards.fetch.robots import MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS, Robots, Verdict
from webcards.fetch.url import WebUrl, parse_url, shown

ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.7"
"""Markdown first, as the page is read by a model; then what has text."""

HostHeaders = Mapping[str, tuple[tuple[str, str], ...]]
"""Extra headers by host (or host:port)."""


class Rules(msgspec.Struct, frozen=True):
    """The caps and manners of a retriever."""

    max_bytes: int
    user_agent: str
    retries: int = 2
    headers: HostHeaders = {}
    robots: bool = False


class Retrieval(Answer, frozen=True):
    """The answer at the end of the redirects, and the way to it."""

    redirects: tuple[Redirect, ...] = ()
    from_library: bool = False
    robots: Verdict | None = None


class Journey:
    """One call's way through its hops: the rules for redirects, its cookies, its deadline (the event loop's time)."""

    def __init__(self, chain: Chain, *, deadline: float, accept: str = ACCEPT, peek: Peek | None = None) -> None:
        self.chain = chain
        self.deadline = deadline
        self.accept = accept
        self.peek = peek
        self.max_bytes = sys.maxsize
        self.honours_robots = True
        self.cookies = ChainCookies()
        self.progress = Progress(chain.start)
        self.retries = 0
        self.robots: Verdict | None = None


class Retriever:
    """Sends requests: to the library's transport for its hosts, to the network's for all others."""

    def __init__(
        self,
        *,
        guard: Guard,
        rules: Rules,
        network: httpx.AsyncBaseTransport,
        library: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._guard = guard
        self._rules = rules
        self._network = network
        self._library = library
        self._robots = Robots(rules.user_agent, self._robots_txt) if rules.robots else None

    async def retrieve(self, url: WebUrl, journey: Journey) -> Retrieval:
        """The answer at the end of the redirects. Raises WebError; cancelling it closes the connection."""
        chain = journey.chain
        while True:
            try:
                answer = await self._hop(url, journey)
            except WebError as error:
                raise _on_the_way(error, chain) from None
            target = _target(answer)
            if target is None:
                return Retrieval(
                    **{name: getattr(answer, name) for name in Answer.__struct_fields__ if name != "retries"},
                    redirects=tuple(chain.hops),
                    retries=journey.retries,
                    from_library=self._is_library(url),
                    robots=journey.robots,
                )
            url = chain.follow(url, target, answer.status)

    async def _hop(self, url: WebUrl, journey: Journey) -> Answer:
        self._guard.check_url(url)
        if self._robots is not None and journey.honours_robots:
            journey.robots = await self._robots.check(url, journey.deadline)
        cookies = journey.cookies.header(url)
        journey.chain.visit(url, cookies)
        answer = await Exchange(
            transport=self._transport_for(url),
            request=partial(self._request, url, accept=journey.accept, cookies=cookies),
            url=url,
            max_bytes=min(journey.max_bytes, self._rules.max_bytes),
            retries=self._rules.retries,
            progress=journey.progress,
            peek=journey.peek,
        ).run(journey.deadline)
        journey.retries += answer.retries
        journey.cookies.take(url, answer.headers.get_list("set-cookie"))
        return answer

    async def _robots_txt(self, url: WebUrl, deadline: float) -> Answer:
        journey = Journey(Chain(url, limit=MAX_ROBOTS_REDIRECTS), deadline=deadline, accept="text/plain, */*;q=0.5")
        journey.honours_robots, journey.max_bytes = False, MAX_ROBOTS_BYTES
        return await self.retrieve(url, journey)

    def _is_library(self, url: WebUrl) -> bool:
        return self._library is not None and url.host in self._guard.library_hosts

    def _transport_for(self, url: WebUrl) -> httpx.AsyncBaseTransport:
        return self._library if self._library is not None and self._is_library(url) else self._network

    def _request(self, url: WebUrl, *, accept: str, cookies: str) -> httpx.Request:
        """The GET for one hop. A host's extra headers are looked up anew at each hop, so they never reach another."""
        headers = httpx.Headers(
            {
                "Host": url.netloc,
                "User-Agent": self._rules.user_agent,
                "Accept": accept,
                "Accept-Encoding": ACCEPT_ENCODING,
            }
        )
        if cookies:
            headers["Cookie"] = cookies
        for key in (url.host, url.netloc, f"{url.host}:{url.port}"):
            headers.update(self._rules.headers.get(key, ()))
        extensions: dict[str, Any] = {"target": url.target, "caching": {"key": url.without_fragment}}
        if url.address is None:
            extensions["sni_hostname"] = url.host  # TLS knows no trailing dot (RFC 6066, section 3)
        return httpx.Request("GET", _as_httpx(url), headers=headers, extensions=extensions)


def _as_httpx(url: WebUrl) -> httpx.URL:
    """The URL for the pool, with the same host to the letter.

    Raises WebError (WEB_INVALID_URL): two parsers that read one URL differently are how guards are fooled.
    """
    with contextlib.suppress(httpx.InvalidURL, ValueError):
        parsed = httpx.URL(url.without_fragment)
        port = parsed.port or {"http": 80, "https": 443}[parsed.scheme]
        if (parsed.scheme, parsed.raw_host.decode("ascii").removesuffix("."), port) == url.origin:
            return parsed
    raise WebError("WEB_INVALID_URL", f"{shown(url.href)!r} can be read in two ways, so it is not fetched.")


def _target(answer: Answer) -> str | None:
    """Where an answer leads: its Location, or its Refresh header."""
    location = location_of(answer.status, answer.header_bytes(b"location"))
    if location is not None or answer.status in REDIRECT_STATUSES:
        return location
    return refresh_target(answer.url, refresh_of(answer.headers.get("refresh")))


def refresh_target(url: WebUrl, target: str | None) -> str | None:
    """The target of a refresh that is followed: not the same page again, and not what is no web address at all.

    Then the page is shown as it is, as a browser would.
    """
    if target is None:
        return None
    try:
        moved = parse_url(target, url).without_fragment != url.without_fragment
    except WebError as error:
        moved = error.code == "WEB_BLOCKED_URL"
    return target if moved else None


def _on_the_way(error: WebError, chain: Chain) -> WebError:
    """The error, saying that a redirect led there, if one did."""
    if not chain.hops:
        return error
    message = f"{error.message} (A redirect from {shown(chain.hops[-1].url)} led there.)"
    return WebError(error.code, message, retry_after=error.retry_after)
