"""Writing together: one group for all that came meanwhile, each with its own result or error, and nobody left waiting."""

import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from tests.store.databases import Cluster
from tests.store.events import fetch_call, fetched, found, search_call
from webcards.store import Store
from webcards.store.store import now_ms
from webcards.store.together import Together
from webcards.store.writing import Settled, Started, settle_statement, start_statement, write_statements


class Queue(list[Any]):
    """Tells of each that comes."""

    def __init__(self) -> None:
        super().__init__()
        self.grown = threading.Semaphore(0)

    def append(self, one: Any) -> None:
        super().append(one)
        self.grown.release()


class Desk:
    """Writes by `answer`, its first group only when it is told to go on; keeps the groups."""

    def __init__(self, answer: Callable[[Sequence[str]], Sequence[Any]]) -> None:
        self.groups: list[list[str]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()
        self._answer = answer
        self.together: Together[str] = Together(self._write)
        self.together._queue = self._queue = Queue()

    def wait_for_one(self) -> None:
        """Waits until one more work is in the queue."""
        assert self._queue.grown.acquire(timeout=30)

    def _write(self, works: Sequence[str]) -> Sequence[Any]:
        self.groups.append(list(works))
        if len(self.groups) == 1:
            self.begun.set()
            assert self.go_on.wait(30)
        return self._answer(works)


def behind_the_first(desk: Desk, works: Sequence[str], pool: ThreadPoolExecutor) -> list[Future[Any]]:
    """Has a first work begun and the others wait behind it, in their order; the first's future is the first."""
    futures = [pool.submit(desk.together.do, "first")]
    desk.wait_for_one()
    assert desk.begun.wait(30)
    for work in works:
        futures.append(pool.submit(desk.together.do, work))
        desk.wait_for_one()
    return futures


def test_what_comes_while_one_writes_is_one_group_and_each_has_its_own_result() -> None:
    desk = Desk(lambda works: [work.upper() for work in works])
    with ThreadPoolExecutor() as pool:
        futures = behind_the_first(desk, ["a", "b", "c"], pool)
        desk.go_on.set()
        assert [future.result(30) for future in futures] == ["FIRST", "A", "B", "C"]
    assert desk.groups == [["first"], ["a", "b", "c"]]
    assert desk.together.do("later") == "LATER"


def test_one_that_fails_fails_alone() -> None:
    desk = Desk(lambda works: [ValueError(work) if work == "b" else work for work in works])
    with ThreadPoolExecutor() as pool:
        futures = behind_the_first(desk, ["a", "b", "c"], pool)
        desk.go_on.set()
        assert [future.result(30) for future in (futures[0], futures[1], futures[3])] == ["first", "a", "c"]
        with pytest.raises(ValueError, match="b"):
            futures[2].result(30)


def test_what_the_writing_raises_all_of_its_group_get_and_the_next_group_is_written() -> None:
    def answer(works: Sequence[str]) -> Sequence[Any]:
        if "a" in works:
            raise OSError("the disk is full")
        return works

    desk = Desk(answer)
    with ThreadPoolExecutor() as pool:
        futures = behind_the_first(desk, ["a", "b"], pool)
        desk.go_on.set()
        assert futures[0].result(30) == "first"
        for future in futures[1:]:
            with pytest.raises(OSError, match="the disk is full"):
                future.result(30)
    assert desk.together.do("later") == "later"


class Interrupted(BaseException):
    pass


def test_a_thread_that_is_interrupted_while_it_writes_leaves_nobody_waiting() -> None:
    def answer(works: Sequence[str]) -> Sequence[Any]:
        if works[0] == "a":
            raise Interrupted
        return works

    desk = Desk(answer)
    with ThreadPoolExecutor() as pool:
        futures = behind_the_first(desk, ["a", "b"], pool)
        desk.go_on.set()
        with pytest.raises(Interrupted):
            futures[1].result(30)
        with pytest.raises(SQLAlchemyError, match="interrupted"):
            futures[2].result(30)
    assert desk.together.do("later") == "later"


def test_a_thread_that_is_interrupted_while_it_waits_is_not_waited_for() -> None:
    desk = Desk(lambda works: works)

    def interrupt(_number: int, _frame: object) -> None:
        raise Interrupted

    def interrupt_the_one_that_waits() -> None:
        desk.wait_for_one()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with ThreadPoolExecutor() as pool:
            (first,) = behind_the_first(desk, [], pool)
            pool.submit(interrupt_the_one_that_waits)
            with pytest.raises(Interrupted):
                desk.together.do("a")
            last = pool.submit(desk.together.do, "b")
            desk.wait_for_one()
            desk.go_on.set()
            assert (first.result(30), last.result(30)) == ("first", "b")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert desk.groups == [["first"], ["b"]]


def test_many_threads_record_at_once_and_each_gets_its_own_call(store: Store) -> None:
    urls = [f"https://host-{number}.example/" for number in range(60)]
    starting = threading.Barrier(12)

    def record(mine: list[str]) -> list[int]:
        starting.wait(30)
        made = []
        for url in mine:
            made.append(store.start(fetch_call(url), source="mcp"))
            assert store.settle(made[-1], fetched(url), elapsed_ms=5, view_kind="fetch")
            assert not store.settle(made[-1], fetched(url), elapsed_ms=5, view_kind="fetch")
        return made

    with ThreadPoolExecutor(12) as pool:
        records = list(pool.map(record, [urls[number::12] for number in range(12)]))
    for number, made in enumerate(records):
        for url, one in zip(urls[number::12], made, strict=True):
            kept = store.get(one)
            assert kept is not None
            assert (kept.call.url, kept.call.outcome) == (url, "ok")


def started(now: int, source: Any = "mcp") -> Started:
    return {"source": source, "person": None, "run": None, "started_at": now, "now": now}


@pytest.mark.database
def test_of_starts_and_settles_in_one_trip_only_the_faulty_one_fails(postgres: Cluster) -> None:
    with Store.open(postgres.new_database()) as store:
        engine = store._committing
        assert engine is not None
        record = store.start(search_call("tide tables"), source="mcp")
        now = now_ms()
        settle: Settled = {
            "elapsed_ms": 5.0,
            "view_kind": "search",
            "fallback": None,
            "details": None,
            "settled_at": now,
            "now": now,
        }
        statements = [
            start_statement(fetch_call("https://a.example/"), **started(now)),
            settle_statement(record, found("https://b.example/"), **settle),
            start_statement(fetch_call("https://c.example/"), **started(now, source=None)),
            settle_statement(record, found("https://d.example/"), **settle),
        ]
        outcomes = write_statements(engine, statements)
        assert isinstance(outcomes[2], IntegrityError)
        assert outcomes[3] is None
        assert isinstance(outcomes[0], tuple)
        assert isinstance(outcomes[1], tuple)
        first, second = store.get(outcomes[0][0]), store.get(record)
        assert first is not None
        assert second is not None
        assert (first.call.url, first.call.outcome) == ("https://a.example/", "unfinished")
        assert (second.call.outcome, second.call.sources) == ("ok", 1)


@pytest.mark.database
def test_a_group_whose_connection_is_lost_is_told_so_and_the_next_one_has_a_new_one(postgres: Cluster) -> None:
    url = postgres.new_database()
    with Store.open(url) as store:
        engine = store._committing
        assert engine is not None
        statements = [start_statement(fetch_call(f"https://{name}.example/"), **started(now_ms())) for name in "ab"]
        assert all(isinstance(outcome, tuple) for outcome in write_statements(engine, statements))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        with pytest.raises(DBAPIError) as caught:
            write_statements(engine, statements)
        assert caught.value.connection_invalidated
        assert all(isinstance(outcome, tuple) for outcome in write_statements(engine, statements))
