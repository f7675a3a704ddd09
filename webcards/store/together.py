"""What several threads want written at the same moment, written as one: a database pays by the trip and by the commit.

Whoever comes while nobody writes does so at once. Whoever comes meanwhile waits, and the first of them then writes for all
who wait: the more there is to write, the less each costs, and none waits for anything but the writing before its own.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError

MOST = 100

W = TypeVar("W")


class _Waiting(Generic[W]):
    """One thread's work. `turn` is let go when the work is done, or when its thread is to write for all (`leads`)."""

    __slots__ = ("leads", "outcome", "turn", "work")

    def __init__(self, work: W) -> None:
        self.work = work
        self.turn = threading.Lock()
        self.turn.acquire()
        self.leads = False
        self.outcome: Any = None


class Together(Generic[W]):
    """Works done in groups by `write`, which gives for each, in their order, its result or the Exception that it failed
    with; what `write` raises, all of its group get.
    """

    def __init__(self, write: Callable[[Sequence[W]], Sequence[Any]]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._queue: list[_Waiting[W]] = []
        self._led = False

    def do(self, work: W) -> Any:
        """Has a work done; gives its result or raises its error."""
        mine = _Waiting(work)
        try:
            with self._lock:
                self._queue.append(mine)
                mine.leads, self._led = not self._led, True
            if not mine.leads:
                mine.turn.acquire()
            if mine.leads:
                self._lead()
        except BaseException:
            self._leave(mine)
            raise
        if isinstance(mine.outcome, Exception):
            raise mine.outcome
        return mine.outcome

    def _lead(self) -> None:
        group: list[_Waiting[W]] = []
        outcomes: Sequence[Any] = ()
        try:
            with self._lock:
                group = self._queue[:MOST]
                del self._queue[:MOST]
            outcomes = self._write([one.work for one in group])
        except Exception as error:
            outcomes = [error] * len(group)
        finally:
            # None where this thread was interrupted.
            outcomes = outcomes or [SQLAlchemyError("the thread that wrote this was interrupted")] * len(group)
            for one, outcome in zip(group, outcomes, strict=True):
                one.outcome, one.leads = outcome, False
                one.turn.release()
            with self._lock:
                self._hand_on()

    def _leave(self, mine: _Waiting[W]) -> None:
        """A thread that was interrupted while it waited must not be waited for."""
        with self._lock:
            if mine in self._queue:
                self._queue.remove(mine)
                if mine.leads:
                    self._hand_on()

    def _hand_on(self) -> None:
        if self._queue:
            self._queue[0].leads = True
            self._queue[0].turn.release()
        else:
            self._led = False
