"""Several queries run side by side and become one list."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from webcards.contract import WebError, WebSearchResult, WebSource, given
from webcards.search.chain import Chain, Outages
from webcards.search.provider import SearchProvider, SearchRequest
from webcards.tools.registry import Execution, Registry
from webcards.tools.web_search import merge, web_search_tool


@dataclass(frozen=True)
class Limits:
    search_max_results: int = 8
    search_timeout: float = 5


@dataclass
class Engine:
    """An engine that answers from a table; an exception in it is raised, an event is waited for."""

    answers: dict[str, Any]
    options: frozenset[str] = frozenset({"site"})
    id: str = "table"
    asked: list[SearchRequest] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def available(self) -> str | None:
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        self.asked.append(request)
        answer = self.answers[request.query]
        if isinstance(answer, asyncio.Event):
            try:
                await answer.wait()
            except asyncio.CancelledError:
                self.cancelled.append(request.query)
                raise
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, WebSearchResult)
        return answer


def found(*names: str, truncated: bool = False, content: Any = None) -> WebSearchResult:
    sources = [WebSource(f"https://{name}.example/") for name in names]
    return WebSearchResult(sources, truncated, **({"content": content} if content else {}))


async def search(engine: Engine, args: Any, limits: Limits | None = None) -> Execution:
    def select() -> SearchProvider:
        return engine

    return await Registry([web_search_tool(limits or Limits(), select)]).execute("web_search", args)


def hosts(result: WebSearchResult) -> list[str]:
    return [source.url.removeprefix("https://").removesuffix(".example/") for source in result.sources]


def test_results_are_merged_one_a_rank_from_each_in_turn() -> None:
    merged = merge([found("a1", "a2", "a3"), found("b1"), found("c1", "c2")], 8)
    assert hosts(merged) == ["a1", "b1", "c1", "a2", "c2", "a3"]
    assert not merged.truncated


def test_a_url_stands_once_at_its_best_rank_and_that_drops_nothing() -> None:
    merged = merge([found("a", "b"), found("b", "a", "c")], 8)
    assert hosts(merged) == ["a", "b", "c"]
    assert not merged.truncated


def test_the_list_is_cut_to_the_cap_and_says_so() -> None:
    merged = merge([found("a", "b"), found("c", "d")], 3)
    assert hosts(merged) == ["a", "c", "b"]
    assert merged.truncated
    assert not merge([found("a", "b", "c")], 3).truncated
    assert merge([found("a", truncated=True)], 3).truncated


def test_answers_follow_one_another_each_once() -> None:
    merged = merge([found("a", content="One."), found("b", content="Two."), found("c", content="One.")], 8)
    assert given(merged.content) == "One.\n\nTwo."


@pytest.mark.parametrize("args", [{"query": " harbour   dues "}, {"queries": ["harbour dues"]}])
async def test_both_forms_of_the_query_are_taken(args: dict[str, Any]) -> None:
    engine = Engine({"harbour dues": found("a")})
    execution = await search(engine, args)
    assert not execution.tool_result.is_error
    assert [request.query for request in engine.asked] == ["harbour dues"]


async def test_the_cap_comes_from_the_settings_and_can_be_asked_for() -> None:
    engine = Engine({"q": found(*"abcdefghij")})
    capped = await search(engine, {"query": "q"})
    assert len(capped.tool_result.meta["sources"]) == 8
    assert capped.tool_result.meta["truncated"] is True
    assert len((await search(engine, {"query": "q", "max_results": "3"})).tool_result.meta["sources"]) == 3


async def test_with_the_first_failure_the_others_are_cancelled_and_it_is_the_error() -> None:
    engine = Engine({"slow": asyncio.Event(), "bad": WebError("WEB_RATE_LIMITED", "Too many."), "good": found("a")})
    execution = await search(engine, {"queries": ["slow", "bad", "good"]})
    assert execution.result.data.error.code == "WEB_RATE_LIMITED"  # type: ignore[union-attr]
    assert engine.cancelled == ["slow"]


async def test_the_same_query_twice_is_asked_once() -> None:
    engine = Engine({"q": found("a")})
    await search(engine, {"queries": ["q", " q"]})
    assert len(engine.asked) == 1


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"query": ""},
        {"query": "   "},
        {"queries": []},
        {"queries": ["a", " "]},
        {"query": "\u200b\u2060\ufeff"},
        {"queries": ["a", "\u00ad\u3164"]},
        {"query": "", "queries": []},
        {"queries": ["a", "b", "c", "d", "e"]},
        {"query": "a", "queries": ["b"]},
        {"query": "a", "max_results": 0},
        {"query": "a", "safe": "very"},
    ],
)
async def test_args_without_a_clear_query_are_refused_before_anything_is_asked(args: dict[str, Any]) -> None:
    engine = Engine({})
    execution = await search(engine, args)
    assert execution.result.data.error.code == "WEB_INVALID_ARGUMENTS"  # type: ignore[union-attr]
    assert engine.asked == []


async def test_an_argument_that_is_empty_is_one_left_out() -> None:
    engine = Engine({"q": found("a")})
    args = {"query": "q", "queries": [], "site": "", "time_range": " ", "region": "", "safe": "", "max_results": ""}
    execution = await search(engine, args)
    assert execution.view is not None
    (asked,) = engine.asked
    assert (asked.site, asked.time_range, asked.region, asked.safe) == (None, None, None, None)


async def test_an_option_that_the_engine_lacks_is_refused_by_name() -> None:
    engine = Engine({"q": found("a")})
    execution = await search(engine, {"query": "q", "time_range": "d"})
    assert "time_range" in execution.tool_result.text
    assert not (await search(engine, {"query": "q", "site": "a.example"})).tool_result.is_error
    assert engine.asked[-1].site == "a.example"


async def test_details_name_the_engine_and_what_each_query_brought() -> None:
    execution = await search(Engine({"a": found("x"), "b": found()}), {"queries": ["a", "b"]})
    details = execution.result.data.details
    assert details["provider"] == "table"
    assert details["queries"] == [{"query": "a", "sources": 1}, {"query": "b", "sources": 0}]
    assert details["answeredBy"] == [{"id": "table", "label": "table"}]
    assert "passedOver" not in details


async def test_details_say_which_engine_of_a_chain_answered_and_the_meta_does_not() -> None:
    out = Engine({"a": WebError("WEB_PROVIDER_UNAVAILABLE", "No way."), "b": found("z")}, id="out")
    chain = Chain("auto", [out, Engine({"a": found("x"), "b": found("y")}, id="library")], outages=Outages())

    def select() -> SearchProvider:
        return chain

    execution = await Registry([web_search_tool(Limits(), select)]).execute("web_search", {"query": "a"})
    details = execution.result.data.details
    assert details["provider"] == "auto"
    assert details["answeredBy"] == [{"id": "library", "label": "library"}]
    assert details["passedOver"] == [{"id": "out", "label": "out", "code": "WEB_PROVIDER_UNAVAILABLE"}]
    assert set(execution.result.data.meta) == {"sources", "truncated", "answer"}
