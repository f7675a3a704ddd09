"""The index of a log: built as the log is read, kept in SQLite, so that a page of 50 calls never needs the whole log.

Calls stay in the log; the index knows where. Of a packed log, a copy of its unpacked text is kept beside the index.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from msgspec import Struct

from webcards.contract.meta import Refusal
from webcards.logs.filters import Filters
from webcards.logs.index_schema import COLUMNS, SCHEMA, VERSION, Entry
from webcards.logs.model import LoggedCall, LogProblem
from webcards.logs.reread import StaleLogError, reread

PAGE = 50
_ENTRY = (
    "n, call_id, tool, tool_name, format, kind, title, time, ms, status, truncated, is_error, code, fallback_path, "
    "fallback_reason, unfinished, sources, host, problem, (SELECT name FROM members WHERE id = member), line"
)


class Progress(Struct, frozen=True):
    """How far the reading is. `total` is None where the size is not known; `rate` is in bytes a second."""

    done: int
    total: int | None
    calls: int
    problems: int
    rate: float
    finished: bool = False

    @property
    def seconds_left(self) -> float | None:
        """The time that is left at this rate."""
        if self.finished or self.total is None or self.rate <= 0:
            return 0.0 if self.finished else None
        return max(0.0, (self.total - self.done) / self.rate)


OnProgress = Callable[[Progress], None]
_BEGINNING = threading.Lock()


class LogIndex:
    """The index of one log. One connection, for one thread; another thread opens the same path again."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.db = path, connection

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Opens an index, or begins a new one; one that another version wrote is begun anew.

        Raises sqlite3.Error if the file cannot be opened or is no index.
        """
        path = Path(path)
        # The reading and a page open a new index at the same moment: of two that make it one, SQLite refuses the second
        # at once, without the wait that it is told of.
        with _BEGINNING:
            connection = sqlite3.connect(path, timeout=30, isolation_level=None)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                connection.close()
                for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
                    name.unlink(missing_ok=True)
                connection, version = sqlite3.connect(path, timeout=30, isolation_level=None), 0
            if version == 0:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
                connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.executescript("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000")
        return cls(path, connection)

    def close(self) -> None:
        """Closes the connection; the index stays."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def spool(self) -> Path:
        """Where the unpacked text of a packed log is kept."""
        return self.path.with_name(self.path.name + ".text")

    def value(self, key: str) -> Any:
        """Something that was noted about the log, or None."""
        row = self.db.execute("SELECT value FROM log WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def note(self, key: str, value: Any) -> None:
        """Notes something about the log."""
        self.db.execute("INSERT OR REPLACE INTO log VALUES (?, ?)", (key, value))

    def count(self, filters: Filters | None = None) -> int:
        """How many calls there are."""
        where, given = (filters or Filters()).where()
        return int(self.db.execute(f"SELECT count(*) FROM calls WHERE {where}", given).fetchone()[0])  # noqa: S608

    def page(self, number: int = 1, filters: Filters | None = None, size: int = PAGE) -> list[Entry]:
        """The calls of one page, in order. Pages count from 1."""
        where, given = (filters or Filters()).where()
        query = f"SELECT {_ENTRY} FROM calls WHERE {where} ORDER BY n LIMIT ? OFFSET ?"  # noqa: S608
        rows = self.db.execute(query, [*given, size, max(0, number - 1) * size])
        return [_entry(row) for row in rows]

    def entry(self, n: int) -> Entry | None:
        """The call of this number, or None. Calls count from 1."""
        row = self.db.execute(f"SELECT {_ENTRY} FROM calls WHERE n = ?", (n,)).fetchone()  # noqa: S608
        return _entry(row) if row else None

    def place_of(self, n: int, filters: Filters | None = None) -> int:
        """The place (from 1) that a call has in the filtered list, for jumping to its page."""
        where, given = (filters or Filters()).where()
        query = f"SELECT count(*) FROM calls WHERE ({where}) AND n <= ?"  # noqa: S608
        return int(self.db.execute(query, [*given, n]).fetchone()[0])

    def named(self, call_id: str) -> int | None:
        """The number of the first call with this id."""
        row = self.db.execute("SELECT n FROM calls WHERE call_id = ? ORDER BY n LIMIT 1", (call_id,)).fetchone()
        return int(row[0]) if row else None

    def next_after(self, n: int, filters: Filters | None = None) -> int | None:
        """The number of the next call after `n` in the filtered list, or None at its end."""
        where, given = (filters or Filters()).where()
        query = f"SELECT min(n) FROM calls WHERE ({where}) AND n > ?"  # noqa: S608
        found = self.db.execute(query, [*given, n]).fetchone()[0]
        return None if found is None else int(found)

    def last_before(self, n: int, filters: Filters | None = None) -> int | None:
        """The number of the last call before `n` in the filtered list, or None at its beginning."""
        where, given = (filters or Filters()).where()
        query = f"SELECT max(n) FROM calls WHERE ({where}) AND n < ?"  # noqa: S608
        found = self.db.execute(query, [*given, n]).fetchone()[0]
        return None if found is None else int(found)

    def facets(self) -> dict[str, list[tuple[str, int]]]:
        """For each filter with names to choose from, the names and how many calls have them, most frequent first."""
        found = {}
        for column in ("tool", "kind", "format", "code"):
            query = (
                f"SELECT {column}, count(*) FROM calls WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 200"  # noqa: S608
            )
            found[column] = [(str(name), int(count)) for name, count in self.db.execute(query)]
        query = "SELECT host, count(*) FROM hosts GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 200"
        found["host"] = [(str(name), int(count)) for name, count in self.db.execute(query)]
        return found

    def problems(self, limit: int = 200, skip: int = 0) -> list[LogProblem]:
        """What could not be read, in order."""
        rows = self.db.execute(
            "SELECT line, col, message, member FROM problems ORDER BY id LIMIT ? OFFSET ?", (limit, skip)
        )
        return [LogProblem(*row) for row in rows]

    def problem_count(self) -> int:
        """How many things could not be read, those included that the list has no room for."""
        return int(self.value("problems") or 0)

    def call(self, n: int) -> LoggedCall:
        """Reads one call back from the log, by the places of its records.

        Raises KeyError if there is no such call, `StaleLogError` if the log is no longer what was indexed.
        """
        columns = ", ".join(COLUMNS)
        row = self.db.execute(f"SELECT {columns} FROM calls WHERE n = ?", (n,)).fetchone()  # noqa: S608
        if row is None:
            raise KeyError(n)
        fields = dict(zip(COLUMNS, row, strict=True))
        query = (
            "SELECT r.line, r.offset, r.length, r.path, m.name, m.path, m.base "
            "FROM records r JOIN members m ON m.id = r.member WHERE r.n = ? ORDER BY r.k"
        )
        return reread(fields, list(self.db.execute(query, (n,))), self.spool)

    def calls(self, filters: Filters | None = None) -> Iterator[tuple[int, LoggedCall]]:
        """Every call of the filtered list with its number, read back one after another."""
        where, given = (filters or Filters()).where()
        numbers = [row[0] for row in self.db.execute(f"SELECT n FROM calls WHERE {where} ORDER BY n", given)]  # noqa: S608
        for n in numbers:
            yield n, self.call(n)


def _entry(row: tuple[Any, ...]) -> Entry:
    (n, call_id, tool, tool_name, format_name, kind, title, time_, ms, status, truncated, is_error, code, *rest) = row
    path, reason, unfinished, sources, host, problem, member, line = rest
    return Entry(
        n=n,
        call_id=call_id,
        tool=tool,
        tool_name=tool_name,
        format=format_name,
        kind=kind,
        title=title,
        time=time_,
        ms=ms,
        status=status,
        truncated=bool(truncated),
        is_error=bool(is_error),
        code=code,
        fallback=Refusal(path, reason) if path is not None else None,
        unfinished=bool(unfinished),
        sources=sources,
        host=host,
        problem=bool(problem),
        member=member or "",
        line=line,
    )


__all__ = ["PAGE", "LogIndex", "OnProgress", "Progress", "StaleLogError"]
