"""Builds the index of a log while reading it, reports how far it is, and keeps up with a log that still grows."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from webcards.logs.dispatch import Dispatch, format_called, format_key
from webcards.logs.format import Format
from webcards.logs.framing import Framed
from webcards.logs.index import LogIndex, OnProgress, Progress
from webcards.logs.index_schema import COLUMNS, Shown, call_row, words_of
from webcards.logs.model import LoggedCall, LogItem, LogProblem, Position
from webcards.logs.opening import Member, Meter, Peeked, Source, members, size_of
from webcards.logs.reading import EMPTY, NO_CALL, dispatch_for, read_member

# A commit makes what was read visible to the page: often at first, when people wait for the first cards.
_FIRST_COMMITS = 50
_SECONDS_BETWEEN = 0.5
_MAX_PROBLEMS = 10_000
_INSERT = f"INSERT INTO calls VALUES ({', '.join(':' + column for column in COLUMNS)})"  # noqa: S608


class _Tail:
    """The growing end of one plain file of lines."""

    def __init__(self, path: Path, framed: Framed, dispatch: Dispatch, member: int) -> None:
        self.path, self.framed, self.dispatch, self.member = path, framed, dispatch, member
        self._inode = path.stat().st_ino

    def was_replaced(self) -> bool:
        """Whether the file is another one now, or shorter than what was read of it."""
        try:
            now = self.path.stat()
        except OSError:
            return True
        return now.st_ino != self._inode or now.st_size < self.framed.bytes_read

    def further(self) -> Iterator[LogItem]:
        """The items of the whole lines since the last time."""
        for record in self.framed.appended(self.path, self.dispatch.scan()):
            yield from self.dispatch.take(record)


class _Tee:
    """Copies a stream into a file as it is read."""

    def __init__(self, stream: Peeked, copy: IO[bytes]) -> None:
        self._stream, self._copy = stream, copy

    @property
    def problem(self) -> str | None:
        return self._stream.problem

    def read(self, size: int) -> bytes:
        part = self._stream.read(size)
        self._copy.write(part)
        return part


class Indexing:
    """The making of one index. `run` reads the log once; `follow` then reads what was appended to it since."""

    def __init__(
        self,
        index: LogIndex,
        source: Source,
        *,
        name: str = "",
        format_name: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._index, self._source, self._name = index, source, name
        self._forced: Format | None = format_called(format_name) if format_name is not None else None
        self._on_progress = on_progress
        self._meter, self._total = Meter(), size_of(source)
        self._n = self._problems = 0
        self._begun = self._told = time.monotonic()
        self._cancelled = False
        self._tail: _Tail | None = None
        self._unended: int | None = None

    def cancel(self) -> None:
        """Ends the reading at the next record; what was indexed stays."""
        self._cancelled = True

    def run(self) -> Progress:
        """Reads the whole log into the index, which is emptied first.

        Raises OSError for a path that cannot be opened, sqlite3.Error if the index cannot be written.
        """
        db = self._index.db
        db.execute("BEGIN")
        for table in ("calls", "records", "hosts", "members", "problems", "log"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608
        db.execute("INSERT INTO words (words) VALUES ('delete-all')")
        self._index.note("name", self._name or (str(self._source) if isinstance(self._source, str | Path) else ""))
        empty = True
        with self._index.spool.open("wb") as spool:
            for member in members(self._source, self._name, self._meter):
                if isinstance(member, LogProblem):
                    empty = False
                    self._take(member, 0, Dispatch())
                elif not self._cancelled:
                    empty = not self._member(member, spool) and empty
        if empty or not (self._n or self._problems or self._cancelled):
            self._take(LogProblem(1, 1, EMPTY if empty else NO_CALL, self._name), 0, Dispatch())
            self._unended = self._index.db.execute("SELECT max(id) FROM problems").fetchone()[0]
        return self._end()

    def follow(self) -> Progress:
        """Reads what was appended to a log that is one plain file of lines; anything else is read anew if its size changed.

        Calls that wait for their results are listed as unfinished in the meantime. Raises as `run` does.
        """
        tail = self._tail
        if tail is None or tail.was_replaced():
            now = size_of(self._source)
            if tail is None and now == self._total:
                return self._progress(time.monotonic(), finished=True)
            self._n = self._problems = 0
            self._meter, self._total, self._tail = Meter(), now, None
            return self.run()
        self._index.db.execute("BEGIN")
        self._drop_unsettled()
        self._grow(tail)
        self._meter.done = self._total = tail.framed.bytes_read
        return self._end()

    def _grow(self, tail: _Tail) -> None:
        """Takes in what was appended; what is not settled yet is listed for the time being."""
        for item in tail.further():
            self._take(item, tail.member, tail.dispatch)
            self._meter.done = tail.framed.bytes_read
            if self._cancelled:
                return
        for call in tail.dispatch.waiting():
            self._call(call, tail.member, tail.dispatch, settled=False)
        if tail.framed.unended is not None:
            self._take(tail.framed.unended, tail.member, tail.dispatch)
            self._unended = self._index.db.execute("SELECT max(id) FROM problems").fetchone()[0]

    def _member(self, member: Member, spool: IO[bytes]) -> bool:
        """Reads one file of the log; whether there is anything in it."""
        base = spool.tell()
        if member.path is None:
            member.stream = Peeked(_Tee(member.stream, spool))
        framed = Framed(member)
        dispatch = dispatch_for(framed, self._forced)
        path = str(member.path.resolve()) if member.path is not None else None
        cursor = self._index.db.execute(
            "INSERT INTO members (name, path, base) VALUES (?, ?, ?)", (framed.name, path, base)
        )
        key = int(cursor.lastrowid or 0)
        alone = isinstance(self._source, str | Path) and Path(self._source).is_file()
        if member.path is not None and alone and framed.kind in ("lines", "empty"):
            self._tail = _Tail(member.path, framed, dispatch, key)
            self._grow(self._tail)
            return framed.bytes_read > 0
        for item in read_member(framed, dispatch):
            self._take(item, key, dispatch)
            if self._cancelled:
                break
        return framed.kind != "empty"

    def _take(self, item: LogItem, member: int, dispatch: Dispatch) -> None:
        match item:
            case LoggedCall():
                self._call(item, member, dispatch, settled=True)
            case LogProblem():
                self._problems += 1
                if self._problems <= _MAX_PROBLEMS:
                    self._index.db.execute(
                        "INSERT INTO problems (member, line, col, message) VALUES (?, ?, ?, ?)",
                        (item.member, item.line, item.column, item.message),
                    )
            case _:
                pass  # answers are no calls; the checks read them from the log
        now = time.monotonic()
        if self._n <= _FIRST_COMMITS or now - self._told >= _SECONDS_BETWEEN:
            self._tell(now)

    def _call(self, call: LoggedCall, member: int, dispatch: Dispatch, *, settled: bool) -> None:
        self._n += 1
        reader = format_key(dispatch.primary) if dispatch.primary is not None else ""
        db, n, shown = self._index.db, self._n, Shown.of(call)
        db.execute(_INSERT, _storable(call_row(n, call, shown, member, reader, settled=settled)))
        places: list[Position] = list(call.records) or [call.position]
        db.executemany(
            "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(n, k, member, at.line, at.offset, at.length, at.path) for k, at in enumerate(places)],
        )
        db.executemany("INSERT OR IGNORE INTO hosts VALUES (?, ?)", [(_clean(host), n) for host in shown.hosts])
        if settled:
            db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (n, _clean(words_of(call, shown))))

    def _drop_unsettled(self) -> None:
        """Takes the calls that were listed before their results out again: they come back at their own place."""
        db = self._index.db
        numbers = [row[0] for row in db.execute("SELECT n FROM calls WHERE settled = 0")]
        for table in ("calls", "records", "hosts"):
            db.executemany(f"DELETE FROM {table} WHERE n = ?", [(n,) for n in numbers])  # noqa: S608
        self._n -= len(numbers)
        if self._unended is not None:
            db.execute("DELETE FROM problems WHERE id = ?", (self._unended,))
            self._problems, self._unended = self._problems - 1, None

    def _tell(self, now: float) -> None:
        db = self._index.db
        self._index.note("problems", self._problems)
        db.execute("COMMIT")
        db.execute("BEGIN")
        self._told = now
        if self._on_progress is not None:
            self._on_progress(self._progress(now, finished=False))

    def _end(self) -> Progress:
        self._index.note("problems", self._problems)
        self._index.note("finished", int(not self._cancelled))
        self._index.db.execute("COMMIT")
        progress = self._progress(time.monotonic(), finished=not self._cancelled)
        if self._on_progress is not None:
            self._on_progress(progress)
        return progress

    def _progress(self, now: float, *, finished: bool) -> Progress:
        rate = self._meter.done / max(now - self._begun, 1e-6)
        return Progress(self._meter.done, self._total, self._n, self._problems, rate, finished)


def _clean(text: str) -> str:
    """Text that SQLite can store: half a surrogate pair, which a reader may be given in process, is replaced."""
    return text.encode("utf-8", "replace").decode()


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: _clean(value) if isinstance(value, str) else value for key, value in row.items()}
