"""What a site asks of robots (RFC 9309), where a setting says that it is honoured. Off by default: a person asked.

Owns fetching robots.txt in a bounded time, keeping it for a while, and the question; protego reads the rules.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Literal

from protego import Protego

from webcards.contract.errors import WebError
from webcards.fetch.exchange import Answer
from webcards.fetch.url import WebUrl, parse_url

MAX_ROBOTS_BYTES = 512_000
"""RFC 9309, section 2.5: at least 500 KiB are read."""
MAX_ROBOTS_REDIRECTS = 5
"""RFC 9309, section 2.3.1.2."""
ROBOTS_SECONDS = 5.0
"""Seconds that robots.txt may take, and never more than a third of what is left of the call."""
KEPT_SECONDS = 3600.0
"""RFC 9309, section 2.4, allows up to a day."""
MAX_KEPT = 200

Verdict = Literal["allowed", "no answer"]

GetRobots = Callable[[WebUrl, float], Awaitable[Answer]]
"""Gets a robots.txt, given its URL and the event loop's time by which it must be there. Raises WebError."""


class Robots:
    """The rules of the sites met so far."""

    def __init__(self, user_agent: str, get: GetRobots) -> None:
        self._product = user_agent.split("/", 1)[0].split()[0] if user_agent.strip() else "*"
        self._get = get
        self._kept: OrderedDict[tuple[str, str, int], tuple[float, Protego | int]] = OrderedDict()

    async def check(self, url: WebUrl, deadline: float) -> Verdict:
        """Whether the site lets `url` be fetched. A site that does not answer in time has asked for nothing.

        Raises WebError (WEB_BLOCKED_URL) where its robots.txt forbids it.
        """
        rules = await self._rules(url, deadline)
        if rules is None:
            return "no answer"
        if isinstance(rules, int):
            raise WebError(
                "WEB_BLOCKED_URL",
                f"The robots.txt of {url.netloc} answers with status {rules}, and a server in trouble is left alone "
                "(RFC 9309; WEBCARDS_FETCH_ROBOTS=false fetches the page all the same).",
            )
        if not rules.can_fetch(url.without_fragment, self._product):
            raise WebError(
                "WEB_BLOCKED_URL",
                f"The robots.txt of {url.netloc} asks that this page is not fetched: {url.path[:200]} "
                "(WEBCARDS_FETCH_ROBOTS=false fetches it all the same).",
            )
        return "allowed"

    async def _rules(self, url: WebUrl, deadline: float) -> Protego | int | None:
        """The rules, the status of a server in trouble (5xx), or None where no answer came in time."""
        now = asyncio.get_running_loop().time()
        kept = self._kept.get(url.origin)
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1]
        patience = min(ROBOTS_SECONDS, (deadline - now) / 3)
        try:
            async with asyncio.timeout(patience):
                answer = await self._get(parse_url("/robots.txt", url), now + patience)
        except (TimeoutError, WebError):
            return None
        rules = await asyncio.to_thread(_read, answer)  # half a megabyte of rules takes its time
        self._kept[url.origin] = now, rules
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return rules


def _read(answer: Answer) -> Protego | int:
    """RFC 9309, section 2.3.1: without the file (3xx that leads nowhere, 4xx) there are no rules."""
    if answer.status >= 500:
        return answer.status
    return _rules_of(b"" if answer.status >= 300 else answer.body)


def _rules_of(body: bytes) -> Protego:
    return Protego.parse(body.decode("utf-8", "replace"))
