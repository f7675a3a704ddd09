"""Connections to a finished index: as many as threads need to a file, only one to an index in memory."""

import queue
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote

from webcards.library.index_writer import APPLICATION, VERSION

_BUILD = "Build it with `python -m webcards index`."


class Connections:
    """Lends each connection to one thread at a time."""

    def __init__(self, path: Path | None, base: sqlite3.Connection | None = None) -> None:
        # A finished file is never written again (a new one takes its place), so no reader needs a lock on it.
        self._address = None if path is None else f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._all = [] if base is None else [base]
        self._lock = threading.Lock()
        self._closed = False
        if base is not None:
            self._idle.put(base)

    @classmethod
    def of_index(cls, path: Path) -> Self:
        """Connections to an index file. Raises FileNotFoundError, or ValueError if it is no index of this version."""
        if not path.is_file():
            raise FileNotFoundError(f"There is no search index at {path}. {_BUILD}")
        connections = cls(path)
        try:
            with connections.borrowed() as base:
                mark, version = (
                    base.execute(f"PRAGMA {it}").fetchone()[0] for it in ("application_id", "user_version")
                )
        except sqlite3.Error as error:
            connections.close()
            raise ValueError(f"{path} is no search index ({error}). {_BUILD}") from error
        if (mark, version) != (APPLICATION, VERSION):
            connections.close()
            what = "was built by another version of Web Cards" if mark == APPLICATION else "is no search index"
            raise ValueError(f"{path} {what}. {_BUILD}")
        return connections

    @contextmanager
    def borrowed(self) -> Iterator[sqlite3.Connection]:
        """A connection that no other thread uses meanwhile. Raises ValueError when they are closed."""
        if self._closed:
            raise ValueError("The search index is closed.")
        try:
            base = self._idle.get(block=self._address is None)
        except queue.Empty:
            base = self._open()
        try:
            yield base
        finally:
            self._idle.put(base)

    def close(self) -> None:
        """Close them all; a second time does nothing."""
        with self._lock:
            self._closed = True
            for base in self._all:
                base.close()
            self._all.clear()

    def _open(self) -> sqlite3.Connection:
        assert self._address is not None
        base = sqlite3.connect(self._address, uri=True, check_same_thread=False, isolation_level=None)
        base.execute(f"PRAGMA mmap_size = {1 << 30}")
        with self._lock:
            self._all.append(base)
        return base
