"""Codex's session files and its `exec --json` output. They log that a search was made and what for, never its sources."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.contents import found_in
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.openai_items import action_call, message_text
from webcards.logs.framing import Row
from webcards.logs.model import LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing
from webcards.logs.turns import give_answer, only_search

NAME = "codex"
_ROWS = (
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
)
_ITEMS = (
    "item.started",
    "item.updated",
    "item.completed",
)
# Both kinds of rows tell of the same search; the second follows the first closely.
_NEAR = 16


def recognises(row: Any) -> bool:
    """A row with a payload of one of the known kinds, or an event with an item."""
    if not isinstance(row, dict):
        return False
    if row.get("type") in _ROWS:
        return isinstance(row.get("payload"), dict)
    if row.get("type") in ("thread.started", "turn.started", "turn.completed"):
        return "item" not in row
    payload = mapping(row.get("payload"))
    if payload.get("type") in ("web_search_call", "web_search_begin", "web_search_end"):
        return True
    return mapping(row.get("item")).get("type") in ("web_search", "agent_message", "mcp_tool_call") and "type" in row


class RolloutReader:
    """Reads a session's rows. The searches of a turn are held until the turn's answer is there."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._turn: list[Draft] = []
        self._recent: deque[tuple[set[str], Draft]] = deque(maxlen=_NEAR)
        self._said = ""
        self._said_row: Row | None = None

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one row."""
        event = mapping(row.value)
        payload = mapping(event.get("payload")) or mapping(event.get("item"))
        kind = payload.get("type")
        match kind:
            case "web_search_call" | "web_search_begin" | "web_search_end" | "web_search":
                self._search(row, event, payload)
            case "function_call" | "custom_tool_call" | "mcp_tool_call" | "mcp_tool_call_begin" | "mcp_tool_call_end":
                self._tool(row, event, payload)
            case "function_call_output" | "custom_tool_call_output":
                self._output(row, text(payload.get("call_id")), payload.get("output"), failed=False)
            case "user_message" | "task_started" | "task_complete" | "turn_aborted":
                self._end_turn()
            case "agent_message" | "message":
                yield from self._message(row, payload)
            case _ if event.get("type") in ("turn.completed", "turn.started", "turn.failed"):
                self._end_turn()
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """What the last turn left."""
        self._end_turn()
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls of the turn that is going on."""
        return self._pairing.waiting(only_search(self._turn), self._end)

    def _search(self, row: Row, event: dict[str, Any], payload: dict[str, Any]) -> None:
        call_id = text(payload.get("id")) or text(payload.get("call_id"))
        tool, args = action_call(payload)
        kind = "event" if payload["type"] in ("web_search_begin", "web_search_end") else "item"
        draft = self._same(kind, call_id, args)
        if draft is None:
            draft = Draft(
                NAME,
                row.position,
                call_id=call_id,
                tool=tool,
                tool_name="web_search",
                args=args,
                time=_time(event),
                raw=row.raw,
            )
            draft.held = True
            self._turn.append(self._pairing.begin(draft))
            self._recent.append(({kind}, draft))
        else:
            draft.add_record(row.position, row.raw)
            draft.call_id = draft.call_id or call_id
            if args is not UNSET and args:
                draft.tool, draft.args = tool, args
        if payload["type"] == "web_search_begin" or event.get("type") == "item.started":
            return
        if draft.result is None:
            self._pairing.settle(draft, LoggedResult(content=[]))
        if isinstance(payload.get("results"), list):
            draft.found = found_in(WEB_SEARCH, draft.args, payload["results"])
        elif draft.found is None:
            draft.found = found_in(draft.tool, draft.args, None)

    def _same(self, kind: str, call_id: str | None, args: Any) -> Draft | None:
        """The draft of the same search: of the same id; or so far told by the other kind of row only, and asking the same."""
        for kinds, draft in self._recent:
            if call_id is not None and draft.call_id == call_id:
                kinds.add(kind)
                return draft
        for kinds, draft in self._recent:
            if kind not in kinds and (draft.call_id is None or call_id is None) and _asked(draft.args) == _asked(args):
                kinds.add(kind)
                return draft
        return None

    def _tool(self, row: Row, event: dict[str, Any], payload: dict[str, Any]) -> None:
        invocation = mapping(payload.get("invocation"))
        name = text(payload.get("name")) or text(payload.get("tool")) or text(invocation.get("tool")) or ""
        call_id = text(payload.get("call_id")) or text(payload.get("id"))
        tool = web_tool(name)
        if tool is None:
            return
        args = decode_inner(payload.get("arguments", payload.get("input", invocation.get("arguments", UNSET))), 1)
        draft = self._pairing.find(call_id)
        if draft is None:
            draft = Draft(
                NAME,
                row.position,
                call_id=call_id,
                tool=tool,
                tool_name=name,
                args=args,
                time=_time(event),
                raw=row.raw,
            )
            draft.held = tool == WEB_SEARCH
            self._turn.append(self._pairing.begin(draft))
        result = payload.get("result")
        if result is not None or payload.get("error"):
            inner = mapping(result)
            whole = inner.get("Ok", inner.get("Err", result))
            failed = "Err" in inner or bool(payload.get("error")) or mapping(whole).get("isError") is True
            self._output(row, call_id, payload.get("error") or whole, failed=failed)

    def _output(self, row: Row, call_id: str | None, output: Any, *, failed: bool) -> None:
        draft = self._pairing.find(call_id)
        if draft is None:
            return
        draft.add_record(row.position, row.raw)
        value = decode_inner(output, 1)
        content = mapping(value).get("content", value if isinstance(value, str) else output)
        result = LoggedResult(content=text_blocks(content), is_error=failed)
        if failed:
            draft.error = LoggedError(message=result.text)
        else:
            draft.found = found_in(draft.tool, draft.args, value)
        self._pairing.settle(draft, result)

    def _message(self, row: Row, payload: dict[str, Any]) -> Iterator[LogItem]:
        if payload.get("role") in ("user", "developer", "system"):
            return
        words, cited = message_text(payload)
        words = words or text(payload.get("message")) or text(payload.get("text")) or ""
        if words and words != self._said:
            self._said, self._said_row = words, row
            yield LoggedAnswer(text=words, cited=tuple(item.url for item in cited), format=NAME, position=row.position)

    def _end(self, search: Draft) -> None:
        if self._said:
            give_answer([search], self._said)
            if self._said_row is not None:
                search.add_record(self._said_row.position, self._said_row.raw)

    def _end_turn(self) -> None:
        if (search := only_search(self._turn)) is not None:
            self._end(search)
        for draft in self._turn:
            draft.held = False
        self._turn, self._said = [], ""
        self._recent.clear()


def _asked(args: Any) -> Any:
    """What a search or a page's opening asks for; some rows repeat it in other words than others."""
    fields = mapping(args)
    queries = fields.get("queries")
    first = queries[0] if isinstance(queries, list) and queries else None
    return fields.get("url") or fields.get("query") or first


def _time(event: dict[str, Any]) -> str | int | float | None:
    time = event.get("timestamp")
    return time if isinstance(time, str | int | float) and not isinstance(time, bool) else None


FORMAT = Format(NAME, recognises, RolloutReader)
