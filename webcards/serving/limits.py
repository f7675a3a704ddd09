"""How many calls one person may start in a while: counted in this process, and in the record that all processes share."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, select

from webcards.store import Store
from webcards.store.schema import calls

MINUTE: Final = 60
DAY: Final = 24 * 3600
MOST_PEOPLE: Final = 10_000
# What a person starts by hand and by a batch; what is imported had been started elsewhere.
COUNTED: Final = ("app", "batch")

NthNewest = Callable[[str, int, float], float | None]
"""When the n-th newest call of a person started, if that was after a time; both in seconds since the epoch."""


class Limit(Struct, frozen=True):
    """At most `calls` starts in any `seconds`."""

    calls: int
    seconds: int


class TooMany(Struct, frozen=True):
    """The limit that a call would break, and from when on (seconds since the epoch) it would not."""

    limit: Limit
    again_at: float


def limits_of(per_minute: int, per_day: int) -> tuple[Limit, ...]:
    """The limits that the settings mean; 0 sets none."""
    wanted = (Limit(per_minute, MINUTE), Limit(per_day, DAY))
    return tuple(limit for limit in wanted if limit.calls)


def broken(limits: Sequence[Limit], nth_newest: NthNewest, person: str, now: float) -> TooMany | None:
    """The limit that a call which starts now would break, the one that keeps waiting longest; None if none."""
    found = [
        TooMany(limit, started + limit.seconds)
        for limit in limits
        if (started := nth_newest(person, limit.calls, now - limit.seconds)) is not None
    ]
    return max(found, key=lambda each: each.again_at, default=None)


class Limiter:
    """Counts the starts of each person against the limits. Safe to share between threads."""

    def __init__(self, limits: Sequence[Limit]) -> None:
        self._limits = tuple(limits)
        self._longest = max((limit.seconds for limit in limits), default=0)
        self._most = max((limit.calls for limit in limits), default=0)
        self._starts: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def take(self, person: str, *, now: float, recorded: NthNewest | None = None) -> TooMany | None:
        """Counts a call that starts now, or says which limit it would break; then it is not counted.

        The record knows the calls of every process, a moment late; this process knows its own at once. A call has to
        be within the limits by both.
        """
        late = broken(self._limits, recorded, person, now) if recorded else None
        with self._lock:
            starts = self._starts.get(person) or deque()
            here = broken(self._limits, lambda _, n, since: _nth_newest(starts, n, since), person, now)
            worst = max((found for found in (late, here) if found), key=lambda found: found.again_at, default=None)
            if worst is None and self._limits:
                starts.append(now)
                self._starts[person] = starts
                self._forget(starts, now)
        return worst

    def _forget(self, starts: deque[float], now: float) -> None:
        """Lets go of what no limit asks for any more; of everybody's, once there are very many people."""
        while starts and (len(starts) > self._most or starts[0] <= now - self._longest):
            starts.popleft()
        if len(self._starts) > MOST_PEOPLE:
            self._starts = {who: kept for who, kept in self._starts.items() if kept and kept[-1] > now - self._longest}


def _nth_newest(starts: deque[float], n: int, since: float) -> float | None:
    found = starts[-n] if len(starts) >= n else None
    return found if found is not None and found > since else None


def nth_newest_recorded(store: Store) -> NthNewest:
    """The same of the calls that the record holds of a person, whichever process ran them."""

    def nth_newest(person: str, n: int, since: float) -> float | None:
        with store.reading() as connection:
            return nth_newest_over(connection)(person, n, since)

    return nth_newest


def nth_newest_over(connection: Connection) -> NthNewest:
    """The same over a connection, which sees what its own transaction has written."""

    def nth_newest(person: str, n: int, since: float) -> float | None:
        query = (
            select(calls.c.started_at)
            .where(calls.c.person == person, calls.c.source.in_(COUNTED), calls.c.started_at > int(since * 1000))
            .order_by(calls.c.started_at.desc())
            .limit(1)
            .offset(n - 1)
        )
        started = connection.execute(query).scalar()
        return None if started is None else started / 1000

    return nth_newest
