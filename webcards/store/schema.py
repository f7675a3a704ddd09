"""The tables. Times are whole milliseconds since the epoch, UTC: both databases compare and group them alike.

What a figure asks about stands in narrow columns of `calls`; the events themselves are in `payloads`,
compressed.
`call_hours` and `host_days` hold sums over hours and days that are over (see rollup.py).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

metadata = MetaData()

_Id = BigInteger().with_variant(Integer(), "sqlite")

calls = Table(
    "calls",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("call_id", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("settled_at", BigInteger),
    Column("source", Text, nullable=False),
    Column("person", Text),
    Column("run_id", BigInteger),
    Column("tool", Text, nullable=False),
    Column("provider", Text),
    Column("host", Text),
    Column("url", Text),
    Column("query", Text),
    Column("outcome", Text, nullable=False),
    Column("status_code", Integer),
    Column("status_class", SmallInteger),
    Column("error_code", Text),
    Column("truncated", Boolean),
    Column("fell_back", Boolean, nullable=False),
    Column("fallback", Text),
    Column("fallback_path", Text),
    Column("fallback_reason", Text),
    Column("view_kind", Text),
    Column("dead", Boolean, nullable=False),
    Column("elapsed_ms", Float),
    Column("latency", SmallInteger),
    Column("bytes", BigInteger),
    Column("sources", Integer),
    Column("stored", BigInteger, nullable=False),
)

payloads = Table(
    "payloads",
    metadata,
    Column("call", _Id, ForeignKey("calls.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("call_event", LargeBinary, nullable=False),
    Column("result_event", LargeBinary),
)

sources = Table(
    "sources",
    metadata,
    Column("call", _Id, ForeignKey("calls.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("position", SmallInteger, primary_key=True, autoincrement=False),
    Column("host", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("link", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# The calls that a figure leads to are listed newest first; each rare kind of call has an index of its own, so
# that a list of them does not read through all the others.
Index("calls_started", calls.c.started_at)
Index("calls_host", calls.c.host, calls.c.started_at)
for name in ("provider", "error_code", "run_id", "person", "url"):
    column = calls.c[name]
    Index(
        f"calls_{name}",
        column,
        calls.c.started_at,
        sqlite_where=column.is_not(None),
        postgresql_where=column.is_not(None),
    )
for name, condition in {
    "fell_back": calls.c.fell_back.is_(True),
    "truncated": calls.c.truncated.is_(True),
    "unfinished": calls.c.settled_at.is_(None),
}.items():
    Index(f"calls_{name}", calls.c.started_at, sqlite_where=condition, postgresql_where=condition)
dead = calls.c.dead.is_(True)
Index("calls_dead", calls.c.started_at, calls.c.url, sqlite_where=dead, postgresql_where=dead)
Index(
    "calls_status",
    calls.c.status_class,
    calls.c.started_at,
    sqlite_where=calls.c.status_class != 2,
    postgresql_where=calls.c.status_class != 2,
)
Index(
    "calls_elapsed",
    calls.c.elapsed_ms,
    sqlite_where=text("elapsed_ms > 0"),
    postgresql_where=text("elapsed_ms > 0"),
)
Index("calls_bytes", calls.c.bytes, sqlite_where=text("bytes > 0"), postgresql_where=text("bytes > 0"))
Index("sources_host", sources.c.host, sources.c.call)
# A hash of the URL, which is enough to find it and a tenth of its length.
Index("sources_link", sources.c.link)

call_hours = Table(
    "call_hours",
    metadata,
    Column("hour", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("provider", Text),
    Column("source", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("status_class", SmallInteger),
    Column("error_code", Text),
    Column("truncated", Boolean),
    Column("fell_back", Boolean, nullable=False),
    Column("fallback", Text),
    Column("calls", Integer, nullable=False),
    Column("elapsed_ms", Float, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("sources", BigInteger, nullable=False),
    Column("latencies", LargeBinary, nullable=False),
)
Index("call_hours_hour", call_hours.c.hour)

hosts = Table(
    "hosts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("host", Text, nullable=False, unique=True),
)

host_days = Table(
    "host_days",
    metadata,
    Column("day", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("provider", Text),
    Column("source", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("hosts", LargeBinary, nullable=False),
)
Index("host_days_day", host_days.c.day)

sealed = Table(
    "sealed",
    metadata,
    Column("what", Text, primary_key=True),
    Column("until", BigInteger, nullable=False),
)

stale_hours = Table(
    "stale_hours",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("hour", Integer, nullable=False),
)

alerts = Table(
    "alerts",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("measure", Text, nullable=False),
    Column("above", Float, nullable=False),
    Column("filter", Text, nullable=False),
    Column("at_least", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

marks = Table(
    "marks",
    metadata,
    Column("state", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("mark", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("person", Text),
    Column("marked_at", BigInteger, nullable=False),
)
