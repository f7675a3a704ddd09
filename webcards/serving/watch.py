"""Watches one call of the app: while it runs and when it settles, the metrics and the log hear of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from webcards.contract import ErrorData, ToolCallEvent, ToolResultEvent, args_of_event, present_fields
from webcards.serving.logs import CallLog
from webcards.serving.metrics import Metrics, Outcome, known_code, known_tool
from webcards.store.recorder import Executed
from webcards.store.recording import host_of

E = TypeVar("E", bound=Executed)


async def watched(
    call: ToolCallEvent,
    settle: Callable[[], Awaitable[E]],
    *,
    metrics: Metrics,
    log: CallLog | None,
    email: str | None,
) -> E:
    """Settles the call and tells of it, a cancelled one too. Raises no more than `settle`."""
    tool, began = known_tool(call.data.name), time.perf_counter()

    def tell(code: str | None, ms: float) -> None:
        outcome: Outcome = "ok" if code is None else "error"
        metrics.settled(tool, outcome, ms / 1000, code=code)
        if log is not None:
            log.settled(
                call=call.data.call_id,
                tool=tool,
                outcome=outcome,
                ms=ms,
                host=_host(call),
                code=code,
                email=email,
            )

    with metrics.running(tool):
        try:
            execution = await settle()
        except asyncio.CancelledError:
            tell("WEB_ABORTED", (time.perf_counter() - began) * 1000)
            raise
    tell(_code(execution.result), execution.elapsed_ms)
    return execution


def _code(result: ToolResultEvent) -> str | None:
    error = result.data.error
    return known_code(error.code) if isinstance(error, ErrorData) else None


def _host(call: ToolCallEvent) -> str | None:
    """The host that a fetch asks for."""
    args = args_of_event(present_fields(call))
    url = args.get("url") if isinstance(args, dict) else None
    return host_of(url) if isinstance(url, str) else None
