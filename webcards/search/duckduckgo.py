"""DuckDuckGo through ddgs, without a key: the app's first choice.

Owns what DuckDuckGo wants and what its failures mean for people; the engine itself is in `ddgs_engine`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.provider import SearchRequest, refuse_missing_options
from webcards.search.regions import duckduckgo_region
from webcards.search.waiting import read_retry_after, when_to_retry

if TYPE_CHECKING:
    from webcards.settings import Settings

PAGE_SIZE = 10
"""Results on DuckDuckGo's first page."""


class DuckDuckGo:
    """The live web, searched as DuckDuckGo's HTML page searches it. Asking is one request."""

    id = "duckduckgo"
    label = "DuckDuckGo"
    options = frozenset({"time_range", "site", "region", "safe", "page"})

    def __init__(self, settings: Settings) -> None:
        self._search_url = settings.duckduckgo_url
        self._timeout = settings.search_timeout

    @property
    def address(self) -> str:
        """Where it asks: what is remembered of its being out of reach belongs to this address."""
        return self._search_url

    def available(self) -> str | None:
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        rows = await self._rows(request)
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=now, site=request.site)

    async def _rows(self, request: SearchRequest) -> list[Row]:
        from ddgs.exceptions import DDGSException

        from webcards.search.ddgs_engine import Client, open_engine

        engine = open_engine(search_url=self._search_url, timeout=self._timeout, safe=request.safe)
        query = f"{request.query} site:{request.site}" if request.site else request.query
        try:
            found = await asyncio.to_thread(
                Client(engine).text,
                query,
                region=duckduckgo_region(request.region),
                timelimit=request.time_range,
                page=request.page,
                max_results=None,
                backend="duckduckgo",
            )
        except Exception as error:  # whatever ddgs or its parser does with a page
            cause = engine.failure or error
            if engine.failure is None and isinstance(error, DDGSException) and "No results found" in str(error):
                return []
            raise _explained(cause, self._timeout) from cause
        finally:
            engine.abort()
        return _read(found)


def _read(found: Iterable[dict[str, Any]]) -> list[Row]:
    return [
        Row(
            url=row.get("href") or row.get("url") or row.get("link"),
            title=row.get("title"),
            snippet=row.get("body"),
            published=row.get("date"),
        )
        for row in found
    ]


def _explained(error: Exception, timeout: float) -> WebError:
    """What a failure of ddgs means. ddgs wraps the request's own error, of which then only the text is left."""
    from ddgs.exceptions import RatelimitException, TimeoutException

    from webcards.search.ddgs_engine import ChangedPageError, StatusError

    said = f"{error!r} {error}"
    if isinstance(error, RatelimitException) or "ratelimit" in said.lower():
        wait = read_retry_after(getattr(error, "retry_after", None), datetime.now(UTC))
        return WebError(
            "WEB_RATE_LIMITED",
            f"DuckDuckGo refuses the search: too many have come from this address. {when_to_retry(wait)}",
            retry_after=wait,
        )
    if _unreachable(said):
        return WebError(
            "WEB_PROVIDER_UNAVAILABLE", "DuckDuckGo cannot be reached. Check the network connection of this machine."
        )
    if isinstance(error, TimeoutException) or "TimeoutError" in said or "timed out" in said:
        return WebError(
            "WEB_FETCH_TIMEOUT",
            f"DuckDuckGo did not answer within {timeout:g} seconds. Try again, or raise WEBCARDS_SEARCH_TIMEOUT.",
        )
    match error:
        case StatusError(status=status):
            happened = f"answered with HTTP {status} instead of results"
        case ChangedPageError():
            happened = f"sent a page that cannot be read as results ({error}); it may have changed"
        case _:
            happened = "broke off the search before its results were complete"
    return WebError("WEB_PROVIDER_ERROR", f"DuckDuckGo {happened}. Try again later, or choose another engine.")


_NO_WAY = re.compile(
    r"DNSError|DNSTimeoutError|ConnectError|client error \(Connect\)|dns error|getaddrinfo|resol(?:ve|ution)"
    r"|Name or service not known|Connection refused|Network is unreachable|No route to host"
)
"""How primp, and what lies below it, say that there was no name or no connection."""


def _unreachable(said: str) -> bool:
    """No name or no connection. A certificate that does not hold is somebody else's answer, not the lack of one."""
    return "certificate" not in said.lower() and _NO_WAY.search(said) is not None
