"""Brings calls and results of one conversation together, and gives them out in the order in which the calls began."""

from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

from msgspec import UNSET

from webcards.logs.model import Found, FoundSources, LoggedCall, LoggedError, LoggedResult, LogProblem, Position

# A call whose result is still missing when so many later ones are settled is given out as unfinished: order is kept
# and memory bounded. Real logs settle all calls of a step before the next step begins.
MAX_WAITING = 512


class Draft:
    """A call that is still being put together."""

    __slots__ = (
        "args",
        "call_id",
        "error",
        "format",
        "found",
        "held",
        "notes",
        "origin",
        "position",
        "problems",
        "raw",
        "records",
        "result",
        "time",
        "tool",
        "tool_name",
    )

    def __init__(
        self,
        format_name: str,
        position: Position,
        *,
        call_id: str | None = None,
        tool: str,
        tool_name: str | None = None,
        args: Any = UNSET,
        time: str | float | None = None,
        raw: bytes = b"",
    ) -> None:
        self.format, self.position = format_name, position
        self.call_id, self.tool, self.tool_name, self.args, self.time = call_id, tool, tool_name, args, time
        self.records: list[Position] = [position]
        self.raw: list[bytes] = [raw] if raw else []
        self.result: LoggedResult | None = None
        self.error: LoggedError | None = None
        self.found: Found | None = None
        self.origin: str | None = None
        self.notes: list[str] = []
        self.problems: list[LogProblem] = []
        self.held = False

    def add_record(self, position: Position, raw: bytes) -> None:
        """Notes one more record of the log that belongs to this call."""
        if position not in self.records:
            self.records.append(position)
            if raw:
                self.raw.append(raw)

    def answer(self, text: str) -> None:
        """Gives the search the answer that was written from it alone."""
        if isinstance(self.found, FoundSources) and self.found.answer is UNSET and text:
            self.found = FoundSources(self.found.sources, text, self.found.truncated)

    def freeze(self) -> LoggedCall:
        """The call as it stands."""
        return LoggedCall(
            call_id=self.call_id,
            tool=self.tool,
            tool_name=self.tool_name,
            args=self.args,
            result=self.result,
            error=self.error,
            found=self.found,
            time=self.time,
            format=self.format,
            origin=self.origin,
            position=self.position,
            records=tuple(self.records),
            raw=tuple(self.raw),
            notes=tuple(self.notes),
            problems=tuple(self.problems),
        )


def _ended(draft: Draft, end: Callable[[Draft], None]) -> Draft:
    ended = copy(draft)
    ended.records, ended.raw = list(draft.records), list(draft.raw)
    end(ended)
    return ended


class Pairing:
    """The calls that wait for their results, or for an earlier call."""

    def __init__(self) -> None:
        self._waiting: deque[Draft] = deque()
        self._open: dict[str, deque[Draft]] = {}

    def begin(self, draft: Draft) -> Draft:
        """Takes a call in. One with the id of a call that is still open is another call: models reuse ids."""
        self._waiting.append(draft)
        if draft.result is None and draft.call_id is not None:
            self._open.setdefault(draft.call_id, deque()).append(draft)
        return draft

    def find(self, call_id: str | None) -> Draft | None:
        """The oldest open call of this id."""
        drafts = self._open.get(call_id) if call_id is not None else None
        return drafts[0] if drafts else None

    def settle(self, draft: Draft, result: LoggedResult) -> None:
        """Gives a call its result."""
        draft.result = result
        drafts = self._open.get(draft.call_id) if draft.call_id is not None else None
        if drafts and draft in drafts:
            drafts.remove(draft)
            if not drafts and draft.call_id is not None:
                del self._open[draft.call_id]

    def ready(self) -> list[LoggedCall]:
        """The calls that can be given out now, in order."""
        given: list[LoggedCall] = []
        waiting = self._waiting
        while waiting and ((waiting[0].result is not None and not waiting[0].held) or len(waiting) > MAX_WAITING):
            given.append(self._give_out())
        return given

    def rest(self) -> Iterator[LoggedCall]:
        """All that are left, at the end of the log."""
        while self._waiting:
            yield self._give_out()

    def waiting(self, search: Draft | None = None, end: Callable[[Draft], None] | None = None) -> list[LoggedCall]:
        """What is not given out yet, as it stands: for a log that is still being written.

        `search` is shown as it would be if the log ended here: `end` gives its copy what it would get then.
        """
        return [(_ended(draft, end) if draft is search and end else draft).freeze() for draft in self._waiting]

    def _give_out(self) -> LoggedCall:
        draft = self._waiting.popleft()
        drafts = self._open.get(draft.call_id) if draft.call_id is not None else None
        if drafts and draft in drafts:
            drafts.remove(draft)
            if not drafts and draft.call_id is not None:
                del self._open[draft.call_id]
        return draft.freeze()
