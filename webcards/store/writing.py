"""Writing a call: one row when it starts, the rest when it settles, in a transaction of the caller's or by itself.

Every statement is built once. PostgreSQL does each of the two in a single one: over a network, a trip is what costs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import msgspec
from sqlalchemy import Connection, Engine, bindparam, func, insert, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import PoolProxiedConnection

from webcards.store.driver import Row, Statement, first_row, one_row
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

_INSERT_CALL = (
    insert(calls).values({name: bindparam(name, type_=calls.c[name].type) for name in _STARTED}).returning(calls.c.id)
)
_INSERT_EVENT = insert(payloads).values(call=bindparam("record"), call_event=bindparam("event"))
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

# PostgreSQL's own, in the driver's words (driver.py); a part that a call has no use for is left out, as each costs.
_OLD = f"(started_at / {HOUR} + 1) * {HOUR} + {OLD_AFTER} < %(now)s"
_NOTE = f"INSERT INTO stale_hours (hour) SELECT started_at / {HOUR}"


def _start(*, late: bool, soon: bool) -> str:
    """`late`: the call may belong to an hour that is over. `soon`: it need not be on the disk yet.

    What a call's start is worth does not need a wait for the disk: only a crash of the database server itself, in the
    half second before it writes by itself, can take it, and then the call has not settled either.
    """
    noted = f", noted AS ({_NOTE} FROM made WHERE {_OLD})" if late else ""
    relaxed = ", (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed" if soon else ""
    return f"""
        WITH made AS (
            INSERT INTO calls ({", ".join(_STARTED)}) VALUES ({", ".join(f"%({name})s" for name in _STARTED)})
            RETURNING id, started_at
        ){noted}
        INSERT INTO payloads (call, call_event) SELECT id, %(call_event)s FROM made{relaxed} RETURNING call
        """  # noqa: S608 (names of our own)


def _settle(*, cited: bool) -> str:
    """`cited`: the call has sources."""
    listed = """, cited AS (
            INSERT INTO sources (call, position, host, url, link)
            SELECT done.id, listed.position, listed.host, listed.url, listed.link
            FROM done, json_to_recordset(%(listed)s)
                AS listed (position smallint, host text, url text, link bigint)
        )"""
    return f"""
        WITH done AS (
            UPDATE calls SET {", ".join(f"{name} = %(new_{name})s" for name in _SETTLED)},
                host = coalesce(%(new_host)s, host), stored = stored + %(new_stored)s
            WHERE id = %(record)s AND settled_at IS NULL
            RETURNING id, started_at
        ), noted AS ({_NOTE} FROM done WHERE {_OLD}),
        kept AS (UPDATE payloads SET result_event = %(new_result)s FROM done WHERE call = done.id){listed if cited else ""}
        SELECT started_at FROM done
        """  # noqa: S608 (names of our own)


_START_AT_ONCE = {late: _start(late=late, soon=False) for late in (False, True)}
_START_SOON = {late: _start(late=late, soon=True) for late in (False, True)}
_SOON = frozenset(_START_SOON.values())
_SETTLE_AT_ONCE = {cited: _settle(cited=cited) for cited in (False, True)}


class Started(TypedDict):
    """What is known when a call starts, beside its event."""

    source: str
    person: str | None
    run: int | None
    started_at: int
    now: int


class Settled(TypedDict):
    """What is known when a call has settled, beside its event."""

    elapsed_ms: float | None
    view_kind: str | None
    fallback: tuple[str, str] | None
    details: Mapping[str, Any] | None
    settled_at: int
    now: int


def insert_call(connection: Connection, event: object, **facts: Unpack[Started]) -> int:
    """Records that a call started, in the connection's transaction; gives its record id."""
    values = _start_values(event, **facts)
    if connection.dialect.name == "postgresql":
        from webcards.store.postgresql import prepared

        return _identity(prepared(connection.connection, _START_AT_ONCE[_is_late(facts)], values))
    (record,) = one_row(connection, _INSERT_CALL, values)
    first_row(connection, _INSERT_EVENT, {"record": record, "event": values["call_event"]})
    note_stale(connection, [facts["started_at"]], facts["now"])
    return int(record)


