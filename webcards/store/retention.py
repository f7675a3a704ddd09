"""Keeping no more than is wanted: calls older than an age, or the oldest beyond a size, go; so does one, or
all.
"""

from sqlalchemy import Connection, Engine, delete, func, select

from webcards.store.filters import DAY
from webcards.store.rollup import note_stale
from webcards.store.schema import call_hours, calls, host_days, hosts, sealed, stale_hours

AT_ONCE = 2_000


def delete_call(connection: Connection, record: int, *, now: int) -> bool:
    """Deletes one call, its events and sources. False if there is none of that id."""
    started = connection.execute(delete(calls).where(calls.c.id == record).returning(calls.c.started_at)).scalar()
    if started is None:
        return False
    note_stale(connection, [started], now)
    return True


def delete_all(connection: Connection) -> int:
    """Deletes every call; gives how many there were."""
    number = connection.execute(delete(calls)).rowcount
    for table in (call_hours, host_days, hosts, sealed, stale_hours):
        connection.execute(delete(table))
    return number


def retain(engine: Engine, *, now: int, max_days: float | None = None, max_bytes: int | None = None) -> int:
    """Deletes calls older than `max_days`, then the oldest until what is stored fits `max_bytes`.

    Gives how many calls went. Works in short transactions, so that recording goes on meanwhile.
    """
    deleted = 0
    if max_days is not None:
        deleted += _delete_before(engine, now - int(max_days * DAY), now)
    if max_bytes is not None:
        while (excess := _stored(engine) - max_bytes) > 0:
            with engine.begin() as connection:
                gone = _delete_oldest(connection, excess, now)
            if not gone:
                break
            deleted += gone
    if deleted:
        _give_back(engine)
    return deleted


def _stored(engine: Engine) -> int:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        return int(connection.execute(select(func.coalesce(func.sum(calls.c.stored), 0))).scalar() or 0)


def _delete_before(engine: Engine, time: int, now: int) -> int:
    deleted = 0
    while True:
        with engine.begin() as connection:
            ids = select(calls.c.id).where(calls.c.started_at < time).order_by(calls.c.started_at).limit(AT_ONCE)
            gone = connection.execute(delete(calls).where(calls.c.id.in_(ids)).returning(calls.c.started_at)).scalars()
            times = list(gone)
            note_stale(connection, times, now)
        deleted += len(times)
        if len(times) < AT_ONCE:
            return deleted


def _delete_oldest(connection: Connection, excess: int, now: int) -> int:
    oldest = connection.execute(
        select(calls.c.id, calls.c.started_at, calls.c.stored).order_by(calls.c.started_at, calls.c.id).limit(AT_ONCE)
    ).all()
    ids, times = [], []
    for row in oldest:
        if excess <= 0:
            break
        ids.append(row.id)
        times.append(row.started_at)
        excess -= row.stored
    for start in range(0, len(ids), 500):
        connection.execute(delete(calls).where(calls.c.id.in_(ids[start : start + 500])))
    note_stale(connection, times, now)
    return len(ids)


def _give_back(engine: Engine) -> None:
    """SQLite keeps freed pages in its file until asked; PostgreSQL's own vacuum sees to it."""
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            # The driver's own cursor: this statement frees a page a step and has to be read to its end.
            connection.connection.cursor().execute("PRAGMA incremental_vacuum").fetchall()
