"""Where the marks of a manual pass are kept: in the store, or in the browser session where no store can be opened."""

from typing import Protocol

import streamlit as st

from components.access import may_run
from components.i18n import _
from components.record import record
from webcards import __version__
from webcards.store import Store
from webcards.store.location import DatabaseError
from webcards.store.marks import Mark, Verdict, clear_mark, list_marks, set_mark
from webcards.store.store import now_ms


class MarksClosedError(PermissionError):
    """Somebody who may only look wants to set marks."""


class Marks(Protocol):
    """The marks of this version of the app."""

    @property
    def place(self) -> str:
        """Where they are kept, in words."""
        ...

    def all(self) -> dict[str, Mark]:
        """All marks, by the state's id."""
        ...

    def put(self, mark: Mark) -> None:
        """Keeps a mark in place of the one that the state had."""
        ...

    def clear(self, states: list[str]) -> None:
        """Takes the marks of these states back."""
        ...


class StoreMarks:
    """Marks in the store: whoever opens the app on it sees them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def place(self) -> str:
        return _("Kept in %(place)s.") % {"place": self._store.location}

    def all(self) -> dict[str, Mark]:
        with self._store.reading() as connection:
            return list_marks(connection, __version__)

    def put(self, mark: Mark) -> None:
        with self._store.writing() as connection:
            set_mark(connection, mark)

    def clear(self, states: list[str]) -> None:
        with self._store.writing() as connection:
            for state in states:
                clear_mark(connection, state, __version__)


class SessionMarks:
    """Marks that last as long as the browser tab."""

    def __init__(self, kept: dict[str, Mark], reason: str) -> None:
        self._kept = kept
        self._reason = reason

    @property
    def place(self) -> str:
        return _("Kept in this tab only: %(reason)s") % {"reason": self._reason}

    def all(self) -> dict[str, Mark]:
        return dict(self._kept)

    def put(self, mark: Mark) -> None:
        self._kept[mark.state] = mark

    def clear(self, states: list[str]) -> None:
        for state in states:
            self._kept.pop(state, None)


def marks_to_change() -> Marks:
    """The marks, for who wants to set or clear some. Raises MarksClosedError for a reader: the store belongs to the team."""
    if not may_run():
        raise MarksClosedError
    return marks()


def marks() -> Marks:
    """The marks of this session: in the store, if it can be opened."""
    try:
        return StoreMarks(record())
    except DatabaseError as error:
        kept: dict[str, Mark] = st.session_state.setdefault("gallery-marks", {})
        return SessionMarks(kept, str(error))


def new_mark(state: str, verdict: Verdict, note: str, person: str) -> Mark:
    """A mark made now."""
    return Mark(state, __version__, verdict, note.strip(), person.strip() or None, now_ms())


def counted(found: dict[str, Mark]) -> dict[Verdict, int]:
    """How many states have each mark."""
    counts: dict[Verdict, int] = {"pass": 0, "fail": 0, "skip": 0}
    for mark in found.values():
        counts[mark.mark] += 1
    return counts
