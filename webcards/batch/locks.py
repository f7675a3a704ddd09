"""Who works on a lane of a run: a lock that one process holds, and that is free the moment this process is
gone.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, text

# On PostgreSQL a lock is a number; the first part says that it is one of ours.
_SPACE = 0x7763 << 48


@contextmanager
def lane_lock(engine: Engine, run: int, lane: int) -> Iterator[Connection | None]:
    """Holds the lane's lock: gives a connection that works as long as the lock is held, or None if another
    holds it.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "postgresql":
            yield from _advisory(connection, _SPACE | run << 8 | lane)
        else:
            yield from _file(connection, Path(f"{engine.url.database}-run-{run}-{lane}.lock"))


def _advisory(connection: Connection, key: int) -> Iterator[Connection | None]:
    """PostgreSQL frees the lock when the session ends, however it ends."""
    held = bool(connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar())
    try:
        yield connection if held else None
    finally:
        if held:
            # The session goes, and the lock with it: back in the pool it would keep it.
            connection.invalidate()


def _file(connection: Connection, path: Path) -> Iterator[Connection | None]:
    """A lock on a file beside the database; the system frees it when the process ends, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        held = _try_lock(descriptor) and _is_still(path, descriptor)
        yield connection if held else None
        if held:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether the file that was locked is the one of that name: another may have ended and taken it away
    meanwhile.
    """
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _try_lock(descriptor: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
