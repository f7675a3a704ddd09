"""Events of made-up calls, and a way to record many of them at chosen times."""

from typing import Any

from webcards.contract.events import ErrorData, call_event, result_event
from webcards.store import Store

HOUR = 3_600_000
DAY = 24 * HOUR


def fetch_call(url: str, call_id: str = "c1") -> Any:
    return call_event(call_id, "web_fetch", {"url": url})


def search_call(query: str, call_id: str = "c1") -> Any:
    return call_event(call_id, "web_search", {"query": query})


def fetched(url: str, *, status: int = 200, truncated: bool = False, details: Any = None, text: str = "page") -> Any:
    meta = {"url": url, "statusCode": status, "truncated": truncated}
    return result_event("c1", text, meta=meta, details=details or {})


def found(*urls: str, truncated: bool = False, provider: str = "library") -> Any:
    meta = {"sources": [{"url": url} for url in urls], "truncated": truncated}
    return result_event("c1", "Sources:", meta=meta, details={"provider": provider})


def failed(code: str) -> Any:
    return result_event("c1", f"Error: {code}", error=ErrorData("WebError", code))


def record(store: Store, call: Any, result: Any | None, *, at: int, ms: float = 10, **settle: Any) -> int:
    """Records a call that started at a time and, unless the result is None, settled `ms` later."""
    made = store.start(call, source="app", started_at=at)
    if result is not None:
        assert store.settle(made, result, elapsed_ms=ms, settled_at=at + int(ms), **settle)
    return made
