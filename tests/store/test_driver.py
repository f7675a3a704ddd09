"""Statements that go straight to the driver: the same rows and the same errors as SQLAlchemy's own way, on both databases."""

import pytest
from sqlalchemy import bindparam, insert, select, text, update
from sqlalchemy.exc import IntegrityError, NoResultFound

from tests.store.events import fetch_call
from webcards.store import Store
from webcards.store.driver import first_row, one_row
from webcards.store.schema import calls, payloads

_MARK = (
    update(calls)
    .where(calls.c.id == bindparam("record"), calls.c.outcome == "unfinished")
    .values(outcome="error", stored=calls.c.stored + 7, truncated=bindparam("cut", type_=calls.c.truncated.type))
    .returning(calls.c.stored, calls.c.truncated)
)
_ADD = insert(payloads).values(call=bindparam("record"), call_event=bindparam("event"))


def test_values_that_stand_in_a_statement_and_those_that_are_given_both_reach_the_database(store: Store) -> None:
    record = store.start(fetch_call("https://a.example/"), source="app")
    with store.reading() as connection:
        before = connection.execute(select(calls.c.stored).where(calls.c.id == record)).scalar_one()
    with store.writing() as connection:
        row = first_row(connection, _MARK, {"record": record, "cut": True})
        assert row is not None
        assert (row[0], bool(row[1])) == (before + 7, True)
        assert first_row(connection, _MARK, {"record": record, "cut": None}) is None
        with pytest.raises(NoResultFound):
            one_row(connection, _MARK, {"record": record, "cut": None})
    with store.reading() as connection:
        kept = connection.execute(select(calls.c.outcome, calls.c.truncated).where(calls.c.id == record)).one()
    assert tuple(kept) == ("error", True)


def test_what_fails_is_sqlalchemys_error_without_the_values_and_takes_the_transaction_with_it(store: Store) -> None:
    record = store.start(fetch_call("https://a.example/"), source="app")

    def twice() -> None:
        with store.writing() as connection:
            connection.execute(text("DELETE FROM payloads"))
            first_row(connection, _ADD, {"record": record, "event": b"one"})
            first_row(connection, _ADD, {"record": record, "event": b"hunter2"})

    with pytest.raises(IntegrityError) as caught:
        twice()
    assert "hunter2" not in str(caught.value)
    found = store.get(record)
    assert found is not None
    assert found.call_event["type"] == "tool/call"
