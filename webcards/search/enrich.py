"""Dates for results that came without one: the first pages are read for their own, side by side, in little time.

Off by default (`WEBCARDS_SEARCH_ENRICH`), since it asks the sites found. How a page is read is the caller's part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from msgspec import UNSET
from msgspec.structs import replace

from webcards.contract.values import WebSearchResult, WebSource
from webcards.search.dates import parse_date

FIRST = 3
SECONDS = 2.0


async def enrich(
    result: WebSearchResult,
    read_date: Callable[[str], Awaitable[str | None]],
    *,
    first: int = FIRST,
    seconds: float = SECONDS,
) -> WebSearchResult:
    """The result with the dates of those of its `first` sources that had none, as far as found within `seconds`.

    `read_date` gives a page's own date for its URL, or None; whatever it raises costs only that page its date. What
    is no certain date (`dates`) is left out. Reads that are not done in time are cancelled.
    """
    undated = [number for number, source in enumerate(result.sources[:first]) if source.published_at is UNSET]
    if not undated:
        return result
    reads = {number: asyncio.ensure_future(read_date(result.sources[number].url)) for number in undated}
    try:
        await asyncio.wait(reads.values(), timeout=seconds)
    finally:
        for read in reads.values():
            read.cancel()
        outcomes = await asyncio.gather(*reads.values(), return_exceptions=True)
    dates = dict(zip(reads, outcomes, strict=True))
    sources = [_dated(source, dates.get(number)) for number, source in enumerate(result.sources)]
    return replace(result, sources=sources)


def _dated(source: WebSource, found: object) -> WebSource:
    date = parse_date(found, datetime.now(UTC)) if isinstance(found, str) else None
    return source if date is None else replace(source, published_at=date)
