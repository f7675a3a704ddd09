"""Sums over hours and days that are over, so that a year of calls answers like an hour of them.

An hour is summed once, ten minutes after it ended. Whoever writes to an older hour (a late result, an
import, a
deletion) notes it in `stale_hours`, and it is summed again before the next figure is asked for.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select, text

from webcards.store.filters import DAY, HOUR
from webcards.store.hosts import count_days
from webcards.store.latency import pack
from webcards.store.schema import call_hours, calls, host_days, sealed, stale_hours

MINUTE = 60_000
SUM_AFTER = 10 * MINUTE
# Writers call an hour old earlier than readers sum it: a write under way at the boundary is never missed.
OLD_AFTER = 5 * MINUTE
HOURS_AT_ONCE = 48
LOCK = 0x726F6C6C7570
DIMENSIONS = (
    "tool",
    "provider",
    "source",
    "outcome",
    "status_class",
    "error_code",
    "truncated",
    "fell_back",
    "fallback",
)


def note_stale(connection: Connection, times: Iterable[int], now: int) -> None:
    """Notes the hours of calls that were written late. Times are those at which the calls started."""
    old = {time // HOUR for time in times if (time // HOUR + 1) * HOUR + OLD_AFTER < now}
    if old:
        connection.execute(insert(stale_hours), [{"hour": hour} for hour in sorted(old)])


def sealed_until(connection: Connection) -> tuple[int, int]:
    """Up to which hour and which day (exclusive, counted since the epoch) the sums go."""
    rows = {row.what: row.until for row in connection.execute(select(sealed.c.what, sealed.c.until))}
    return rows.get("hours", 0), rows.get("days", 0)


def refresh(engine: Engine, now: int) -> None:
    """Brings the sums up to date, in short transactions; does nothing where nothing is due."""
    hours, days = (now - SUM_AFTER) // HOUR, (now - SUM_AFTER) // DAY
    while _due(engine, hours, days):
        with engine.begin() as connection:
            if not _lock(connection):
                return
            _resum_stale(connection)
            _sum_next_hours(connection, hours)
            _sum_next_days(connection, days)


def _due(engine: Engine, hours: int, days: int) -> bool:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        until_hour, until_day = sealed_until(connection)
        if until_hour < hours or until_day < days:
            return True
        return connection.execute(select(stale_hours.c.id).limit(1)).first() is not None


def _lock(connection: Connection) -> bool:
    """One process at a time; another's sums will do. On SQLite the transaction is the lock."""
    if connection.dialect.name != "postgresql":
        return True
    return bool(connection.execute(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": LOCK}).scalar())


def _resum_stale(connection: Connection) -> None:
    noted = connection.execute(select(stale_hours.c.id, stale_hours.c.hour)).all()
    if not noted:
        return
    until_hour, until_day = sealed_until(connection)
    hours = sorted({row.hour for row in noted if row.hour < until_hour})
    for hour in hours:
        _sum_hours(connection, hour, hour + 1)
    for day in sorted({hour * HOUR // DAY for hour in hours}):
        if day < until_day:
            _sum_days(connection, day, day + 1)
    ids = [row.id for row in noted]
    for start in range(0, len(ids), 500):
        connection.execute(delete(stale_hours).where(stale_hours.c.id.in_(ids[start : start + 500])))


def _sum_next_hours(connection: Connection, target: int) -> None:
    until, _ = sealed_until(connection)
    first = _first_call(connection, until * HOUR)
    start = target if first is None else max(until, first // HOUR)
    end = min(start + HOURS_AT_ONCE, target)
    if end > start:
        _sum_hours(connection, start, end)
    _seal(connection, "hours", max(end, until))


def _sum_next_days(connection: Connection, target: int) -> None:
    _, until = sealed_until(connection)
    first = _first_call(connection, until * DAY)
    start = target if first is None else max(until, first // DAY)
    end = min(start + HOURS_AT_ONCE * HOUR // DAY, target)
    if end > start:
        _sum_days(connection, start, end)
    _seal(connection, "days", max(end, until))


def _first_call(connection: Connection, since: int) -> int | None:
    found: int | None = connection.execute(
        select(func.min(calls.c.started_at)).where(calls.c.started_at >= since)
    ).scalar()
    return found


def _seal(connection: Connection, what: str, until: int) -> None:
    connection.execute(delete(sealed).where(sealed.c.what == what))
    connection.execute(insert(sealed).values(what=what, until=until))


def _sum_hours(connection: Connection, start: int, end: int) -> None:
    """Sums the calls of the hours from `start` up to `end` anew."""
    hour = (calls.c.started_at // HOUR).label("hour")
    keys = [hour, *(calls.c[name] for name in DIMENSIONS)]
    grouped = (
        select(
            *keys,
            calls.c.latency,
            func.count(),
            func.coalesce(func.sum(calls.c.elapsed_ms), 0.0),
            func.coalesce(func.sum(calls.c.bytes), 0),
            func.coalesce(func.sum(calls.c.sources), 0),
        )
        .where(calls.c.started_at >= start * HOUR, calls.c.started_at < end * HOUR)
        .group_by(*keys, calls.c.latency)
    )
    sums: dict[tuple[Any, ...], list[Any]] = defaultdict(lambda: [0, 0.0, 0, 0])
    latencies: dict[tuple[Any, ...], dict[int, int]] = defaultdict(dict)
    for *key, latency, number, elapsed, size, cited in connection.execute(grouped):
        total = sums[tuple(key)]
        for index, value in enumerate((number, float(elapsed), int(size), int(cited))):
            total[index] += value
        if latency is not None:
            latencies[tuple(key)][latency] = number
    connection.execute(delete(call_hours).where(call_hours.c.hour >= start, call_hours.c.hour < end))
    rows = [
        dict(zip(("hour", *DIMENSIONS), key, strict=True))
        | {"calls": total[0], "elapsed_ms": total[1], "bytes": total[2], "sources": total[3]}
        | {"latencies": pack(latencies[key])}
        for key, total in sums.items()
    ]
    if rows:
        connection.execute(insert(call_hours), rows)


def _sum_days(connection: Connection, start: int, end: int) -> None:
    """Counts the hosts of the days from `start` up to `end` anew."""
    connection.execute(delete(host_days).where(host_days.c.day >= start, host_days.c.day < end))
    if rows := count_days(connection, start, end):
        connection.execute(insert(host_days), rows)
