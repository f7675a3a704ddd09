"""Asking two engines: whatever one of them does, it is that side's answer, and the other's stays."""

import asyncio
from typing import Any

import pytest

from components.comparing import Answer, answer_of
from webcards.contract import WebError, WebSearchResult, WebSource
from webcards.search.provider import SearchRequest


class Engine:
    """An engine that gives, or raises, or waits for ever."""

    id = "pond"
    label = "the pond"
    options: frozenset[str] = frozenset()

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome

    def available(self) -> str | None:
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        if self._outcome is None:
            await asyncio.Event().wait()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        assert isinstance(self._outcome, WebSearchResult)
        return self._outcome


async def code_of(outcome: Any, seconds: float = 30) -> str:
    answer = await answer_of(Engine(outcome), "tide", seconds)
    assert isinstance(answer.result, WebError)
    assert answer.elapsed_ms >= 0
    return answer.result.code


async def test_an_answer_is_given_as_it_is() -> None:
    found = WebSearchResult([WebSource("https://a.example/")])
    answer = await answer_of(Engine(found), "tide", 30)
    assert isinstance(answer, Answer)
    assert answer.result == found


@pytest.mark.parametrize("fault", [TypeError("odd"), KeyError("x"), RuntimeError(), OSError("gone")])
async def test_a_fault_of_the_engine_s_own_is_an_error_in_words(fault: Exception) -> None:
    answer = await answer_of(Engine(fault), "tide", 30)
    assert isinstance(answer.result, WebError)
    assert answer.result.code == "WEB_PROVIDER_ERROR"
    assert (
        answer.result.message
        == f"the pond failed because of a fault of its own ({type(fault).__name__}); the log has more."
    )


async def test_an_error_of_the_seam_stays_what_it_is() -> None:
    assert await code_of(WebError("WEB_RATE_LIMITED", "Wait.")) == "WEB_RATE_LIMITED"


async def test_an_engine_that_never_answers_is_given_up() -> None:
    assert await code_of(None, 0.01) == "WEB_FETCH_TIMEOUT"
