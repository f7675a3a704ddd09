"""Writing a call: one row when it starts, the rest when it settles. For use inside a transaction of the
caller's.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, update

from webcards.store.recording import call_row, pack_event, plain, result_row, source_rows
from webcards.store.rollup import note_stale
from webcards.store.schema import calls, payloads, sources


def insert_call(
    connection: Connection,
    event: object,
    *,
    source: str,
    person: str | None,
    run: int | None,
    started_at: int,
    now: int,
) -> int:
    """Records that a call started; gives its record id."""
    built = plain(event)
    packed = pack_event(built)
    row = call_row(built, source=source, started_at=started_at)
    row |= {"person": person, "run_id": run, "stored": len(packed)}
    identity = connection.execute(insert(calls), row).inserted_primary_key
    assert identity is not None
    record = int(identity[0])
    connection.execute(insert(payloads), {"call": record, "call_event": packed})
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
    row["stored"] = calls.c.stored + len(packed)
    if not row["host"]:
        del row["host"]
    started = connection.execute(
        update(calls)
        .where(calls.c.id == record, calls.c.settled_at.is_(None))
        .values(row)
        .returning(calls.c.started_at)
    ).scalar()
    if started is None:
        return False
    connection.execute(update(payloads).where(payloads.c.call == record).values(result_event=packed))
    if listed := source_rows(built):
        connection.execute(insert(sources), [{"call": record, **cited} for cited in listed])
    note_stale(connection, [started], now)
    return True
