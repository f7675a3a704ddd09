"""Writing a call: one row when it starts, the rest when it settles. Works in a transaction of the caller's,
or without.

Every statement is built once. PostgreSQL does each of the two in a single one: over a network, a trip is
what costs.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, text, update

from webcards.store.filters import HOUR
from webcards.store.recording import call_row, pack_event, plain, result_row, source_rows
from webcards.store.rollup import OLD_AFTER, note_stale
from webcards.store.schema import calls, payloads, sources

_STARTED = (
    "call_id",
    "started_at",
    "source",
    "person",
    "run_id",
    "tool",
    "host",
    "url",
    "query",
    "outcome",
    "fell_back",
    "dead",
    "stored",
)
_SETTLED = (
    "settled_at",
    "outcome",
    "error_code",
    "status_code",
    "status_class",
    "truncated",
    "provider",
    "bytes",
    "sources",
    "view_kind",
    "elapsed_ms",
    "latency",
    "dead",
    "fell_back",
    "fallback",
    "fallback_path",
    "fallback_reason",
)

_INSERT_CALL = insert(calls)
_INSERT_EVENT = insert(payloads)
_INSERT_SOURCES = insert(sources)
_SETTLE = (
    update(calls)
    .where(calls.c.id == bindparam("record"), calls.c.settled_at.is_(None))
    .values(
        {name: bindparam(f"new_{name}", type_=calls.c[name].type) for name in _SETTLED}
        | {
            "host": func.coalesce(bindparam("new_host", type_=calls.c.host.type), calls.c.host),
            "stored": calls.c.stored + bindparam("new_stored"),
        }
    )
    .returning(calls.c.started_at)
)
_ADD_RESULT = (
    update(payloads).where(payloads.c.call == bindparam("record")).values(result_event=bindparam("new_result"))
)

_OLD = f"(started_at / {HOUR} + 1) * {HOUR} + {OLD_AFTER} < :now"
_NOTE = f"INSERT INTO stale_hours (hour) SELECT started_at / {HOUR}"
_START = f"""
    WITH made AS (
        INSERT INTO calls ({", ".join(_STARTED)}) VALUES ({", ".join(f":{name}" for name in _STARTED)})
        RETURNING id, started_at
    ), noted AS ({_NOTE} FROM made WHERE {_OLD})
    INSERT INTO payloads (call, call_event) SELECT id, :call_event FROM made"""  # noqa: S608 (names of our own)
_START_AT_ONCE = text(f"{_START} RETURNING call")
# What a call's start is worth does not need a wait for the disk: only a crash of the database server itself,
# in the
# half second before it writes by itself, can take it, and then the call has not settled either.
_START_SOON = text(f"{_START}, (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed RETURNING call")
_SETTLE_AT_ONCE = text(
    f"""
    WITH done AS (
        UPDATE calls SET {", ".join(f"{name} = :new_{name}" for name in _SETTLED)},
            host = coalesce(:new_host, host), stored = stored + :new_stored
        WHERE id = :record AND settled_at IS NULL
        RETURNING id, started_at
    ), noted AS ({_NOTE} FROM done WHERE {_OLD}),
    kept AS (UPDATE payloads SET result_event = :new_result FROM done WHERE call = done.id),
    cited AS (
        INSERT INTO sources (call, position, host, url, link)
        SELECT done.id, listed.position, listed.host, listed.url, listed.link
        FROM done, unnest(
            CAST(:positions AS smallint[]), CAST(:hosts AS text[]), CAST(:urls AS text[]), CAST(:links AS
            bigint[])
        ) AS listed (position, host, url, link)
    )
    SELECT started_at FROM done
    """  # noqa: S608 (names of our own)
)


def insert_call(
    connection: Connection,
    event: object,
    *,
    source: str,
    person: str | None,
    run: int | None,
    started_at: int,
    now: int,
    on_disk: bool = True,
) -> int:
    """Records that a call started; gives its record id. Without `on_disk` it need not have reached the disk
    yet.
    """
    built = plain(event)
    packed = pack_event(built)
    row = call_row(built, source=source, started_at=started_at)
    row |= {"person": person, "run_id": run, "stored": len(packed)}
    if connection.dialect.name == "postgresql":
        statement = _START_AT_ONCE if on_disk else _START_SOON
        return int(connection.execute(statement, {**row, "call_event": packed, "now": now}).scalar_one())
    identity = connection.execute(_INSERT_CALL, row).inserted_primary_key
    assert identity is not None
    record = int(identity[0])
    connection.execute(_INSERT_EVENT, {"call": record, "call_event": packed})
    note_stale(connection, [started_at], now)
    return record


def settle_call(
    connection: Connection,
    record: int,
    event: object,
    *,
    elapsed_ms: float | None,
    view_kind: str | None,
    fallback: tuple[str, str] | None,
    details: Mapping[str, Any] | None,
    settled_at: int,
    now: int,
) -> bool:
    """Records how a call settled. False, and nothing written, if it had settled before or was deleted."""
    built = plain(event)
    packed = pack_event(built)
    row = result_row(
        built,
        settled_at=settled_at,
        elapsed_ms=elapsed_ms,
        view_kind=view_kind,
        fallback=fallback,
        details=details,
    )
    values = {f"new_{name}": row.get(name) for name in (*_SETTLED, "host")}
    values |= {"record": record, "new_stored": len(packed)}
    cited = source_rows(built)
    if connection.dialect.name == "postgresql":
        lists = {f"{name}s": [source[name] for source in cited] for name in ("position", "host", "url", "link")}
        done = connection.execute(_SETTLE_AT_ONCE, {**values, **lists, "new_result": packed, "now": now})
        return done.scalar() is not None
    started = connection.execute(_SETTLE, values).scalar()
    if started is None:
        return False
    connection.execute(_ADD_RESULT, {"record": record, "new_result": packed})
    if cited:
        connection.execute(_INSERT_SOURCES, [{"call": record, **source} for source in cited])
    note_stale(connection, [started], now)
    return True
