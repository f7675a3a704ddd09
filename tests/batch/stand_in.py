"""Tools whose answers a test decides, where what matters is which calls a batch makes, and when."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from webcards.contract import (
    ErrorData,
    ToolCallEvent,
    ToolResultEvent,
    WebFetchResultView,
    args_of_event,
    call_event,
    present_fields,
    result_event,
)
from webcards.tools.registry import Execution


def page(
    call: ToolCallEvent, url: str, *, status: int = 200, title: str = "A page", text: str = "text"
) -> ToolResultEvent:
    meta = {"url": url, "statusCode": status, "truncated": False}
    body = f"Fetched {url} (HTTP {status})\n\n{text}"
    return result_event(call.data.call_id, body, meta=meta, details={"title": title})


def error(call: ToolCallEvent, code: str, **details: Any) -> ToolResultEvent:
    return result_event(call.data.call_id, f"Error: {code}", error=ErrorData("WebError", code), details=details)


Answer = Callable[[ToolCallEvent, str, int], ToolResultEvent]


class StandIn:
    """Answers each call with `answer(call, url, attempt)` after `seconds`, and remembers how busy it was."""

    def __init__(self, answer: Answer | None = None, *, seconds: float = 0) -> None:
        self._answer = answer or (lambda call, url, _: page(call, url))
        self._seconds = seconds
        self.made: Counter[str] = Counter()
        self.active: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.starts: list[tuple[str, float]] = []
        self._made = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def busy(self, calls: int) -> None:
        """Waits until so many calls have been made."""
        while len(self.starts) < calls:
            self._made.clear()
            await self._made.wait()

    def start(self, name: str, args: object, /) -> ToolCallEvent:
        return call_event(uuid4().hex, name, args)

    async def settle(self, call: ToolCallEvent, /) -> Execution:
        args = args_of_event(present_fields(call))
        assert isinstance(args, dict)
        url = str(args.get("url") or args.get("query"))
        host = url.split("/")[2] if "//" in url else ""
        self.made[url] += 1
        self.starts.append((host, time.monotonic()))
        self._made.set()
        for name in ("all", host):
            self.active[name] += 1
            self.most[name] = max(self.most[name], self.active[name])
        try:
            await asyncio.sleep(self._seconds)
            await self.gate.wait()
        finally:
            for name in ("all", host):
                self.active[name] -= 1
        return Execution(
            call, self._answer(call, url, self.made[url]), WebFetchResultView(url=url, truncated=False), 1.0
        )

    def abort(self, call: ToolCallEvent, /) -> Execution:
        return Execution(call, error(call, "WEB_ABORTED"), WebFetchResultView(url="", truncated=False), 1.0)
