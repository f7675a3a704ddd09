"""Which item is next: fair between hosts, never more at once to one host than it may have, never sooner
than its delay.

Knows no clock: the time comes with each question, in milliseconds.
"""

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count


@dataclass(slots=True)
class _Host:
    limit: int
    waiting: deque[int] = field(default_factory=deque)
    active: int = 0
    free_at: int = 0
    queued: bool = False
    starting: bool = False


class Pacer:
    """Positions by host. `limit_of` says how many calls a host may have at once; `delay_ms` lies between
    their starts.
    """

    def __init__(self, limit_of: Callable[[str], int], delay_ms: int) -> None:
        self._limit_of = limit_of
        self._delay = delay_ms
        self._hosts: dict[str, _Host] = {}
        self._ready: list[tuple[int, int, str]] = []
        self._later: list[tuple[int, int, int, str]] = []
        self._order = count()
        self._number = 0

    def __len__(self) -> int:
        """How many items wait."""
        return self._number

    def add(self, position: int, host: str, due_at: int = 0) -> None:
        """Lets an item wait for its turn, not before `due_at`."""
        self._number += 1
        heapq.heappush(self._later, (due_at, next(self._order), position, host))

    def take(self, now: int) -> tuple[int, str] | None:
        """The next item that may start now, with its host; it counts as active until `done`.

        Where there is a delay, the host gives no other before `started`.
        """
        while self._later and self._later[0][0] <= now:
            _, _, position, name = heapq.heappop(self._later)
            host = self._hosts.setdefault(name, _Host(max(self._limit_of(name), 1)))
            host.waiting.append(position)
            self._queue(name, host)
        while self._ready and self._ready[0][0] <= now:
            _, _, name = heapq.heappop(self._ready)
            host = self._hosts[name]
            host.queued = False
            if not host.waiting or host.active >= host.limit:
                continue
            position = host.waiting.popleft()
            host.active += 1
            host.starting = bool(self._delay)
            self._number -= 1
            self._queue(name, host)
            return position, name
        return None

    def started(self, host_name: str, now: int) -> None:
        """The item that was taken has really started: the host's delay counts from here."""
        host = self._hosts[host_name]
        host.starting = False
        host.free_at = now + self._delay
        self._queue(host_name, host)

    def done(self, host_name: str) -> None:
        """One of the host's active items has ended."""
        host = self._hosts[host_name]
        host.active -= 1
        host.starting = False
        self._queue(host_name, host)

    def wake_at(self) -> int | None:
        """When `take` may have something without any `done` before; None: not before one."""
        times = [heap[0][0] for heap in (self._ready, self._later) if heap]
        return min(times) if times else None

    def _queue(self, name: str, host: _Host) -> None:
        if host.waiting and host.active < host.limit and not host.queued and not host.starting:
            host.queued = True
            heapq.heappush(self._ready, (host.free_at, next(self._order), name))