def start_statement(event: object, **facts: Unpack[Started]) -> Statement:
    """What records in PostgreSQL that a call started, by itself: its row is the record id. It need not be on the disk yet."""
    return Statement(_START_SOON[_is_late(facts)], _start_values(event, **facts))


def settle_call(connection: Connection, record: int, event: object, **facts: Unpack[Settled]) -> bool:
    """Records how a call settled, in the connection's transaction.

    False, and nothing written, if it had settled before or was deleted.
    """
    values, cited = _settle_values(record, event, **facts)
    if connection.dialect.name == "postgresql":
        from webcards.store.postgresql import prepared

        return prepared(connection.connection, _SETTLE_AT_ONCE[bool(cited)], values | _listed(cited)) is not None
    settled = first_row(connection, _SETTLE, values)
    if settled is None:
        return False
    first_row(connection, _ADD_RESULT, values)
    if cited:
        connection.execute(_INSERT_SOURCES, [{"call": record, **source} for source in cited])
    note_stale(connection, [settled[0]], facts["now"])
    return True


def settle_statement(record: int, event: object, **facts: Unpack[Settled]) -> Statement:
    """What records in PostgreSQL how a call settled, by itself: it has no row, and writes nothing, as in `settle_call`."""
    values, cited = _settle_values(record, event, **facts)
    return Statement(_SETTLE_AT_ONCE[bool(cited)], values | _listed(cited))


def write_statements(engine: Engine, statements: Sequence[Statement]) -> list[Row | DBAPIError]:
    """Writes starts and settles in one trip; gives for each its row, or the error with which it alone failed.

    Those that need not be on the disk yet have a transaction of their own: one that waits would wait for all.
    """
    from webcards.store.postgresql import committing, prepared_together

    soon = [place for place, statement in enumerate(statements) if statement.words in _SOON]
    now = [place for place, statement in enumerate(statements) if statement.words not in _SOON]
    places = [listed for listed in (soon, now) if listed]
    outcomes: dict[int, Row | DBAPIError] = {}
    with committing(engine) as pooled:
        if len(statements) == 1:
            return [_alone(pooled, statements[0])]
        answers = prepared_together(pooled, [[statements[place] for place in listed] for listed in places])
        for listed, answer in zip(places, answers, strict=True):
            if isinstance(answer, DBAPIError):
                # One of them is at fault, and only that one is to fail.
                outcomes |= {place: _alone(pooled, statements[place]) for place in listed}
            else:
                outcomes |= zip(listed, answer, strict=True)
    return [outcomes[place] for place in range(len(statements))]


def _alone(pooled: PoolProxiedConnection, statement: Statement) -> Row | DBAPIError:
    from webcards.store.postgresql import prepared

    try:
        return prepared(pooled, *statement)
    except DBAPIError as error:
        return error


def _start_values(event: object, **facts: Unpack[Started]) -> dict[str, Any]:
    built = plain(event)
    packed = pack_event(built)
    row = call_row(built, source=facts["source"], started_at=facts["started_at"])
    row |= {"person": facts["person"], "run_id": facts["run"], "stored": len(packed)}
    return row | {"call_event": packed, "now": facts["now"]}


def _settle_values(record: int, event: object, **facts: Unpack[Settled]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    built = plain(event)
    packed = pack_event(built)
    row = result_row(
        built,
        settled_at=facts["settled_at"],
        elapsed_ms=facts["elapsed_ms"],
        view_kind=facts["view_kind"],
        fallback=facts["fallback"],
        details=facts["details"],
    )
    values = {f"new_{name}": row.get(name) for name in (*_SETTLED, "host")}
    values |= {"record": record, "new_stored": len(packed), "new_result": packed, "now": facts["now"]}
    return values, source_rows(built)


def _is_late(facts: Started) -> bool:
    """Whether a call that is written now started in an hour that may be over; any other is sure not to have."""
    return facts["now"] - facts["started_at"] > OLD_AFTER


def _identity(row: Row) -> int:
    assert row is not None
    return int(row[0])


def _listed(cited: list[dict[str, Any]]) -> dict[str, str]:
    """The sources as one value; nothing where there are none."""
    return {"listed": msgspec.json.encode(cited).decode()} if cited else {}
