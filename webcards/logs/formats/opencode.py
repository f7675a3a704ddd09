"""OpenCode's events and stored parts: a tool part is written anew at each change of its state; the last one counts."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.contents import found_in
from webcards.logs.fields import mapping, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import FoundSources, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing

NAME = "opencode"
_SETTLED = (
    "completed",
    "error",
)
_NO_RESULTS = "No search results found"


def recognises(row: Any) -> bool:
    """A tool part with its state, bare or in an event; or another event of such a session."""
    part = _part(row)
    if part.get("type") == "tool" and isinstance(part.get("state"), dict) and isinstance(part.get("tool"), str):
        return True
    return isinstance(row, dict) and "sessionID" in row and isinstance(row.get("part"), dict) and "type" in row


def _part(row: Any) -> dict[str, Any]:
    fields = mapping(row)
    for inner in (fields.get("part"), mapping(fields.get("properties")).get("part"), fields):
        if mapping(inner).get("type") == "tool":
            return mapping(inner)
    return {}


class PartReader:
    """Reads parts."""

    def __init__(self) -> None:
        self._pairing = Pairing()

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one row."""
        part, state = _part(row.value), mapping(_part(row.value).get("state"))
        name = text(part.get("tool")) or ""
        if (tool := web_tool(name)) is not None:
            call_id = text(part.get("callID")) or text(part.get("id"))
            draft = self._pairing.find(call_id)
            if draft is None:
                time = mapping(state.get("time")).get("start", mapping(row.value).get("timestamp"))
                draft = Draft(NAME, row.position, call_id=call_id, tool=tool, tool_name=name, time=time, raw=row.raw)
                self._pairing.begin(draft)
            else:
                draft.add_record(row.position, row.raw)
            self._update(draft, state)
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """The calls that are still pending or running."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls that are pending or running."""
        return self._pairing.waiting()

    def _update(self, draft: Draft, state: dict[str, Any]) -> None:
        if state.get("input") or draft.args is UNSET:
            draft.args = state.get("input", UNSET)
        if state.get("status") not in _SETTLED:
            return
        if state["status"] == "error":
            words = text(state.get("error")) or "the log names no reason"
            draft.error = LoggedError(message=words)
            self._pairing.settle(draft, LoggedResult(content=text_blocks(words), is_error=True))
            return
        output = text(state.get("output")) or ""
        draft.found = found_in(draft.tool, draft.args, output)
        if draft.found is None and draft.tool == WEB_SEARCH and output.startswith(_NO_RESULTS):
            draft.found = FoundSources([])
        self._pairing.settle(draft, LoggedResult(content=text_blocks(output)))


FORMAT = Format(NAME, recognises, PartReader)
