"""Writes that share a transaction: one that fails fails alone, and the others are on disk."""

import asyncio

import pytest
from sqlalchemy import Connection, text

from tests.store.events import fetch_call
from webcards.batch.journal import Journal
from webcards.store import Store
from webcards.store.store import now_ms
from webcards.store.writing import insert_call


async def test_a_write_that_fails_takes_no_other_with_it(store: Store) -> None:
    def good(connection: Connection) -> int:
        now = now_ms()
        call = fetch_call("https://a.example/")
        return insert_call(connection, call, source="batch", person=None, run=None, started_at=now, now=now)

    def bad(connection: Connection) -> int:
        good(connection)
        connection.execute(text("INSERT INTO nowhere VALUES (1)"))
        raise AssertionError

    journal = Journal(store)
    changes = [good, good, bad, good]
    results = await asyncio.gather(*(journal.write(change) for change in changes), return_exceptions=True)
    assert isinstance(results[2], Exception)
    records = [result for result in results if isinstance(result, int)]
    assert len(set(records)) == 3
    assert all(store.get(record) is not None for record in records)
    with store.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM calls")).scalar() == 3


async def test_writes_go_on_after_one_was_given_up(store: Store) -> None:
    journal = Journal(store)
    waiting = asyncio.create_task(journal.write(lambda connection: connection.execute(text("SELECT 1")).scalar()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await journal.write(lambda connection: connection.execute(text("SELECT 2")).scalar()) == 2
