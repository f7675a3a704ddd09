"""The store: one database of recorded calls. Opens and migrates it, writes calls, and hands out connections
to ask it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, Self

from msgspec import Struct
from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError, OperationalError

from webcards.store import retention, rollup
from webcards.store.calls import COLUMNS, Call, call_of
from webcards.store.driver import Statement
from webcards.store.engine import make_committing_engine, make_engine
from webcards.store.location import DatabaseError, database_url, shown
from webcards.store.migrate import migrate
from webcards.store.recording import unpack_event
from webcards.store.schema import calls, payloads
from webcards.store.together import Together
from webcards.store.writing import (
    Settled,
    Started,
    insert_call,
    settle_call,
    settle_statement,
    start_statement,
    write_statements,
)

Change = Callable[[Connection], Any]
Source = Literal["app", "cli", "batch", "mcp", "import"]


class Recorded(Struct, frozen=True):
    """One call with its events; `result_event` is None for a call that has not settled."""

    call: Call
    call_event: dict[str, Any]
    result_event: dict[str, Any] | None


def now_ms() -> int:
    """Now, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Store:
    """Recorded calls. Safe to share between threads; each method is one short transaction."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._committing: Engine | None = None
        self._together: Together[Any] = Together(self._make_changes)
        if engine.dialect.name == "postgresql":
            self._committing = make_committing_engine(engine.url)
            self._together = Together(partial(write_statements, self._committing))

    @classmethod
    def open(cls, url: str | None = None) -> Self:
        """Opens the database, making or migrating it as needed.

        `url` goes before WEBCARDS_DATABASE_URL, and that before an SQLite file in the user's data folder.
        Raises DatabaseError, in words for people, where that fails.
        """
        location = database_url(url)
        engine = make_engine(location)
        try:
            migrate(engine)
        except OperationalError as error:
            engine.dispose()
            reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
            msg = f"the database {shown(location)} cannot be opened: {reason}"
            raise DatabaseError(msg) from None
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    def close(self) -> None:
        """Closes all connections that nobody uses; the store opens new ones if it is used again."""
        self.engine.dispose()
        if self._committing is not None:
            self._committing.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def location(self) -> str:
        """Which database this is, for people; without its password."""
        return shown(self.engine.url)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for questions (figures, links, calls …), outside any transaction."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in a transaction: committed at the end, rolled back on an error. Keep it short."""
        with self.engine.begin() as connection:
            yield connection

    def _write(self, work: Statement | Change) -> Any:
        """Has a change made, together with those of other threads; once more if the connection turns out to be gone (the
        server was restarted).
        """
        try:
            return self._together.do(work)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        # The others that rest in the pools have lost it too.
        self.close()
        return self._together.do(work)

    def _make_changes(self, changes: Sequence[Change]) -> list[Any]:
        """Makes changes in one transaction; gives for each its result, or the error with which it alone failed."""
        try:
            with self.writing() as connection:
                return [change(connection) for change in changes]
        except Exception as error:
            if len(changes) == 1:
                return [error]
        return [self._make_changes([change])[0] for change in changes]

    def start(
        self,
        call: object,
        *,
        source: Source,
        user: str | None = None,
        run: int | None = None,
        started_at: int | None = None,
    ) -> int:
        """Records that a call starts (a `tool/call` event, Struct or dict); gives its record id.

        `started_at` (milliseconds) is for imports; a call of ours starts now.
        """
        now = now_ms()
        facts: Started = {
            "source": source,
            "person": user,
            "run": run,
            "started_at": now if started_at is None else started_at,
            "now": now,
        }
        if self._committing is not None:
            return int(self._write(start_statement(call, **facts))[0])
        return int(self._write(lambda connection: insert_call(connection, call, **facts)))

    def settle(
        self,
        record_id: int,
        result: object,
        *,
        elapsed_ms: float | None,
        view_kind: str | None = None,
        fallback: tuple[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
        settled_at: int | None = None,
    ) -> bool:
        """Records how a call settled (a `tool/result` event, Struct or dict).

        `view_kind` is the drawn card's kind, `fallback` the JSON path and reason why there is none.
        False, and nothing changed, if it had settled before or was deleted meanwhile.
        """
        now = now_ms()
        facts: Settled = {
            "elapsed_ms": elapsed_ms,
            "view_kind": view_kind,
            "fallback": fallback,
            "details": details,
            "settled_at": now if settled_at is None else settled_at,
            "now": now,
        }
        if self._committing is not None:
            return self._write(settle_statement(record_id, result, **facts)) is not None
        return bool(self._write(lambda connection: settle_call(connection, record_id, result, **facts)))

    def get(self, record_id: int) -> Recorded | None:
        """One call with its events; None if there is none of that id."""
        query = (
            select(*COLUMNS, payloads.c.call_event, payloads.c.result_event)
            .join(payloads, payloads.c.call == calls.c.id)
            .where(calls.c.id == record_id)
        )
        with self.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        event = unpack_event(row.call_event)
        assert event is not None
        return Recorded(call_of(row), event, unpack_event(row.result_event))

    def refresh(self) -> None:
        """Brings the sums behind the figures up to date; cheap where nothing is due. Call it before asking
        for any.
        """
        rollup.refresh(self.engine, now_ms())

    def delete(self, record_id: int) -> bool:
        """Deletes one call. False if there is none of that id."""
        with self.writing() as connection:
            return retention.delete_call(connection, record_id, now=now_ms())

    def delete_all(self) -> int:
        """Deletes every call; gives how many there were."""
        with self.writing() as connection:
            return retention.delete_all(connection)

    def retain(self, *, max_days: float | None = None, max_bytes: int | None = None) -> int:
        """Deletes calls older than `max_days`, then the oldest beyond `max_bytes`; gives how many."""
        return retention.retain(self.engine, now=now_ms(), max_days=max_days, max_bytes=max_bytes)
