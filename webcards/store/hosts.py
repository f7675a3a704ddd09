"""Hosts: which are cited by searches and fetched most. Days that are over are kept as packed counts, a host
four bytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, case, func, insert, literal, select

from webcards.store.filters import DAY, Filter
from webcards.store.schema import calls, host_days, hosts, sources

_COUNT = np.dtype([("host", "<u4"), ("seen", "<u4"), ("failed", "<u4")])
_SUMMED = {"tool", "provider", "source", "outcome"}
_AT_ONCE = 500
LATEST = 5_000


class Host(Struct, frozen=True):
    """How often a host stood among the sources of a search, was fetched, and how often that failed."""

    host: str
    cited: int
    fetched: int
    failed: int


def top_hosts(connection: Connection, wanted: Filter, *, now: int, until_day: int, limit: int = 20) -> list[Host]:
    """The hosts that were cited and fetched most; `until_day` is how far the sums of days go
    (rollup.sealed_until).

    Where the sums cannot answer the filter, the latest 5,000 calls that it means are counted.
    """
    since, until = wanted.window(now)
    first, last = -(-since // DAY), min(until // DAY, until_day)
    if first >= last or wanted.fields_set - _SUMMED:
        latest = _calls(wanted, since, until).order_by(calls.c.started_at.desc()).limit(LATEST)
        return _most({name: numbers for name, (_, numbers) in _counted(connection, latest).items()}, limit)
    edges = [
        _counted(connection, _calls(wanted, start, end), ids=_ids(connection, start, end))
        for start, end in ((since, first * DAY), (last * DAY, until))
        if start < end
    ]
    sums = _summed(connection, wanted, first, last)
    unknown: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for edge in edges:
        for name, (identity, numbers) in edge.items():
            if identity is not None and identity < sums.shape[1]:
                sums[:, identity] += numbers
            else:
                unknown[name] = [a + b for a, b in zip(unknown[name], numbers, strict=True)]
    seen = sums[0] + sums[1]
    best = np.argsort(-seen, kind="stable")[: limit * 2]
    named = _names(connection, [int(identity) for identity in best if seen[identity]])
    listed = {host: [int(n) for n in sums[:, identity]] for identity, host in named.items()}
    return _most(listed | unknown, limit)


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


def _calls(wanted: Filter, since: int, until: int) -> Select[Any]:
    return select(calls.c.id, calls.c.host, _failed().label("failed")).where(
        calls.c.started_at >= since, calls.c.started_at < until, *wanted.conditions(calls)
    )


def _ids(connection: Connection, since: int, until: int) -> tuple[int, int] | None:
    """Between which ids the calls of a range lie: it keeps the search for their sources to a part of that
    table.
    """
    # Adding nothing keeps the database from walking the ids in order until it meets one of the range.
    query = select(func.min(calls.c.id + 0), func.max(calls.c.id + 0)).where(
        calls.c.started_at >= since, calls.c.started_at < until
    )
    low, high = connection.execute(query).one()
    return None if low is None else (int(low), int(high))


def _counted(
    connection: Connection, wanted: Select[Any], *, ids: tuple[int, int] | None = None
) -> dict[str, tuple[int | None, list[int]]]:
    """By host, counted call by call: its number, if it has one, and how often it was cited, fetched, and
    failed.
    """
    meant = wanted.subquery()
    counts: dict[str, tuple[int | None, list[int]]] = {}
    cited = select(sources.c.host, func.count().label("seen"), literal(0).label("failed")).join(
        meant, meant.c.id == sources.c.call
    )
    if ids is not None:
        cited = cited.where(sources.c.call >= ids[0], sources.c.call <= ids[1])
    fetched = select(meant.c.host, func.count().label("seen"), func.sum(meant.c.failed).label("failed")).where(
        meant.c.host.is_not(None)
    )
    for role, grouped in enumerate((cited.group_by(sources.c.host), fetched.group_by(meant.c.host))):
        found = grouped.subquery()
        query = select(found.c.host, hosts.c.id, found.c.seen, found.c.failed).outerjoin(
            hosts, hosts.c.host == found.c.host
        )
        for name, identity, seen, failed in connection.execute(query):
            numbers = counts.setdefault(name, (identity, [0, 0, 0]))[1]
            numbers[role] += int(seen)
            numbers[2] += int(failed)
    return counts


def _failed() -> Any:
    """1 for a call that gave an error or a page of class 4xx or 5xx, else 0."""
    return case(((calls.c.outcome == "error") | (calls.c.status_class >= 4), 1), else_=0)


def _most(counts: Mapping[str, list[int]], limit: int) -> list[Host]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1][0] - item[1][1], item[0]))
    return [Host(host, *numbers) for host, numbers in ordered[:limit] if any(numbers)]
