"""The AI SDK's messages made of parts, and the same parts as a stream."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.logs.contents import asked_url, found_in
from webcards.logs.decode import decode_inner
from webcards.logs.dialogue import MessagesReader, has_web_calls
from webcards.logs.fields import mapping, mappings, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.anthropic import readable
from webcards.logs.formats.openai_items import action_call
from webcards.logs.formats.tool_messages import has_parts, messages_of
from webcards.logs.framing import Row
from webcards.logs.model import (
    Found,
    FoundPage,
    FoundSources,
    LoggedAnswer,
    LoggedCall,
    LoggedError,
    LoggedResult,
    LogItem,
)
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft
from webcards.logs.turns import only_search

NAME = "ai-sdk"
_STREAM = (
    "tool-input-start",
    "tool-input-available",
    "tool-input-error",
    "tool-output-available",
    "tool-output-error",
    "source-url",
    "start-step",
    "finish-step",
)
_DONE = (
    "output-available",
    "output-error",
    "result",
)


def recognises(row: Any) -> bool:
    """A message with a source, or a web tool's part; a list of such messages; a part of a stream."""
    if _is_conversation(row):
        return True
    if isinstance(row, list):
        return any(_is_message(message) for message in mappings(row))
    fields = mapping(row)
    if fields.get("type") in _STREAM:
        return True
    return _is_message(fields) or any(_is_message(message) for message in mappings(fields.get("messages")))


def _is_conversation(row: Any) -> bool:
    messages, _ = messages_of(row)
    return has_parts(messages) and has_web_calls(messages)


def _is_message(message: dict[str, Any]) -> bool:
    return any(_is_telling(part) for part in _parts(message))


def _is_telling(part: dict[str, Any]) -> bool:
    kind = part.get("type")
    if kind in ("source-url", "source"):
        return True
    name = _tool_name(part)
    return name is not None and "state" in _invocation(part) and web_tool(name) is not None


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    parts = list(mappings(message.get("parts")))
    return parts or [
        {"type": "tool-invocation", "toolInvocation": item} for item in mappings(message.get("toolInvocations"))
    ]


def _invocation(part: dict[str, Any]) -> dict[str, Any]:
    return mapping(part.get("toolInvocation")) or part


def _tool_name(part: dict[str, Any]) -> str | None:
    kind = part.get("type")
    if kind == "dynamic-tool":
        return text(part.get("toolName"))
    if kind == "tool-invocation":
        return text(_invocation(part).get("toolName"))
    if isinstance(kind, str) and kind.startswith("tool-") and kind not in _STREAM:
        return kind.removeprefix("tool-")
    return None


class PartsReader:
    """Reads messages. The parts of a stream are put together until it ends."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._by_id: dict[str, dict[str, Any]] = {}
        self._rows: list[Row] = []
        self._dialogue = MessagesReader(NAME, messages_of)

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one message, a list of them, or one part of a stream."""
        if has_parts(messages_of(row.value)[0]):
            yield from self._dialogue.feed(row)
            return
        fields = mapping(row.value)
        if isinstance(row.value, list) or "parts" in fields or "messages" in fields or "toolInvocations" in fields:
            yield from _document(row)
            return
        if fields.get("type") == "start":
            yield from self.finish()
        self._take(row, fields)
        if fields.get("type") == "finish":
            yield from self.finish()

    def finish(self) -> Iterator[LogItem]:
        """The stream as far as it came."""
        yield from self._dialogue.finish()
        parts, rows = self._parts, self._rows
        self._parts, self._by_id, self._rows = [], {}, []
        if rows:
            yield from _read(parts, rows, "")

    def waiting(self) -> list[LoggedCall]:
        """The calls of the message that is being streamed."""
        items = _read(self._parts, self._rows, "") if self._rows else iter(())
        return self._dialogue.waiting() + [item for item in items if isinstance(item, LoggedCall)]

    def _take(self, row: Row, event: dict[str, Any]) -> None:
        kind, call_id = event.get("type"), text(event.get("toolCallId")) or text(event.get("id")) or ""
        if kind == "text-delta":
            part = self._by_id.get(call_id)
            if part is None:
                part = self._by_id[call_id] = {"type": "text", "text": ""}
                self._parts.append(part)
            part["text"] += text(event.get("delta")) or text(event.get("textDelta")) or ""
        elif kind == "source-url":
            self._parts.append(event)
            self._rows.append(row)
        elif isinstance(kind, str) and kind.startswith("tool-"):
            self._tool(row, kind, call_id, event)

    def _tool(self, row: Row, kind: str, call_id: str, event: dict[str, Any]) -> None:
        part = self._by_id.get(call_id)
        if part is None:
            part = self._by_id[call_id] = {"toolCallId": call_id, "state": "input-streaming"}
            self._parts.append(part)
        if name := text(event.get("toolName")):
            part["type"] = f"tool-{name}"
        if kind == "tool-input-delta":
            pieces = (text(part.get("pieces")) or "") + (text(event.get("inputTextDelta")) or "")
            part["pieces"], part["input"] = pieces, decode_inner(pieces, 1)
        for key in ("input", "output", "errorText"):
            if key in event:
                part[key] = event[key]
        if kind in ("tool-input-available", "tool-output-available", "tool-output-error"):
            part["state"] = kind.removeprefix("tool-")
        self._rows.append(row)


