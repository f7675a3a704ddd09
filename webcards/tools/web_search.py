"""`web_search`: asks one engine, once a query, side by side, and merges what comes back into one list."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import zip_longest
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import UNSET, Struct

from webcards.contract import (
    WebError,
    WebSearchResult,
    WebSource,
    explain_search_result,
    given,
    present_search_call,
    render_search_output,
    search_meta_from_value,
    shows_nothing,
    text_or_unset,
)
from webcards.search.chain import Answered, ask
from webcards.search.enrich import enrich
from webcards.search.links import dedup_key
from webcards.search.provider import SearchProvider, SearchRequest, label_of, refuse_missing_options
from webcards.tools.tool import OnProgress, Outcome, Progress, Tool

MAX_QUERIES = 4

Query = Annotated[str, msgspec.Meta(max_length=2_000)]


class SearchArgs(Struct, frozen=True, forbid_unknown_fields=True):
    """`query` alone, or `queries` (1 to 4); the rest where the engine has it."""

    query: Query | None = None
    queries: Annotated[list[Query], msgspec.Meta(max_length=MAX_QUERIES)] | None = None
    max_results: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    time_range: Literal["d", "w", "m", "y"] | None = None
    site: Annotated[str, msgspec.Meta(max_length=253)] | None = None
    region: Annotated[str, msgspec.Meta(max_length=20)] | None = None
    safe: Literal["off", "moderate", "strict"] | None = None

    def asked(self) -> list[str]:
        """The queries, without white space around them. Raises `WebError` if there are none, or both forms are used."""
        if self.query is not None and self.queries is not None and [self.query] != self.queries:
            raise WebError("WEB_INVALID_ARGUMENTS", "Give web_search either query or queries, not both.")
        given_queries = self.queries if self.queries is not None else [self.query or ""]
        queries = [" ".join(query.split()) for query in given_queries]
        if not queries or any(shows_nothing(query) for query in queries):
            raise WebError("WEB_INVALID_ARGUMENTS", "The query is empty: say what web_search should look for.")
        return list(dict.fromkeys(queries))


PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "maxLength": 2000, "description": "What to search for."},
        "queries": {
            "type": "array",
            "items": {"type": "string", "maxLength": 2000},
            "minItems": 1,
            "maxItems": MAX_QUERIES,
            "description": "Up to four searches, run side by side and merged; in place of query.",
        },
        "max_results": {"type": "integer", "minimum": 1, "maximum": 100, "description": "The most sources to give."},
        "time_range": {
            "type": "string",
            "enum": ["d", "w", "m", "y"],
            "description": "Only what is from the last day, week, month or year.",
        },
        "site": {"type": "string", "description": "Only pages of this host, such as docs.example."},
        "region": {"type": "string", "description": "A country, or a country and a language, such as gb or cn-zh."},
        "safe": {"type": "string", "enum": ["off", "moderate", "strict"], "description": "How much is filtered out."},
    },
    "anyOf": [{"required": ["query"]}, {"required": ["queries"]}],
    "additionalProperties": False,
}


class SearchSettings(Protocol):
    """The settings that the tool reads."""

    @property
    def search_max_results(self) -> int: ...
    @property
    def search_timeout(self) -> float: ...


def web_search_tool(
    settings: SearchSettings,
    select: Callable[[], SearchProvider],
    read_date: Callable[[str], Awaitable[str | None]] | None = None,
) -> Tool[SearchArgs, WebSearchResult]:
    """The tool. `select` gives the engine of a call, or raises the `WebError` that says why there is none.

    With `read_date`, which gives a page's own date, the first sources without a date are asked for theirs.
    """

    async def execute(args: SearchArgs, on_progress: OnProgress) -> Outcome[WebSearchResult]:
        queries = args.asked()
        provider = select()
        cap = min(args.max_results or settings.search_max_results, 100)
        requests = [
            SearchRequest(
                query=query,
                max_results=cap,
                time_range=args.time_range,
                site=args.site,
                region=args.region,
                safe=args.safe,
            )
            for query in queries
        ]
        refuse_missing_options(provider, requests[0])
        began = time.perf_counter()
        on_progress(Progress(f"Asking {label_of(provider)}", 0.0))
        answers = await _side_by_side(provider, requests, on_progress)
        value = merge([answer.result for answer in answers], cap)
        if read_date is not None:
            value = await enrich(value, read_date)
        details = {
            "provider": provider.id,
            "queries": [
                {"query": query, "sources": len(answer.result.sources)}
                for query, answer in zip(queries, answers, strict=True)
            ],
            **_who_answered(answers),
            "searchMs": round((time.perf_counter() - began) * 1000, 1),
        }
        return Outcome(value, details)

    return Tool(
        name="web_search",
        title="Search the web",
        description="Searches the web and gives a list of sources with title, URL, snippet and date.",
        parameters=PARAMETERS,
        args_type=SearchArgs,
        timeout=settings.search_timeout,
        execute=execute,
        render=lambda value, _: render_search_output(value),
        presentation_meta=lambda value, _: search_meta_from_value(value),
        present_call=present_search_call,
        explain_result=explain_search_result,
    )


async def _side_by_side(
    provider: SearchProvider, requests: Sequence[SearchRequest], on_progress: OnProgress
) -> list[Answered]:
    """Every answer, in the order of the requests; with the first failure the others are cancelled."""
    tasks = [asyncio.create_task(ask(provider, request)) for request in requests]
    try:
        pending: set[asyncio.Task[Answered]] = set(tasks)
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            ready = len(tasks) - len(pending)
            on_progress(Progress(f"{ready} of {len(tasks)} queries answered", ready / len(tasks)))
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _who_answered(answers: Sequence[Answered]) -> dict[str, list[dict[str, str]]]:
    """The engines that answered, each once, and those that should have and did not, with the code that says why."""
    answered = {answer.engine.id: label_of(answer.engine) for answer in answers}
    skipped = {skip.id: skip for answer in answers for skip in answer.skipped}
    details = {"answeredBy": [{"id": id_, "label": label} for id_, label in answered.items()]}
    if skipped:
        details["passedOver"] = [
            {"id": skip.id, "label": skip.label, "code": skip.error.code} for skip in skipped.values()
        ]
    return details


def merge(results: Sequence[WebSearchResult], cap: int) -> WebSearchResult:
    """One list from several: a source of each in turn, rank by rank, each URL once, at most `cap` of them.

    `truncated` is set if anything was dropped, here or by the engine. The answers follow one another.
    """
    merged: dict[str, WebSource] = {}
    for rank in zip_longest(*(result.sources for result in results)):
        for source in rank:
            if source is not None:
                merged.setdefault(dedup_key(source.url), source)
    sources = list(merged.values())
    answers = dict.fromkeys(answer for answer in (given(result.content) for result in results) if answer)
    return WebSearchResult(
        sources[:cap],
        len(sources) > cap or any(result.truncated for result in results),
        text_or_unset("\n\n".join(answers)) if answers else UNSET,
    )
