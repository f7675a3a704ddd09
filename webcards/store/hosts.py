"""Hosts: which are cited by searches and fetched most. Days that are over are kept as packed counts, a host
four bytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, insert, select

from webcards.store.filters import DAY, Filter
from webcards.store.schema import calls, host_days, hosts, sources

_COUNT = np.dtype([("host", "<u4"), ("seen", "<u4"), ("failed", "<u4")])
_SUMMED = {"tool", "provider", "source", "outcome"}
_AT_ONCE = 500


class Host(Struct, frozen=True):
    """How often a host stood among the sources of a search, was fetched, and how often that failed."""

    host: str
    cited: int
    fetched: int
    failed: int


def top_hosts(connection: Connection, wanted: Filter, *, now: int, until_day: int, limit: int = 20) -> list[Host]:
    """The hosts that were cited and fetched most; `until_day` is how far the sums of days go
    (rollup.sealed_until).
    """
    since, until = wanted.window(now)
    first, last = -(-since // DAY), min(until // DAY, until_day)
    if first >= last or wanted.fields_set - _SUMMED:
        names = _counted(connection, wanted, since, until)
        return _most(((host, numbers) for host, numbers in names.items()), limit)
    names = _counted(connection, wanted, since, first * DAY)
    for host, numbers in _counted(connection, wanted, last * DAY, until).items():
        names[host] = [a + b for a, b in zip(names[host], numbers, strict=True)]
    sums = _summed(connection, wanted, first, last)
    known = host_ids(connection, names)
    unknown = {host: numbers for host, numbers in names.items() if known.get(host, 0) >= sums.shape[1]}
    for host in names.keys() - unknown.keys():
        sums[:, known[host]] += names[host]
    seen = sums[0] + sums[1]
    best = np.argsort(-seen, kind="stable")[: limit * 2]
    named = _names(connection, [int(identity) for identity in best if seen[identity]])
    listed = [(host, [int(n) for n in sums[:, identity]]) for identity, host in named.items()]
    return _most([*listed, *unknown.items()], limit)


def count_days(connection: Connection, start: int, end: int) -> list[dict[str, object]]:
    """The rows of `host_days` for the days from `start` up to `end`."""
    counted: dict[tuple[object, ...], list[tuple[str, int, int]]] = defaultdict(list)
    for role in ("cited", "fetched"):
        host = sources.c.host if role == "cited" else calls.c.host
        day = (calls.c.started_at // DAY).label("day")
        keys = [day, calls.c.tool, calls.c.provider, calls.c.source, calls.c.outcome]
        query = (
            select(*keys, host, func.count(), func.sum(_failed()))
            .select_from(calls.join(sources, sources.c.call == calls.c.id) if role == "cited" else calls)
            .where(calls.c.started_at >= start * DAY, calls.c.started_at < end * DAY, host.is_not(None))
            .group_by(*keys, host)
        )
        for *key, name, seen, failed in connection.execute(query):
            counted[(role, *key)].append((name, int(seen), int(failed)))
    known = _ids_made(connection, {name for rows in counted.values() for name, _, _ in rows})
    made: list[dict[str, object]] = []
    for (kind, day_number, tool, provider, source, outcome), rows in counted.items():
        packed = np.array([(known[name], seen, failed) for name, seen, failed in rows], _COUNT).tobytes()
        made.append(
            {"day": day_number, "role": kind, "tool": tool, "provider": provider}
            | {"source": source, "outcome": outcome, "hosts": packed}
        )
    return made


def host_ids(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """The numbers of those hosts that have one."""
    numbered = select(hosts.c.host, hosts.c.id)
    return {
        host: identity
        for part in _parts(names)
        for host, identity in connection.execute(numbered.where(hosts.c.host.in_(part)))
    }


def _ids_made(connection: Connection, names: set[str]) -> dict[str, int]:
    known = host_ids(connection, names)
    if missing := sorted(names - known.keys()):
        connection.execute(insert(hosts), [{"host": host} for host in missing])
        known |= host_ids(connection, missing)
    return known


def _names(connection: Connection, identities: list[int]) -> dict[int, str]:
    rows = connection.execute(select(hosts.c.id, hosts.c.host).where(hosts.c.id.in_(identities)))
    return {row.id: row.host for row in rows}


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(names)
    for start in range(0, len(ordered), _AT_ONCE):
        yield ordered[start : start + _AT_ONCE]


def _summed(connection: Connection, wanted: Filter, first: int, last: int) -> NDArray[np.int64]:
    """Cited, fetched and failed (the three rows) by host number, over whole days."""
    query = select(host_days.c.role, host_days.c.hosts).where(
        host_days.c.day >= first, host_days.c.day < last, *wanted.conditions(host_days)
    )
    packed: Mapping[str, list[bytes]] = {"cited": [], "fetched": []}
    for role, counts in connection.execute(query):
        packed[role].append(counts)
    cited, fetched = (np.frombuffer(b"".join(packed[role]), _COUNT) for role in ("cited", "fetched"))
    size = 1 + int(max(cited["host"].max(initial=0), fetched["host"].max(initial=0)))
    return np.stack(
        [
            np.bincount(cited["host"], cited["seen"], size),
            np.bincount(fetched["host"], fetched["seen"], size),
            np.bincount(fetched["host"], fetched["failed"], size),
        ]
    ).astype(np.int64)


def _counted(connection: Connection, wanted: Filter, since: int, until: int) -> dict[str, list[int]]:
    """Cited, fetched and failed by host, counted call by call."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    if since >= until:
        return counts
    conditions = [calls.c.started_at >= since, calls.c.started_at < until, *wanted.conditions(calls)]
    cited = (
        select(sources.c.host, func.count())
        .select_from(calls.join(sources, sources.c.call == calls.c.id))
        .where(*conditions)
        .group_by(sources.c.host)
    )
    for host, seen in connection.execute(cited):
        counts[host][0] += int(seen)
    fetched = (
        select(calls.c.host, func.count(), func.sum(_failed()))
        .where(calls.c.host.is_not(None), *conditions)
        .group_by(calls.c.host)
    )
    for host, seen, failed in connection.execute(fetched):
        counts[host][1] += int(seen)
        counts[host][2] += int(failed)
    return counts


def _failed() -> Any:
    """1 for a call that gave an error or a page of class 4xx or 5xx, else 0."""
    return case(((calls.c.outcome == "error") | (calls.c.status_class >= 4), 1), else_=0)


def _most(counts: Iterable[tuple[str, list[int]]], limit: int) -> list[Host]:
    ordered = sorted(counts, key=lambda item: (-item[1][0] - item[1][1], item[0]))
    return [Host(host, *numbers) for host, numbers in ordered[:limit] if any(numbers)]
