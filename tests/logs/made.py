"""Small session logs for the tests: events as the contract words them."""

import json
from typing import Any

SOURCE = {"url": "https://a.example/", "title": "Alpha", "snippet": "Quay dues.", "publishedAt": "2026-11-30"}


def line(event: dict[str, Any]) -> bytes:
    """One event as its line."""
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"


HEAD = line({"type": "session", "version": 0, "id": "s1", "createdAt": 1764550000000})


def call(call_id: str, name: str = "web_search", args: Any = None, step: int = 1, time: int | None = None) -> bytes:
    """A `tool/call`."""
    arguments = json.dumps(args if args is not None else {"queries": [f"query {call_id}"]})
    data = {"turn": 1, "step": step, "callId": call_id, "name": name, "arguments": arguments}
    event: dict[str, Any] = {"type": "tool/call", "data": data}
    return line(event if time is None else {**event, "time": time})


def result(call_id: str, text: str = "Sources:", meta: Any = None, code: str | None = None, step: int = 1) -> bytes:
    """A `tool/result`; with a code, an error."""
    part = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": bool(code),
    }
    message = {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [part]}
    data: dict[str, Any] = {"turn": 1, "step": step, "message": message}
    if meta is not None:
        data["meta"] = meta
    if code:
        data["error"] = {"name": "WebError", "code": code}
    return line({"type": "tool/result", "data": data})


def search(call_id: str, sources: list[dict[str, str]] | None = None, **args: Any) -> bytes:
    """A settled search."""
    meta = {"sources": [SOURCE] if sources is None else sources, "truncated": False}
    return call(call_id, "web_search", args or None) + result(call_id, meta=meta)


def fetch(
    call_id: str, url: str = "https://d.example/", status: int = 200, text: str = "Hi", truncated: bool = False
) -> bytes:
    """A settled fetch."""
    words = f"Fetched {url} (HTTP {status})\n\n{text}"
    meta = {"url": url, "statusCode": status, "truncated": truncated}
    return call(call_id, "web_fetch", {"url": url}) + result(call_id, words, meta)
