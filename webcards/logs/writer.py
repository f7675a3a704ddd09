"""Writes calls as a native session log, in the contract's wire format. What reads it back gives the same views."""

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec
from msgspec import UNSET

from webcards.contract.json_text import json_text
from webcards.contract.values import present_fields
from webcards.logs.decode import decode_inner
from webcards.logs.model import LoggedCall
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH
from webcards.logs.origin import KEY, origin_of
from webcards.logs.view import foreign_format


def session_head(session_id: str, created_at: int, **more: Any) -> dict[str, Any]:
    """The first event of a log. `created_at` is in milliseconds since the epoch."""
    return {"type": "session", "version": 0, "id": session_id, "createdAt": created_at, **more}


def event_line(event: object) -> str:
    """One event as its line: compact JSON, no line feed inside, nothing that JSON or UTF-8 cannot hold."""
    plain = present_fields(event) if isinstance(event, msgspec.Struct) else event
    return json_text(plain) + "\n"


def write_session(events: Iterable[object], target: IO[str], *, session_id: str, created_at: int) -> int:
    """Writes a whole log: its head, then the events (structs of the contract, or JSON). Gives the number of events."""
    target.write(event_line(session_head(session_id, created_at)))
    count = 0
    for event in events:
        target.write(event_line(event))
        count += 1
    return count


def session_text(events: Iterable[object], *, session_id: str, created_at: int) -> str:
    """The same log as one text."""
    return "".join([event_line(session_head(session_id, created_at)), *(event_line(event) for event in events)])


def events_of(calls: Iterable[LoggedCall]) -> Iterator[dict[str, Any]]:
    """The `tool/call` and `tool/result` events of calls read from any log, in order.

    Where an id comes again that an unfinished call had, another session begins first: else that call would take the
    later one's result.
    """
    unfinished: set[str] = set()
    for step, call in enumerate(calls, 1):
        call_id = call.call_id if call.call_id is not None else f"call-{step}"
        if call_id in unfinished:
            yield session_head(f"part-{step}", 0)
            unfinished.clear()
        if call.args is not UNSET or call.tool_name is not None or call.result is None:
            yield _call_event(call, call_id, step)
        if call.result is not None:
            yield _result_event(call, call_id, step)
        else:
            unfinished.add(call_id)


def _call_event(call: LoggedCall, call_id: str, step: int) -> dict[str, Any]:
    data: dict[str, Any] = {"turn": 1, "step": step, "callId": call_id}
    if call.tool in (WEB_SEARCH, WEB_FETCH):
        data["name"] = call.tool
    if isinstance(call.args, dict):
        data["arguments"] = json.dumps(call.args, ensure_ascii=False)
    elif isinstance(call.args, str) and decode_inner(call.args, 1) != call.args:
        # A text that happens to be JSON: as a JSON text of its own, or reading would take it for the arguments.
        data["arguments"] = json.dumps(call.args, ensure_ascii=False)
    elif call.args is not UNSET and call.args is not None:
        data["arguments"] = call.args  # as odd as the log has it
    if foreign := foreign_format(call):
        data[KEY] = {"format": foreign, "name": call.tool_name}
    return _timed({"type": "tool/call", "data": data}, call)


def _result_event(call: LoggedCall, call_id: str, step: int) -> dict[str, Any]:
    assert call.result is not None
    part = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": call.result.content,
        "isError": call.result.is_error,
    }
    data: dict[str, Any] = {
        "turn": 1,
        "step": step,
        "message": {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [part]},
    }
    if call.error is not None:
        named = {"name": call.error.name, "code": call.error.code}
        data["error"] = {key: value for key, value in named.items() if value is not None}
    if call.result.meta is not UNSET:
        data["meta"] = call.result.meta
    if call.result.details is not UNSET:
        data["details"] = call.result.details
    if foreign := foreign_format(call):
        data[KEY] = origin_of(foreign, call.found)
    return _timed({"type": "tool/result", "data": data}, call)


def _timed(event: dict[str, Any], call: LoggedCall) -> dict[str, Any]:
    return event if call.time is None else {**event, "time": call.time}
