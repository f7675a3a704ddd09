"""The contract's own session logs: JSON Lines of events, of which `tool/call` and `tool/result` make the cards."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.contract.meta import WebFetchMeta, WebSearchMeta, narrow_fetch_meta, narrow_search_meta
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, sequence, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.dsh_scan import Others, SessionScan
from webcards.logs.framing import Row
from webcards.logs.model import LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem, LogProblem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH, web_tool
from webcards.logs.origin import KEY as ORIGIN
from webcards.logs.origin import read_origin
from webcards.logs.pairing import Draft, Pairing

NAME = "dsh"
_UNKNOWN = "unknown"
_TYPES = (
    "tool/call",
    "tool/result",
    "assistant/chunk",
    "assistant/message",
    "tool-call-chunks",
    "session_event",
)


def recognises(row: Any) -> bool:
    """A session's head, or one of the events that make or hold a call."""
    if not isinstance(row, dict):
        return False
    kind = row.get("type")
    if kind == "session":
        return "version" in row
    if kind == "session_event":
        return isinstance(row.get("event"), dict)
    return isinstance(kind, str) and kind in _TYPES and isinstance(row.get("data"), dict)


class SessionReader:
    """Reads a session's events. Calls come out in the order in which they began."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self.scan, self._others = SessionScan(), Others()
        self._announced: dict[str, Draft | None] = {}
        self._step: tuple[Any, Any] = (None, None)

    def feed(self, row: Row) -> list[LogItem]:
        """Takes one event."""
        event = mapping(row.value)
        if event.get("type") == "session_event":
            event = mapping(event.get("event"))
        data = mapping(event.get("data"))
        said: list[LogItem] | None = None
        match event.get("type"):
            case "tool/call":
                self._call(row, event, data)
            case "tool/result":
                self._result(row, event, data)
            case "assistant/chunk":
                self._announce(row, event, data, [mapping(mapping(data.get("chunk")).get("block"))])
            case "tool-call-chunks":
                block = {**data, "type": "tool-call", "arguments": "".join(map(str, sequence(data.get("args"))))}
                self._announce(row, event, data, [block])
            case "assistant/message":
                blocks = list(mappings(mapping(data.get("message")).get("content")))
                self._announce(row, event, data, blocks)
                said = list(_spoken(row, blocks))
            case "session" if "version" in event:
                said = list(self._pairing.rest())
                self._others.ids.clear()
            case _:
                pass
        return [*(said or ()), *self._pairing.ready()]

    def finish(self) -> Iterator[LogItem]:
        """The calls that never got a result."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls that have no result yet."""
        return self._pairing.waiting()

    def _draft(self, row: Row, event: dict[str, Any], call_id: str | None, name: str | None, arguments: Any) -> Draft:
        args = decode_inner(arguments, 1)
        draft = Draft(
            NAME,
            row.position,
            call_id=call_id,
            tool=(name and web_tool(name)) or name or _UNKNOWN,
            tool_name=name,
            args=args if arguments is not None else UNSET,
            time=_time(event),
            raw=row.raw,
        )
        if isinstance(args, str) and args.strip():
            draft.notes.append("the arguments are not whole JSON")
            draft.problems.append(
                LogProblem(row.position.line, 1, "the arguments are not whole JSON", row.position.member)
            )
        draft.notes.extend(row.notes)
        return draft

    def _call(self, row: Row, event: dict[str, Any], data: dict[str, Any]) -> None:
        call_id, name = text(data.get("callId")), text(data.get("name"))
        if name is not None and web_tool(name) is None:
            if call_id is not None:
                self._others.remember(call_id.encode("utf-8", "replace"))
            return
        if call_id is not None and self._others.ids:
            self._others.ids.pop(call_id.encode("utf-8", "replace"), None)
        self._enter_step(data)
        announced = self._announced.get(call_id) if call_id is not None else None
        if call_id is not None:
            self._announced[call_id] = None
        draft = self._draft(row, event, call_id, name, data.get("arguments"))
        if ORIGIN in data:
            draft.tool_name = text(mapping(data[ORIGIN]).get("name")) or draft.tool_name
            draft.origin, _ = read_origin(data)
        if announced is not None and announced.result is None:
            # The model's own words of the same call came first: the place in the order is theirs.
            announced.args, announced.time, announced.position = draft.args, draft.time, draft.position
            announced.records, announced.raw = draft.records, draft.raw
            announced.notes, announced.problems = draft.notes, draft.problems
            return
        self._pairing.begin(draft)

    def _announce(self, row: Row, event: dict[str, Any], data: dict[str, Any], blocks: list[dict[str, Any]]) -> None:
        self._enter_step(data)
        for block in blocks:
            call_id, name = text(block.get("id")), text(block.get("name"))
            if block.get("type") != "tool-call" or call_id is None or name is None or web_tool(name) is None:
                continue
            known = self._announced.get(call_id)
            if known is None and (call_id in self._announced or self._pairing.find(call_id) is not None):
                continue
            draft = self._draft(row, event, call_id, name, block.get("arguments"))
            if known is not None:
                # The model's words again, in full or as far as they had come: the last time counts.
                known.args, known.problems = draft.args, draft.problems
                known.add_record(row.position, row.raw)
                continue
            draft.notes.append("the model wrote this call; the log has no tool/call for it")
            self._announced[call_id] = self._pairing.begin(draft)

    def _enter_step(self, data: dict[str, Any]) -> None:
        """Calls are announced in the step in which they are made; `None`: the log has the call itself."""
        step = (data.get("turn"), data.get("step"))
        if step != self._step:
            self._step, self._announced = step, {}

    def _result(self, row: Row, event: dict[str, Any], data: dict[str, Any]) -> None:
        message = mapping(data.get("message"))
        parts = [part for part in sequence(message.get("content")) if _is_result(part)]
        spoken = text(mapping(message.get("source")).get("callId", data.get("callId")))
        for part in parts or [data]:
            call_id = text(part.get("toolCallId", spoken))
            if call_id is not None and self._others.ids and self._others.forget(call_id.encode("utf-8", "replace")):
                continue
            draft = self._pairing.find(call_id)
            content, failed = part.get("content", []), part.get("isError", data.get("isError"))
            result = LoggedResult(
                content=text_blocks(content),
                is_error=failed is not None and failed is not False,
                meta=data.get("meta", UNSET),
                details=data.get("details", UNSET),
            )
            if draft is None:
                draft = self._pairing.begin(self._orphan(row, event, call_id))
            else:
                draft.add_record(row.position, row.raw)
                draft.notes.extend(row.notes)
            if draft.tool == _UNKNOWN:
                draft.tool = _tool_of(result.meta)
            draft.error = _error(data.get("error"), result)
            if ORIGIN in data:
                draft.origin, draft.found = read_origin(data)
            self._pairing.settle(draft, result)

    def _orphan(self, row: Row, event: dict[str, Any], call_id: str | None) -> Draft:
        """A result whose call is not in the log."""
        draft = Draft(NAME, row.position, call_id=call_id, tool=_UNKNOWN, time=_time(event), raw=row.raw)
        draft.notes.append("the log has this result, but not its call")
        draft.notes.extend(row.notes)
        return draft


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool-result"


def _tool_of(meta: Any) -> str:
    """The tool of a call without a name: known only if its meta is one of the two."""
    if isinstance(narrow_search_meta(meta), WebSearchMeta):
        return WEB_SEARCH
    return WEB_FETCH if isinstance(narrow_fetch_meta(meta), WebFetchMeta) else _UNKNOWN


def _time(event: dict[str, Any]) -> str | int | float | None:
    time = event.get("time")
    return time if isinstance(time, str | int | float) and not isinstance(time, bool) else None


def _error(error: Any, result: LoggedResult) -> LoggedError | None:
    if not isinstance(error, dict) and not result.is_error:
        return None
    fields = mapping(error)
    message = text(fields.get("message")) or (result.text if result.is_error else None)
    return LoggedError(text(fields.get("name")), text(fields.get("code")), message)


def _spoken(row: Row, blocks: list[dict[str, Any]]) -> Iterator[LoggedAnswer]:
    words = "".join(text(block.get("text")) or "" for block in blocks if block.get("type") == "text")
    if words:
        yield LoggedAnswer(text=words, format=NAME, position=row.position)


FORMAT = Format(NAME, recognises, SessionReader, scan=lambda reader: reader.scan.select)
