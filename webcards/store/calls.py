"""Recorded calls as a list, a page at a time: the newest, the slowest or the largest first."""

from typing import Any, Literal, assert_never

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, and_, literal_column, or_, select

from webcards.store.filters import DAY, Filter
from webcards.store.schema import calls

FEW_DAYS = 2 * DAY
Order = Literal["newest", "slowest", "largest"]


class Call(Struct, frozen=True):
    """What the columns say of one call. Times are milliseconds since the epoch; `bytes` is what was read."""

    id: int
    call_id: str
    started_at: int
    settled_at: int | None
    source: str
    person: str | None
    run_id: int | None
    tool: str
    provider: str | None
    host: str | None
    url: str | None
    query: str | None
    outcome: str
    status_code: int | None
    error_code: str | None
    truncated: bool | None
    fell_back: bool
    fallback_path: str | None
    fallback_reason: str | None
    view_kind: str | None
    elapsed_ms: float | None
    bytes: int | None
    sources: int | None

    @property
    def subject(self) -> str:
        """What was asked for: the query or the URL."""
        return self.query or self.url or ""


class Page(Struct, frozen=True):
    """Some calls, and the cursor of those that follow, if any."""

    calls: list[Call]
    following: str | None


COLUMNS = [calls.c[name] for name in Call.__struct_fields__]


def call_of(row: Any) -> Call:
    """A row that begins with COLUMNS as a Call."""
    return Call(*row[: len(COLUMNS)])


def list_calls(
    connection: Connection,
    wanted: Filter,
    *,
    now: int,
    order: Order = "newest",
    following: str | None = None,
    limit: int = 50,
) -> Page:
    """One page of the calls that the filter means. An unknown cursor gives the first page."""
    key = _key(order)
    # Adding nothing to a column keeps its index out of it. The slowest of few calls are found by looking at these few;
    # of many, by walking through all calls from the slowest on, whatever the time, until there are enough.
    first: ColumnElement[Any] = key
    time: ColumnElement[Any] = calls.c.started_at
    if order != "newest":
        since, until = wanted.window(now)
        if wanted.rare or min(until, now) - since < FEW_DAYS:
            first = key + 0
        else:
            time = time + 0
    query = matching(wanted, now, time=time).order_by(first.desc(), calls.c.id.desc()).limit(limit + 1)
    if order != "newest":
        query = query.where(literal_column(f"({key.key} > 0)"))
    if cursor := _cursor(following):
        value, record = cursor
        query = query.where(key <= value, or_(key < value, and_(key == value, calls.c.id < record)))
    rows = [call_of(row) for row in connection.execute(query)]
    more = len(rows) > limit
    last = rows[limit - 1] if more else None
    return Page(rows[:limit], f"{getattr(last, str(key.key))!r}~{last.id}" if last else None)


def matching(wanted: Filter, now: int, *, time: ColumnElement[Any] = calls.c.started_at) -> Select[Any]:
    """The calls that the filter means, in no order. `time` is how the time of a call is written in the query."""
    since, until = wanted.window(now)
    conditions = wanted.conditions(calls)
    return select(*COLUMNS).where(time >= since, time < until, *conditions)


def _key(order: Order) -> ColumnElement[Any]:
    match order:
        case "newest":
            return calls.c.started_at
        case "slowest":
            return calls.c.elapsed_ms
        case "largest":
            return calls.c.bytes
        case _:
            assert_never(order)


def _cursor(text: str | None) -> tuple[float, int] | None:
    value, _, record = (text or "").partition("~")
    try:
        return (float(value) if "." in value or "e" in value else int(value)), int(record)
    except ValueError:
        return None
