"""Runs tools: every call ends in one `tool/call` and one `tool/result` event, whatever happens in between."""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct

from webcards.contract import (
    ErrorData,
    Refusal,
    ToolCallEvent,
    ToolResult,
    ToolResultEvent,
    WebError,
    WebResultView,
    args_of_event,
    call_event,
    present_fields,
    result_event,
    without_surrogates,
)
from webcards.tools.tool import OnProgress, Progress, Tool

log = logging.getLogger(__name__)


class Execution(Struct, frozen=True):
    """A settled call: its two events, and the view or the reason why there is none. Times are in milliseconds."""

    call: ToolCallEvent
    result: ToolResultEvent
    outcome: WebResultView | Refusal
    elapsed_ms: float

    @property
    def view(self) -> WebResultView | None:
        return None if isinstance(self.outcome, Refusal) else self.outcome

    @property
    def refusal(self) -> Refusal | None:
        return self.outcome if isinstance(self.outcome, Refusal) else None

    @property
    def args(self) -> object:
        return args_of_event(present_fields(self.call))

    @property
    def tool_result(self) -> ToolResult:
        return self.result.result


def no_progress(progress: Progress) -> None:
    """The listener of a call that nobody watches."""


class Registry:
    """The tools that are switched on, by name."""

    def __init__(self, tools: Iterable[Tool[Any, Any]], *, enabled: Iterable[str] | None = None) -> None:
        self._known = {tool.name: tool for tool in tools}
        self._enabled = set(self._known if enabled is None else enabled)

    @property
    def tools(self) -> list[Tool[Any, Any]]:
        """The tools that may be called."""
        return [tool for name, tool in self._known.items() if name in self._enabled]

    def get(self, name: str) -> Tool[Any, Any]:
        """The tool. Raises `WebError` if there is none of that name or it is switched off."""
        tool = self._known.get(name)
        if tool is None:
            names = ", ".join(self._known)
            raise WebError("WEB_UNKNOWN_TOOL", f"There is no tool {name!r}; there are {names}.")
        if name not in self._enabled:
            raise WebError("WEB_TOOL_DISABLED", f"{name} is switched off; WEBCARDS_TOOLS names the tools that are on.")
        return tool

    def start(self, name: str, args: object, *, call_id: str | None = None) -> ToolCallEvent:
        """The event of a call that starts now; `settle` runs it."""
        return call_event(call_id or f"call_{uuid4().hex[:16]}", name, args, time=_now_ms())

    async def execute(self, name: str, args: object, *, on_progress: OnProgress = no_progress) -> Execution:
        """Runs a call from start to end. Never raises but `CancelledError`, which cancels the request too."""
        return await self.settle(self.start(name, args), on_progress=on_progress)

    async def settle(self, call: ToolCallEvent, *, on_progress: OnProgress = no_progress) -> Execution:
        """Runs a call that has started. An error, a timeout too, becomes an error result with its code."""
        began = time.perf_counter()
        args = args_of_event(present_fields(call))
        try:
            tool = self.get(call.data.name)
            asked = tool.read_args(args)
            async with asyncio.timeout(tool.timeout):
                outcome = await tool.execute(asked, on_progress)
            text = tool.render(outcome.value, asked)
            meta = tool.presentation_meta(outcome.value, asked)
            details = outcome.details
        except WebError as error:
            return self._failed(call, error, began)
        except TimeoutError:
            seconds = f"{self.get(call.data.name).timeout:g}"
            words = f"No answer within {seconds} seconds. Try again, or allow more with {_timeout_setting(call)}."
            return self._failed(call, WebError("WEB_FETCH_TIMEOUT", words), began)
        except Exception as error:
            log.exception("%s failed in a way that it should not", call.data.name)
            kind = type(error).__name__
            words = f"{call.data.name} failed because of a fault of its own ({kind}); the log has more."
            return self._failed(call, WebError("WEB_INTERNAL_ERROR", words), began)
        elapsed = (time.perf_counter() - began) * 1000
        event = result_event(
            call.data.call_id,
            without_surrogates(text),
            meta=meta,
            details={**details, "elapsedMs": round(elapsed, 1)},
            time=_now_ms(),
        )
        return Execution(call, event, tool.explain_result(args, event.result), elapsed)

    def abort(self, call: ToolCallEvent, *, elapsed_ms: float = 0) -> Execution:
        """The execution of a call that was cancelled."""
        error = WebError("WEB_ABORTED", "The call was cancelled before it was done.")
        return self._failed(call, error, time.perf_counter() - elapsed_ms / 1000)

    def _failed(self, call: ToolCallEvent, error: WebError, began: float) -> Execution:
        elapsed = (time.perf_counter() - began) * 1000
        details: dict[str, object] = {"elapsedMs": round(elapsed, 1)}
        if error.retry_after is not None:
            details["retryAfter"] = error.retry_after
        event = result_event(
            call.data.call_id,
            without_surrogates(f"Error: {error.message}"),
            error=ErrorData(type(error).__name__, error.code),
            details=details,
            time=_now_ms(),
        )
        return Execution(call, event, Refusal("$.isError", f"the call failed with {error.code}"), elapsed)


def _timeout_setting(call: ToolCallEvent) -> str:
    return "WEBCARDS_SEARCH_TIMEOUT" if call.data.name == "web_search" else "WEBCARDS_FETCH_TIMEOUT"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def execution_json(execution: Execution) -> dict[str, object]:
    """`{"call": event, "result": event, "view": view or null}`, as JSON."""
    view = execution.view
    return {
        "call": present_fields(execution.call),
        "result": present_fields(execution.result),
        "view": None if view is None else msgspec.to_builtins(view),
    }
