"""The dashboard's figures: sums, shares, time series, slices and latency of the calls that a filter means.

Whole hours that are over are taken from the sums (rollup.py), the edges of the range from the calls
themselves.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Connection, Select, Subquery, case, func, literal, select, union_all

from webcards.store import hosts
from webcards.store.filters import DAY, HOUR, Filter
from webcards.store.hosts import Host
from webcards.store.latency import Latency, summarise, unpack
from webcards.store.rollup import DIMENSIONS, sealed_until
from webcards.store.schema import call_hours, calls

MINUTE = 60_000
STEPS = (MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY)
MOST_STEPS = 100

Dimension = Literal[
    "tool", "provider", "source", "outcome", "status_class", "error_code", "truncated", "fallback", "host", "person"
]


class Totals(Struct, frozen=True):
    """Sums over calls. `elapsed_ms` and `bytes` are sums, too; the shares are of the settled calls, 0 to 1."""

    calls: int = 0
    ok: int = 0
    errors: int = 0
    unfinished: int = 0
    fell_back: int = 0
    truncated: int = 0
    elapsed_ms: float = 0.0
    bytes: int = 0
    searches: int = 0
    sources: int = 0

    @property
    def settled(self) -> int:
        return self.ok + self.errors

    @property
    def sources_a_search(self) -> float | None:
        """The mean number of sources of a search that gave a list."""
        return self.sources / self.searches if self.searches else None

    def share(self, count: int) -> float | None:
        """A count as a share of the settled calls; None where none has settled."""
        return count / self.settled if self.settled else None


class Slice(Struct, frozen=True):
    """The sums of the calls with one value of a dimension; `value` is None for the calls that have none."""

    value: str | int | bool | None
    totals: Totals


class Step(Struct, frozen=True):
    """The sums of the calls that started from `start` up to the next step (milliseconds since the epoch)."""

    start: int
    totals: Totals


class Series(Struct, frozen=True):
    """Calls over time: `width` milliseconds a step (a day of the reader's zone may be longer), no step left
    out.
    """

    width: int
    steps: list[Step]


def totals(connection: Connection, wanted: Filter, *, now: int) -> Totals:
    """The sums over all calls that the filter means."""
    rows = _facts(connection, wanted, now)
    return _totals(connection.execute(select(*_sums(rows))).one())


def by(connection: Connection, dimension: Dimension, wanted: Filter, *, now: int, limit: int = 50) -> list[Slice]:
    """The sums for each value of a dimension, most calls first."""
    if dimension in {"host", "person"}:
        rows: Any = _calls_as_facts(wanted, *wanted.window(now), HOUR, calls.c[dimension]).subquery()
    else:
        rows = _facts(connection, wanted, now)
    value = rows.c[dimension]
    query = select(value, *_sums(rows)).group_by(value).order_by(func.sum(rows.c.calls).desc(), value).limit(limit)
    return [Slice(row[0], _totals(row[1:])) for row in connection.execute(query)]


def over_time(connection: Connection, wanted: Filter, *, now: int, zone: ZoneInfo | None = None) -> Series:
    """Calls over time in at most 100 steps or so; steps of a day or more begin at the reader's midnight."""
    since, until = wanted.window(now)
    until = min(until, now)
    if since == 0:
        since = connection.execute(select(func.min(calls.c.started_at))).scalar() or until
    width = next((step for step in STEPS if (until - since) / step <= MOST_STEPS), STEPS[-1])
    wanted = wanted.narrow(since=since, until=max(until, since))
    grain = min(width, HOUR)
    if grain < HOUR:
        rows: Any = _calls_as_facts(wanted, since, until, grain).subquery()
    else:
        rows = _facts(connection, wanted, now)
    found = connection.execute(select(rows.c.moment, *_sums(rows)).group_by(rows.c.moment)).all()
    starts = list(_starts(since, until, width, zone))
    sums: dict[int, Totals] = dict.fromkeys(starts, Totals())
    ordered = sorted(found, key=lambda row: row[0])
    index = 0
    for row in ordered:
        moment = row[0] * grain
        while index + 1 < len(starts) and starts[index + 1] <= moment:
            index += 1
        if starts:
            sums[starts[index]] = _added(sums[starts[index]], _totals(row[1:]))
    return Series(width, [Step(start, sums[start]) for start in starts])


def latency(connection: Connection, wanted: Filter, *, now: int, bins: int = 30) -> Latency:
    """Percentiles, right to 5 %, and the histogram of how long the settled calls took."""
    counts: dict[int, int] = {}
    whole, edges = _windows(connection, wanted, now)
    if whole:
        packed = connection.execute(
            select(call_hours.c.latencies).where(
                call_hours.c.hour >= whole[0], call_hours.c.hour < whole[1], *wanted.conditions(call_hours)
            )
        ).scalars()
        counts = unpack(packed)
    for since, until in edges:
        query = (
            select(calls.c.latency, func.count())
            .where(
                calls.c.started_at >= since,
                calls.c.started_at < until,
                calls.c.latency.is_not(None),
                *wanted.conditions(calls),
            )
            .group_by(calls.c.latency)
        )
        for bucket, number in connection.execute(query):
            counts[bucket] = counts.get(bucket, 0) + number
    return summarise(counts, bins=bins)


def top_hosts(connection: Connection, wanted: Filter, *, now: int, limit: int = 20) -> list[Host]:
    """The hosts that were cited and fetched most."""
    _, until_day = sealed_until(connection)
    return hosts.top_hosts(connection, wanted, now=now, until_day=until_day, limit=limit)


def _windows(connection: Connection, wanted: Filter, now: int) -> tuple[tuple[int, int] | None, list[tuple[int, int]]]:
    """The whole hours that the sums answer, and the ranges (in milliseconds) left for the calls themselves."""
    since, until = wanted.window(now)
    until_hour, _ = sealed_until(connection)
    first, last = -(-since // HOUR), min(until // HOUR, until_hour)
    if not wanted.summed or first >= last:
        return None, [(since, until)]
    return (first, last), [edge for edge in ((since, first * HOUR), (last * HOUR, until)) if edge[0] < edge[1]]


def _facts(connection: Connection, wanted: Filter, now: int) -> Subquery:
    """Rows to sum, with the hour since the epoch as `moment`: sums of whole hours, and single calls at the
    edges.
    """
    whole, edges = _windows(connection, wanted, now)
    arms: list[Select[Any]] = [_calls_as_facts(wanted, since, until, HOUR) for since, until in edges]
    if whole:
        columns = call_hours.c
        arms.append(
            select(
                columns.hour.label("moment"),
                *(columns[name] for name in DIMENSIONS),
                columns.calls,
                columns.elapsed_ms,
                columns.bytes,
                columns.sources,
            ).where(columns.hour >= whole[0], columns.hour < whole[1], *wanted.conditions(call_hours))
        )
    return union_all(*arms).subquery() if len(arms) > 1 else arms[0].subquery()


def _calls_as_facts(wanted: Filter, since: int, until: int, grain: int, *more: Any) -> Select[Any]:
    columns = calls.c
    return select(
        (columns.started_at // grain).label("moment"),
        *(columns[name] for name in DIMENSIONS),
        literal(1).label("calls"),
        columns.elapsed_ms,
        columns.bytes,
        columns.sources,
        *more,
    ).where(columns.started_at >= since, columns.started_at < until, *wanted.conditions(calls))


def _sums(rows: Any) -> list[Any]:
    """One column a field of Totals, in that order."""
    columns = rows.c

    def counted(condition: Any) -> Any:
        return func.coalesce(func.sum(case((condition, columns.calls), else_=0)), 0)

    return [
        func.coalesce(func.sum(columns.calls), 0),
        counted(columns.outcome == "ok"),
        counted(columns.outcome == "error"),
        counted(columns.outcome == "unfinished"),
        counted(columns.fell_back.is_(True)),
        counted(columns.truncated.is_(True)),
        func.coalesce(func.sum(columns.elapsed_ms), 0.0),
        func.coalesce(func.sum(columns.bytes), 0),
        counted((columns.tool == "web_search") & (columns.outcome == "ok")),
        func.coalesce(func.sum(case((columns.tool == "web_search", columns.sources), else_=0)), 0),
    ]


def _totals(values: Any) -> Totals:
    numbers = [float(value) if index == 6 else int(value) for index, value in enumerate(values)]
    return Totals(*numbers)  # type: ignore[arg-type]


def _added(one: Totals, other: Totals) -> Totals:
    return Totals(*(getattr(one, name) + getattr(other, name) for name in Totals.__struct_fields__))


def _starts(since: int, until: int, width: int, zone: ZoneInfo | None) -> Iterator[int]:
    """Where the steps begin: at whole steps, and from a day up at midnights of the zone, whatever its clock
    changes.
    """
    if width < DAY:
        yield from range(since // width * width, max(until, since + 1), width)
        return
    place = zone or UTC
    moment = datetime.fromtimestamp(since / 1000, place).replace(hour=0, minute=0, second=0, microsecond=0)
    while (start := int(moment.timestamp() * 1000)) < until:
        yield start
        moment += timedelta(milliseconds=width)
