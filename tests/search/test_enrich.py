"""Dates read from the pages themselves: side by side, within a time, and only where none was given."""

import asyncio

from msgspec import UNSET

from webcards.contract import WebSearchResult, WebSource
from webcards.search.enrich import enrich

RESULT = WebSearchResult(
    [
        WebSource("https://docs.example/0"),
        WebSource("https://docs.example/1", published_at="2020-01-01"),
        WebSource("https://docs.example/2"),
        WebSource("https://docs.example/3"),
    ],
    content="An answer.",
)


def dates(result: WebSearchResult) -> list[object]:
    return [None if source.published_at is UNSET else source.published_at for source in result.sources]


async def test_the_first_pages_without_a_date_are_read_for_theirs_and_all_else_stays() -> None:
    asked = []

    async def read_date(url: str) -> str | None:
        asked.append(url)
        return "2025-04-30T09:00:00Z"

    result = await enrich(RESULT, read_date, first=3)
    assert asked == ["https://docs.example/0", "https://docs.example/2"]
    assert dates(result) == ["2025-04-30T09:00:00Z", "2020-01-01", "2025-04-30T09:00:00Z", None]
    assert result.content == "An answer."


async def test_the_pages_are_read_side_by_side() -> None:
    both = asyncio.Barrier(2)

    async def read_date(url: str) -> str | None:
        await both.wait()
        return "2025-04-30"

    async with asyncio.timeout(10):
        result = await enrich(RESULT, read_date, seconds=10)
    assert dates(result)[0] == dates(result)[2] == "2025-04-30"


async def test_what_is_not_read_in_time_is_given_up_and_what_was_read_is_kept() -> None:
    ended = []

    async def read_date(url: str) -> str | None:
        if url.endswith("/0"):
            return "2025-04-30"
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(url)
        return None

    assert dates(await enrich(RESULT, read_date, seconds=0.05)) == ["2025-04-30", "2020-01-01", None, None]
    assert ended == ["https://docs.example/2"]


async def test_a_page_that_fails_or_has_no_certain_date_costs_only_its_own() -> None:
    async def read_date(url: str) -> str | None:
        if url.endswith("/0"):
            raise OSError("no route")
        return "03/04/2025"

    assert dates(await enrich(RESULT, read_date)) == [None, "2020-01-01", None, None]


async def test_with_every_date_given_no_page_is_read() -> None:
    async def read_date(url: str) -> str | None:
        raise AssertionError(url)

    dated = WebSearchResult([WebSource("https://docs.example/1", published_at="2020-01-01")])
    assert await enrich(dated, read_date) is dated


async def test_cancelling_ends_every_read() -> None:
    started, ended = asyncio.Barrier(3), []

    async def read_date(url: str) -> str | None:
        await started.wait()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(url)
        return None

    task = asyncio.create_task(enrich(RESULT, read_date, seconds=60))
    await started.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert len(ended) == 2
