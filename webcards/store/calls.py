"""Recorded calls as a list, a page at a time: the newest, the slowest or the largest first."""

from typing import Any, Literal, assert_never

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, and_, literal_column, or_, select

from webcards.store.filters import Filter
from webcards.store.schema import calls

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
    query = matching(wanted, now).limit(limit + 1)
    if order != "newest":
        query = query.where(literal_column(f"({key.key} > 0)"))
    # Adding nothing keeps the database from going through all calls in this order to find a few of them.
    first = key + 0 if wanted.rare and order != "newest" else key
    query = query.order_by(first.desc(), calls.c.id.desc())
    if cursor := _cursor(following):
        value, record = cursor
        query = query.where(key <= value, or_(key < value, and_(key == value, calls.c.id < record)))
    rows = [call_of(row) for row in connection.execute(query)]
    more = len(rows) > limit
    last = rows[limit - 1] if more else None
    return Page(rows[:limit], f"{getattr(last, str(key.key))!r}~{last.id}" if last else None)


def matching(wanted: Filter, now: int) -> Select[Any]:
    """The calls that the filter means, in no order."""
    since, until = wanted.window(now)
    conditions = wanted.conditions(calls)
    return select(*COLUMNS).where(calls.c.started_at >= since, calls.c.started_at < until, *conditions)


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