def _document(row: Row) -> Iterator[LogItem]:
    value = row.value
    if isinstance(value, list):
        messages, path = list(mappings(value)), "[{}]"
    elif "parts" in value or "toolInvocations" in value:
        messages, path = [value], ""
    else:
        messages, path = list(mappings(value.get("messages"))), ".messages[{}]"
    for place, message in enumerate(messages):
        if _is_message(message):
            yield from _read(_parts(message), [row], path.format(place) + ".parts[{}]")


def _read(parts: list[dict[str, Any]], rows: list[Row], path: str) -> Iterator[LogItem]:
    drafts: list[Draft] = []
    listed: list[Any] = []
    said: list[str] = []
    for place, part in enumerate(parts):
        name = _tool_name(part)
        if name is not None and (tool := web_tool(name)) is not None:
            drafts.append(_tool_draft(_invocation(part), rows, path.format(place), tool, name))
        elif part.get("type") == "source-url":
            listed.append(source(part.get("url"), part.get("title")))
        elif part.get("type") == "source":
            inner = mapping(part.get("source"))
            listed.append(source(inner.get("url"), inner.get("title")))
        elif part.get("type") == "text" and (drafts or listed or path == ""):
            said.append(text(part.get("text")) or "")
    cited = [item for item in listed if item is not None]
    if cited and not drafts:
        # The parts say which sources the model was given, not how they were searched for.
        draft = _draft(rows, path.format(0), WEB_SEARCH)
        draft.result, draft.found = LoggedResult(content=[]), FoundSources(cited)
        drafts.append(draft)
    words = "".join(said)
    search = only_search(drafts)
    if search is not None and search.result is not None and not search.result.is_error:
        found = search.found if isinstance(search.found, FoundSources) else FoundSources([])
        search.found = FoundSources(found.sources or cited, found.answer, found.truncated)
        search.answer(words)
    yield from (draft.freeze() for draft in drafts)
    if words:
        yield LoggedAnswer(text=words, cited=tuple(item.url for item in cited), format=NAME, position=rows[-1].position)


def _draft(rows: list[Row], path: str, tool: str) -> Draft:
    place = rows[0].position
    draft = Draft(NAME, replace(place, path=place.path + path), tool=tool, raw=rows[0].raw)
    for row in rows[1:]:
        draft.add_record(row.position, row.raw)
    draft.notes.extend(note for row in rows for note in row.notes)
    return draft


def _tool_draft(part: dict[str, Any], rows: list[Row], path: str, tool: str, name: str) -> Draft:
    draft = _draft(rows, path, tool)
    draft.call_id, draft.tool_name = text(part.get("toolCallId")), name
    draft.args = part.get("input", part.get("args", UNSET))
    output = part.get("output", part.get("result"))
    action = mapping(mapping(output).get("action"))
    if action:
        acted, args = action_call(mapping(output))
        draft.tool = acted
        draft.args = draft.args if draft.args not in (UNSET, None, {}) else args
    if part.get("state") not in _DONE:
        return draft
    if part.get("state") == "output-error" or text(part.get("errorText")):
        words = text(part.get("errorText")) or "the log names no reason"
        draft.error, draft.result = LoggedError(message=words), LoggedResult(content=text_blocks(words), is_error=True)
        return draft
    draft.result = LoggedResult(content=_content(draft, output))
    draft.found = _found(draft, output)
    return draft


def _content(draft: Draft, output: Any) -> list[Any]:
    if draft.tool == WEB_FETCH:
        document = mapping(mapping(output).get("content"))
        words, left_out = readable(text(mapping(document.get("source")).get("data")))
        if left_out:
            draft.notes.append(left_out)
        if words:
            return text_blocks(words)
    if any("encryptedContent" in row for row in mappings(output)):
        draft.notes.append("encrypted contents are left out")
        return [{key: value for key, value in row.items() if key != "encryptedContent"} for row in mappings(output)]
    return text_blocks(output)


def _found(draft: Draft, output: Any) -> Found | None:
    if draft.tool == WEB_FETCH:
        recorded = text(mapping(output).get("url")) or asked_url(draft.args)
        return FoundPage(recorded) if recorded else found_in(draft.tool, draft.args, output)
    rows = output if isinstance(output, list) else mapping(output).get("sources")
    if isinstance(rows, list) and (not rows or any("url" in row for row in mappings(rows))):
        sources = [
            source(row.get("url"), row.get("title"), row.get("snippet") or row.get("content"), row.get("pageAge"))
            for row in mappings(rows)
        ]
        return FoundSources([row for row in sources if row is not None])
    return found_in(draft.tool, draft.args, output)


FORMAT = Format(NAME, recognises, PartsReader)
