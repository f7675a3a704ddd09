"""Sessions of managed agents: events `agent.tool_use`, `agent.mcp_tool_use` and their results, bare or as `[method, event]`."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.contents import found_in, search_result_blocks
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing
from webcards.logs.turns import only_search

NAME = "anthropic-managed-agents"
_USES = (
    "agent.tool_use",
    "agent.mcp_tool_use",
    "agent.custom_tool_use",
)
_RESULTS = (
    "agent.tool_result",
    "agent.mcp_tool_result",
    "user.custom_tool_result",
)


def recognises(row: Any) -> bool:
    """An event whose type begins with `agent.`, `session.` or `span.`, alone or after the method that brought it."""
    event = _event(row)
    kind = event.get("type")
    if isinstance(kind, str) and kind.startswith(("agent.", "session.status", "session.thread", "span.model_request")):
        return True
    return (
        isinstance(row, list)
        and len(row) == 2
        and isinstance(row[0], str)
        and row[0].startswith("client.beta.sessions")
    )


def _event(row: Any) -> dict[str, Any]:
    if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str):
        return mapping(row[1])
    return mapping(row)


class AgentReader:
    """Reads a session's events. Calls of one turn are held until the turn's answer is there."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._turn: list[Draft] = []
        self._said: list[tuple[str, Row]] = []

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one event."""
        event = _event(row.value)
        kind = event.get("type")
        if kind in _USES:
            self._use(row, event)
        elif kind in _RESULTS:
            self._result(row, event)
        elif kind == "agent.message":
            yield from self._message(row, event)
        elif kind in ("user.message", "session.status_idle", "session.status_terminated") and not _paused(event):
            self._end_turn()
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """What the last turn left."""
        self._end_turn()
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls of the turn that is going on."""
        return self._pairing.waiting(only_search(self._turn), self._end)

    def _use(self, row: Row, event: dict[str, Any]) -> None:
        name = text(event.get("name")) or ""
        if (tool := web_tool(name)) is None:
            return
        self._said = []
        draft = Draft(
            NAME,
            row.position,
            call_id=text(event.get("id")),
            tool=tool,
            tool_name=name,
            args=event.get("input"),
            time=text(event.get("processed_at")),
            raw=row.raw,
        )
        draft.held = tool == WEB_SEARCH
        self._turn.append(self._pairing.begin(draft))

    def _result(self, row: Row, event: dict[str, Any]) -> None:
        call_id = (
            text(event.get("mcp_tool_use_id"))
            or text(event.get("tool_use_id"))
            or text(event.get("custom_tool_use_id"))
        )
        draft = self._pairing.find(call_id)
        if draft is None:
            return
        content = event.get("content")
        failed = event.get("is_error") is True
        draft.add_record(row.position, row.raw)
        result = LoggedResult(content=_readable(content), is_error=failed)
        if failed:
            draft.error = LoggedError(message=result.text)
        else:
            draft.found = search_result_blocks(content) or found_in(draft.tool, draft.args, result.content)
        self._pairing.settle(draft, result)

    def _message(self, row: Row, event: dict[str, Any]) -> Iterator[LogItem]:
        words = "".join(text(block.get("text")) or "" for block in mappings(event.get("content")))
        if words:
            self._said.append((words, row))
            yield LoggedAnswer(text=words, format=NAME, position=row.position)

    def _end(self, search: Draft) -> None:
        if self._said and isinstance(search.found, FoundSources):
            search.answer("\n\n".join(words for words, _ in self._said))
            for _, row in self._said:
                search.add_record(row.position, row.raw)

    def _end_turn(self) -> None:
        if (search := only_search(self._turn)) is not None:
            self._end(search)
        for draft in self._turn:
            draft.held = False
        self._turn, self._said = [], []


def _paused(event: dict[str, Any]) -> bool:
    return mapping(event.get("stop_reason")).get("type") == "requires_action"


def _readable(content: Any) -> list[Any]:
    blocks = []
    for block in text_blocks(content):
        data = text(mapping(mapping(block).get("source")).get("data"))
        blocks.append({"type": "text", "text": data} if data is not None else block)
    return blocks


FORMAT = Format(NAME, recognises, AgentReader)
