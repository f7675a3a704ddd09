"""Statements for every call, straight through the database's driver: SQLAlchemy's way there costs as much as the write.

The statements and the connections are SQLAlchemy's, and so are the errors, so that whoever asks need not know. Values go
to the driver as they are: for texts, whole numbers, floats, truth values, bytes and None.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Executable
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.sql import ClauseElement


def driver_of(connection: Connection) -> Any:
    """The driver's connection under one of SQLAlchemy's, in the same transaction."""
    return connection.connection.driver_connection


@contextmanager
def committing(engine: Engine) -> Iterator[Any]:
    """A connection of PostgreSQL's driver from an engine that commits each statement (engine.make_committing_engine)."""
    pooled = engine.raw_connection()
    connection: Any = pooled.driver_connection
    try:
        yield connection
    finally:
        if connection.closed:
            pooled.invalidate()
        else:
            pooled.close()


def first_row(connection: Connection, statement: Executable, values: dict[str, Any]) -> tuple[Any, ...] | None:
    """Runs a statement, built once and kept, in the connection's transaction; gives its first row, if any.

    `values` are those of its bound parameters, by name. Raises DBAPIError as SQLAlchemy does.
    """
    dialect = connection.dialect.name
    words, constants = _words(statement, dialect)
    values = constants | values
    driver = driver_of(connection)
    if dialect == "postgresql":
        return prepared(driver, words, values)
    errors = connection.dialect.loaded_dbapi.Error
    try:
        rows = driver.execute(words, values).fetchall()
    except errors as error:
        raise _as_sqlalchemy_has_it(error, words, errors) from None
    return rows[0] if rows else None


def one_row(connection: Connection, statement: Executable, values: dict[str, Any]) -> tuple[Any, ...]:
    """As `first_row`; raises NoResultFound where there is none."""
    row = first_row(connection, statement, values)
    if row is None:
        raise NoResultFound
    return row


def prepared(driver: Any, words: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Runs a statement in PostgreSQL's own words, prepared by the server from its first time on; gives its first row."""
    import psycopg

    try:
        cursor = driver.execute(words, values, prepare=True)
        # Not by the cursor's description, which it would make of every column.
        row: tuple[Any, ...] | None = cursor.fetchone() if cursor.pgresult.nfields else None
    except psycopg.Error as error:
        raise _as_sqlalchemy_has_it(error, words, psycopg.Error, gone=driver.closed) from None
    return row


@cache
def _words(statement: Executable, dialect: str) -> tuple[str, dict[str, Any]]:
    """A statement in the words of a database's driver, its values by their names; and those that stand in it already."""
    from sqlalchemy.dialects.postgresql import psycopg
    from sqlalchemy.dialects.sqlite import pysqlite

    assert isinstance(statement, ClauseElement)
    known: dict[str, Dialect] = {"postgresql": psycopg.dialect(), "sqlite": pysqlite.dialect(paramstyle="named")}  # type: ignore[no-untyped-call]
    compiled = statement.compile(dialect=known[dialect])
    return str(compiled), {name: value for name, value in compiled.params.items() if value is not None}


def _as_sqlalchemy_has_it(error: Exception, words: str, errors: type[Exception], *, gone: bool = False) -> DBAPIError:
    # Without the values: they hold what was asked.
    made = DBAPIError.instance(words, None, error, errors, hide_parameters=True, connection_invalidated=gone)
    assert isinstance(made, DBAPIError)
    return made
