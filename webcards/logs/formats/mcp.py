"""Traffic of the Model Context Protocol: JSON-RPC calls of tools and their results, or a result alone."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.contents import found_in
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import FoundPage, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing
from webcards.logs.prose import page_in_text, sources_in_text

NAME = "mcp"
_WRAPPERS = ("message", "data", "payload", "msg", "body", "request", "response")


def recognises(row: Any) -> bool:
    """A JSON-RPC message of the protocol, bare or in a wrapper; or a bare result of content blocks."""
    message = _message(row)
    if message.get("jsonrpc") == "2.0":
        return "method" in message or "result" in message or "error" in message
    return _is_result(message) and "role" not in message


def _message(row: Any) -> dict[str, Any]:
    fields = mapping(row)
    if "jsonrpc" in fields:
        return fields
    for key in _WRAPPERS:
        if "jsonrpc" in mapping(fields.get(key)):
            return mapping(fields[key])
    return fields


def _is_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if not isinstance(content, list) or not set(message) <= {"content", "isError", "structuredContent", "_meta"}:
        return False
    return bool(content) and all(
        block.get("type") in ("text", "resource", "resource_link", "image") for block in mappings(content)
    )


class ProtocolReader:
    """Reads messages. A result belongs to the call with its id."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._others: set[str] = set()

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one message."""
        message = _message(row.value)
        time = _time(row.value)
        if message.get("method") == "tools/call":
            self._call(row, message, time)
        elif "method" not in message and ("result" in message or "error" in message) and "jsonrpc" in message:
            self._result(row, _id(message), mapping(message.get("result")), message.get("error"), time)
        elif _is_result(message):
            self._result(row, None, message, None, time)
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """The calls that never got a result."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls that have no result yet."""
        return self._pairing.waiting()

    def _call(self, row: Row, message: dict[str, Any], time: Any) -> None:
        params = mapping(message.get("params"))
        name, call_id = text(params.get("name")) or "", _id(message)
        if (tool := web_tool(name)) is None:
            if call_id is not None and len(self._others) < 50_000:
                self._others.add(call_id)
            return
        # Ids begin anew with each connection: the latest call has it.
        self._others.discard(call_id or "")
        draft = Draft(
            NAME,
            row.position,
            call_id=call_id,
            tool=tool,
            tool_name=name,
            args=params.get("arguments", UNSET),
            time=time,
            raw=row.raw,
        )
        draft.notes.extend(row.notes)
        self._pairing.begin(draft)

    def _result(self, row: Row, call_id: str | None, result: dict[str, Any], error: Any, time: Any) -> None:
        if call_id in self._others:
            self._others.discard(call_id or "")
            return
        draft = self._pairing.find(call_id)
        content = text_blocks(result.get("content"))
        if draft is None:
            # Answers to other methods (a list of tools, say) have no content.
            if not content:
                return
            words = "\n".join(text(block.get("text")) or "" for block in mappings(content))
            draft = self._pairing.begin(_orphan(row, call_id, result, words, time))
        else:
            draft.add_record(row.position, row.raw)
            draft.notes.extend(row.notes)
        if error is not None:
            fields = mapping(error)
            words = text(fields.get("message")) or "the log names no reason"
            draft.error = LoggedError(code=str(fields["code"]) if "code" in fields else None, message=words)
            self._pairing.settle(draft, LoggedResult(content=text_blocks(words), is_error=True))
            return
        settled = LoggedResult(content=content, is_error=result.get("isError") is True)
        if settled.is_error:
            draft.error = LoggedError(message=settled.text)
        else:
            draft.found = _found(draft, result, settled)
        self._pairing.settle(draft, settled)


def _found(draft: Draft, result: dict[str, Any], settled: LoggedResult) -> Any:
    structured = result.get("structuredContent")
    found = (
        found_in(draft.tool, draft.args, structured) if structured is not None and draft.tool == WEB_SEARCH else None
    )
    found = found or found_in(draft.tool, draft.args, settled.content)
    if isinstance(found, FoundPage):
        if "<error>Content truncated." in settled.text[-400:]:
            return FoundPage(found.url, found.status_code, True)
        if "<error>No more content available.</error>" in settled.text[-400:]:
            draft.notes.append("the tool found nothing more to read from here on")
    return found


def _orphan(row: Row, call_id: str | None, result: dict[str, Any], words: str, time: Any) -> Draft:
    tool = "unknown"
    if page_in_text(words) is not None:
        tool = WEB_FETCH
    elif sources_in_text(words) is not None or found_in(WEB_SEARCH, UNSET, result) is not None:
        tool = WEB_SEARCH
    draft = Draft(NAME, row.position, call_id=call_id, tool=tool, time=time, raw=row.raw)
    draft.notes.append("the log has this result, but not its call")
    draft.notes.extend(row.notes)
    return draft


def _id(message: dict[str, Any]) -> str | None:
    value = message.get("id")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _time(row: Any) -> Any:
    fields = mapping(row)
    time = fields.get("timestamp", fields.get("time"))
    return time if isinstance(time, str | int | float) and not isinstance(time, bool) else None


FORMAT = Format(NAME, recognises, ProtocolReader)
