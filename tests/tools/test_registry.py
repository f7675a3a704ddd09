"""Every call ends in two events, whatever happens in between."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from webcards.contract import (
    Refusal,
    WebError,
    WebSearchResult,
    WebSource,
    explain_search_result,
    present_fields,
    present_search_call,
    render_search_output,
    search_meta_from_value,
)
from webcards.tools.registry import Registry, execution_json
from webcards.tools.tool import OnProgress, Outcome, Progress, Tool


class EchoArgs(msgspec.Struct, frozen=True):
    query: str


def tool(
    execute: Callable[[EchoArgs, OnProgress], Awaitable[Outcome[WebSearchResult]]], *, timeout: float = 5
) -> Tool[EchoArgs, WebSearchResult]:
    return Tool(
        name="web_search",
        title="Echo",
        description="Gives one source.",
        parameters={"type": "object", "properties": {"query": {"type": "string"}}},
        args_type=EchoArgs,
        timeout=timeout,
        execute=execute,
        render=lambda value, _: render_search_output(value),
        presentation_meta=lambda value, _: search_meta_from_value(value),
        present_call=present_search_call,
        explain_result=explain_search_result,
    )


async def echo(args: EchoArgs, on_progress: OnProgress) -> Outcome[WebSearchResult]:
    on_progress(Progress("half way", 0.5))
    return Outcome(WebSearchResult([WebSource("https://a.example/", args.query)]), {"provider": "echo"})


def failing(error: BaseException) -> Callable[[EchoArgs, OnProgress], Awaitable[Outcome[WebSearchResult]]]:
    async def execute(args: EchoArgs, on_progress: OnProgress) -> Outcome[WebSearchResult]:
        raise error

    return execute


async def test_a_call_gives_a_call_event_a_result_event_and_a_view() -> None:
    said: list[Progress] = []
    execution = await Registry([tool(echo)]).execute("web_search", {"query": "dues"}, on_progress=said.append)
    printed = execution_json(execution)
    call, result = printed["call"], printed["result"]
    assert isinstance(call, dict)
    assert isinstance(result, dict)
    assert call["type"] == "tool/call"
    assert call["data"]["arguments"] == '{"query": "dues"}'
    assert result["data"]["message"]["source"] == {"kind": "tool", "callId": call["data"]["callId"]}
    assert result["data"]["meta"] == {"sources": [{"url": "https://a.example/", "title": "dues"}], "truncated": False}
    assert result["data"]["details"]["provider"] == "echo"
    assert printed["view"]["title"] == "dues"  # type: ignore[index]
    assert result["time"] >= call["time"]
    assert said == [Progress("half way", 0.5)]
    assert execution.tool_result.text == execution.result.result.text != ""


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (WebError("WEB_RATE_LIMITED", "Wait a little.", retry_after=9), "WEB_RATE_LIMITED", "Error: Wait a little."),
        (WebError("WEB_PROVIDER_ERROR", "half \ud83d"), "WEB_PROVIDER_ERROR", "Error: half \ufffd"),
        (ValueError("secret inside"), "WEB_INTERNAL_ERROR", "ValueError"),
    ],
)
async def test_an_error_becomes_an_error_result_with_its_code(error: Exception, code: str, words: str) -> None:
    execution = await Registry([tool(failing(error))]).execute("web_search", {"query": "x"})
    data = present_fields(execution.result)["data"]
    assert isinstance(data, dict)
    assert data["error"]["code"] == code
    assert execution.tool_result.is_error
    assert words in execution.tool_result.text
    assert "secret" not in execution.tool_result.text
    assert execution.view is None
    assert isinstance(execution.refusal, Refusal)
    assert data["details"].get("retryAfter") == getattr(error, "retry_after", None)


async def test_a_call_that_takes_too_long_ends_as_a_timeout_and_is_cancelled() -> None:
    cancelled = asyncio.Event()

    async def never(args: EchoArgs, on_progress: OnProgress) -> Outcome[WebSearchResult]:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    execution = await Registry([tool(never, timeout=0.01)]).execute("web_search", {"query": "x"})
    assert execution.result.data.error.code == "WEB_FETCH_TIMEOUT"  # type: ignore[union-attr]
    assert "WEBCARDS_SEARCH_TIMEOUT" in execution.tool_result.text
    assert cancelled.is_set()


async def test_cancelling_a_call_cancels_the_request_and_it_can_be_settled_as_aborted() -> None:
    began, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(args: EchoArgs, on_progress: OnProgress) -> Outcome[WebSearchResult]:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    registry = Registry([tool(slow)])
    call = registry.start("web_search", {"query": "x"})
    task = asyncio.create_task(registry.settle(call))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()
    aborted = registry.abort(call, elapsed_ms=40)
    assert aborted.result.data.error.code == "WEB_ABORTED"  # type: ignore[union-attr]
    assert aborted.call is call
    assert aborted.elapsed_ms >= 40


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("web_search", {}, "WEB_INVALID_ARGUMENTS"),
        ("web_search", {"query": []}, "WEB_INVALID_ARGUMENTS"),
        ("web_search", {"query": "x", "nonsense": 1}, "WEB_INVALID_ARGUMENTS"),
        ("web_search", ["query"], "WEB_INVALID_ARGUMENTS"),
        ("web_search", None, "WEB_INVALID_ARGUMENTS"),
        ("web_paint", {}, "WEB_UNKNOWN_TOOL"),
    ],
)
async def test_args_that_do_not_fit_are_an_error_result_that_says_why(name: str, args: Any, code: str) -> None:
    execution = await Registry([tool(echo)]).execute(name, args)
    assert execution.result.data.error.code == code  # type: ignore[union-attr]


async def test_an_argument_given_as_null_counts_as_left_out() -> None:
    execution = await Registry([tool(echo)]).execute("web_search", {"query": None})
    assert "missing argument query" in execution.tool_result.text


async def test_a_tool_that_is_switched_off_cannot_be_called_and_is_not_listed() -> None:
    registry = Registry([tool(echo)], enabled=[])
    execution = await registry.execute("web_search", {"query": "x"})
    assert execution.result.data.error.code == "WEB_TOOL_DISABLED"  # type: ignore[union-attr]
    assert "WEBCARDS_TOOLS" in execution.tool_result.text
    assert registry.tools == []
