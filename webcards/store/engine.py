"""Engines: one for SQLite in WAL mode, one for PostgreSQL. Every write is one short transaction."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from webcards.store.location import DatabaseError, shown

BUSY_SECONDS = 30
POOL = 5
RESTED_SECONDS = 2.0


def make_engine(url: URL) -> Engine:
    """An engine for the URL. Makes the folder of an SQLite file. Raises DatabaseError where that cannot be."""
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    return _postgresql(url, pool_size=POOL, max_overflow=15)


def make_committing_engine(url: URL) -> Engine:
    """An engine for PostgreSQL whose one connection commits each statement by itself: one writes for all (together.py)."""
    return _postgresql(url, pool_size=1, max_overflow=0, isolation_level="AUTOCOMMIT", pool_reset_on_return=None)


def _postgresql(url: URL, **options: Any) -> Engine:
    engine = create_engine(url, pool_recycle=1800, **options)

    # A connection that has rested may have lost its server meanwhile, and is asked first; one just used is not: under
    # load that would be a trip more for every call.
    @event.listens_for(engine, "checkin")
    def note(_connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        entry.info["rested_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def ask(connection: DBAPIConnection, entry: ConnectionPoolEntry, _proxy: PoolProxiedConnection) -> None:
        if time.monotonic() - entry.info.get("rested_since", time.monotonic()) > RESTED_SECONDS:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error:
                raise DisconnectionError from None

    return engine


def _sqlite(url: URL) -> Engine:
    path = Path(url.database or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{shown(url)}: the folder {path.parent} cannot be made: {error.strerror}"
        raise DatabaseError(msg) from None
    # isolation_level None: the driver begins no transaction of its own, so ours can begin as writers (below).
    arguments: dict[str, Any] = {"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, pool_size=POOL, max_overflow=15)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        # Only a new file takes this; deleted calls then give their room back to the disk (retention.py).
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        # In WAL mode NORMAL keeps every commit over a killed process; only a power cut may take the last
        # ones.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA cache_size=-65536")
        connection.execute("PRAGMA mmap_size=1073741824")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turns writer in mid-transaction fails at once if another wrote meanwhile; one that
        # begins as a
        # writer waits its turn. Reads run outside transactions, and SQLAlchemy tells of them here too.
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
