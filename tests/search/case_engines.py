"""The engines of the fault cases: the real provider, given a case's rows, error or HTTP answer in its own API's shape."""

import importlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from ddgs.ddgs import DDGS

from tests.search.engines import ENGINES
from tests.search.loopback import Answer, Asked, as_json, closed_port, serving
from webcards.search.duckduckgo import DuckDuckGo
from webcards.search.provider import SearchProvider
from webcards.settings import read_settings

INPUT_KEYS = {"provider", "args", "rows", "rows_by_query", "provider_raises", "provider_http", "settings", "answer"}
TIMEOUT = 5.0

_SHAPES: dict[str, Callable[[list[Any], Any], object]] = {
    "brave": lambda rows, _: {"type": "search", "web": {"type": "search", "results": rows}},
    "exa": lambda rows, _: {"requestId": "r", "results": rows},
    "mediawiki": lambda rows, _: {
        "query": {"search": rows, "general": {"server": "https://wiki.example", "articlepath": "/wiki/$1"}}
    },
    "opensearch": lambda rows, _: {"hits": {"hits": rows}},
    "perplexity": lambda rows, answer: {"choices": [{"message": {"content": answer}}], "search_results": rows},
    "searxng": lambda rows, answer: {"results": rows, "answers": [answer] if answer else []},
    "serper": lambda rows, answer: {"searchParameters": {}, "organic": rows, "answerBox": {"answer": answer}},
    "tavily": lambda rows, answer: {"results": rows, "answer": answer},
}
"""An engine's answer around rows as it writes them, and around its own answer where it gives one."""


class Asking:
    """How often the engine was asked."""

    def __init__(self) -> None:
        self.calls = 0


@asynccontextmanager
async def engine_of(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[SearchProvider, Asking]]:
    """The provider that a case asks, for as long as its server runs."""
    unknown = set(given) - INPUT_KEYS
    assert not unknown, f"the runner does not know the input keys {unknown}"
    asking = Asking()
    name = given["provider"].partition(".")[0]
    if name in ("ddgs", "duckduckgo"):
        async with _duckduckgo(given, asking, monkeypatch) as provider:
            yield provider, asking
        return
    (engine,) = (each for each in ENGINES if each.id == name)

    def answer(asked: Asked) -> Answer:
        asking.calls += 1
        if "provider_http" in given:
            return _http(given["provider_http"])
        return as_json(_SHAPES[name](given.get("rows") or [], given.get("answer")))

    async with serving(answer) as server:
        yield engine.open(server.url, TIMEOUT), asking


@asynccontextmanager
async def _duckduckgo(
    given: dict[str, Any], asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SearchProvider]:
    """The real provider: over a server if the case says what the HTTP answer is, else over ddgs with the case's rows."""
    if "provider_http" in given:

        def answer(asked: Asked) -> Answer:
            asking.calls += 1
            return _http(given["provider_http"])

        async with serving(answer) as server:
            yield DuckDuckGo(read_settings(duckduckgo_url=f"{server.url}/html/", search_timeout=TIMEOUT))
        return

    def text(self: DDGS, query: str, **options: object) -> list[dict[str, Any]]:
        asking.calls += 1
        outcome = given["rows_by_query"][query] if "rows_by_query" in given else given.get("rows")
        raised = outcome.get("provider_raises") if isinstance(outcome, dict) else given.get("provider_raises")
        if raised:
            raise _exception(raised)
        assert isinstance(outcome, list)
        return [dict(row) for row in outcome]

    monkeypatch.setattr(DDGS, "text", text)
    yield DuckDuckGo(read_settings(duckduckgo_url=f"{closed_port()}/html/", search_timeout=TIMEOUT))


def _http(answer: dict[str, Any]) -> Answer:
    unknown = set(answer) - {"status", "headers", "body", "hangs"}
    assert not unknown, f"the runner does not know the keys {unknown} of provider_http"
    return Answer(
        answer.get("status", 200),
        answer.get("body", "").encode(),
        answer.get("headers", {}),
        hangs=bool(answer.get("hangs")),
    )


def _exception(raised: dict[str, str]) -> Exception:
    """The exception that a case names, made with its message."""
    module, _, name = raised["type"].rpartition(".")
    found = getattr(importlib.import_module(module or "builtins"), name)
    assert issubclass(found, Exception), raised
    made: Exception = found(raised.get("message", ""))
    return made
