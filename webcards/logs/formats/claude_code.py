"""Claude Code's logs: the session files it keeps (`toolUseResult`) and its `stream-json` output."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.contract.values import WebSource
from webcards.logs.contents import found_in
from webcards.logs.fields import mapping, mappings, number, sequence, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.anthropic import SERVER_RESULTS, settle_block
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
from webcards.logs.naming import WEB_FETCH, web_tool
from webcards.logs.pairing import Draft, Pairing

NAME = "claude-code"
_SESSION = ("sessionId", "session_id", "uuid")
_MAX_OTHERS = 50_000


def recognises(row: Any) -> bool:
    """A row of a session with a message of content blocks, or the head of a stream."""
    if not isinstance(row, dict) or not any(key in row for key in _SESSION):
        return False
    if row.get("type") == "system" and row.get("subtype") == "init":
        return True
    message = row.get("message")
    if isinstance(message, dict) and row.get("type") in ("assistant", "user"):
        return "role" in message and "content" in message
    return row.get("type") in ("summary", "file-history-snapshot", "queue-operation") and "sessionId" in row


class SessionReader:
    """Reads a session's rows."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._others: dict[str, None] = {}

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one row."""
        event = mapping(row.value)
        blocks = list(mappings(mapping(event.get("message")).get("content")))
        if event.get("type") == "assistant":
            for block in blocks:
                if block.get("type") in ("tool_use", "server_tool_use"):
                    self._use(row, event, block)
                elif block.get("type") in SERVER_RESULTS:
                    self._served(row, block)
            words = "".join(text(block.get("text")) or "" for block in blocks if block.get("type") == "text")
            if words:
                yield LoggedAnswer(text=words, format=NAME, position=row.position)
        elif event.get("type") == "user":
            results = [block for block in blocks if block.get("type") == "tool_result"]
            for block in results:
                self._result(row, event, block, alone=len(results) == 1)
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """The calls that never got a result."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls that have no result yet."""
        return self._pairing.waiting()

    def _use(self, row: Row, event: dict[str, Any], block: dict[str, Any]) -> None:
        name, call_id = text(block.get("name")) or "", text(block.get("id"))
        tool = web_tool(name)
        if tool is None:
            if call_id is not None:
                self._others[call_id] = None
                if len(self._others) > _MAX_OTHERS:
                    del self._others[next(iter(self._others))]
            return
        if call_id is not None:
            self._others.pop(call_id, None)
        draft = Draft(
            NAME,
            row.position,
            call_id=call_id,
            tool=tool,
            tool_name=name,
            args=block.get("input", UNSET),
            time=text(event.get("timestamp")),
            raw=row.raw,
        )
        draft.notes.extend(row.notes)
        self._pairing.begin(draft)

    def _served(self, row: Row, block: dict[str, Any]) -> None:
        """A result of one of the server's own tools, which stands in the assistant's message."""
        draft = self._pairing.find(text(block.get("tool_use_id")))
        if draft is None:
            return
        time = draft.time
        draft.add_record(row.position, row.raw)
        settle_block(draft, block)
        draft.time = time
        if draft.result is not None:
            self._pairing.settle(draft, draft.result)

    def _result(self, row: Row, event: dict[str, Any], block: dict[str, Any], *, alone: bool) -> None:
        call_id = text(block.get("tool_use_id"))
        if call_id in self._others:
            del self._others[call_id]
            return
        structured = event.get("toolUseResult", event.get("tool_use_result")) if alone else None
        result = LoggedResult(content=text_blocks(block.get("content")), is_error=block.get("is_error") is True)
        draft = self._pairing.find(call_id)
        if draft is None:
            draft = self._pairing.begin(_orphan(row, event, call_id, structured))
        else:
            draft.add_record(row.position, row.raw)
            draft.notes.extend(row.notes)
        if result.is_error:
            draft.error = LoggedError(message=result.text)
        else:
            draft.found = _structured(draft, structured) or found_in(draft.tool, draft.args, result.text)
            if result.text.startswith("REDIRECT DETECTED"):
                draft.notes.append("the tool stopped at a redirect to another host and read no page")
        self._pairing.settle(draft, result)


def _orphan(row: Row, event: dict[str, Any], call_id: str | None, structured: Any) -> Draft:
    fields = mapping(structured)
    tool = "unknown"
    args: Any = UNSET
    if "url" in fields and "code" in fields:
        tool = WEB_FETCH
    elif "query" in fields and isinstance(fields.get("results"), list):
        tool = "web_search"
        args = {"query": fields["query"]}
    draft = Draft(
        NAME, row.position, call_id=call_id, tool=tool, args=args, time=text(event.get("timestamp")), raw=row.raw
    )
    draft.notes.append("the log has this result, but not its call")
    return draft


def _structured(draft: Draft, structured: Any) -> Found | None:
    """What the session file keeps beside the text: the page with its status, or the results and the words between them."""
    fields = mapping(structured)
    if draft.tool == WEB_FETCH:
        url = text(fields.get("url")) or text(mapping(draft.args).get("url"))
        code = number(fields.get("code"))
        return FoundPage(url, code if code is not None else UNSET) if url is not None and "code" in fields else None
    results = fields.get("results")
    if not isinstance(results, list):
        return None
    sources: list[WebSource] = []
    words: list[str] = []
    for item in sequence(results):
        if isinstance(item, str):
            words.append(item)
        sources.extend(
            made
            for found in mappings(mapping(item).get("content"))
            if (made := source(found.get("url"), found.get("title"), found.get("snippet"), found.get("page_age")))
        )
    answer = "\n\n".join(part.strip() for part in words if part.strip())
    return FoundSources(sources, answer or UNSET)


FORMAT = Format(NAME, recognises, SessionReader)
