"""Statements that run for every call, straight through PostgreSQL's driver: SQLAlchemy's way there costs as much as the write.

The connections are SQLAlchemy's, and so are the errors, so that whoever asks need not know.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError


def driver_of(connection: Connection) -> Any:
    """The driver's connection under one of SQLAlchemy's, in the same transaction."""
    return connection.connection.driver_connection


@contextmanager
def committing(engine: Engine) -> Iterator[Any]:
    """A connection of the driver's from an engine that commits each statement (engine.make_committing_engine)."""
    pooled = engine.raw_connection()
    connection: Any = pooled.driver_connection
    try:
        yield connection
    finally:
        if connection.closed:
            pooled.invalidate()
        else:
            pooled.close()


def first_value(connection: Any, statement: str, values: Mapping[str, Any]) -> Any:
    """Runs a statement, prepared by the server from its first time on; gives the first value of its only row, if any.

    Raises DBAPIError as SQLAlchemy does, without the values: they hold what was asked.
    """
    import psycopg

    try:
        row = connection.execute(statement, values, prepare=True).fetchone()
    except psycopg.Error as error:
        raise _as_sqlalchemy_has_it(error, statement, gone=connection.closed) from None
    return row[0] if row else None


def _as_sqlalchemy_has_it(error: Exception, statement: str, *, gone: bool) -> DBAPIError:
    import psycopg

    made = DBAPIError.instance(statement, None, error, psycopg.Error, hide_parameters=True, connection_invalidated=gone)
    assert isinstance(made, DBAPIError)
    return made
