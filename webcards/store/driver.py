"""Statements for every call, straight through the database's driver: SQLAlchemy's way there costs as much as the write.

The statements and the connections are SQLAlchemy's, and so are the errors, so that whoever asks need not know. Values go
to the driver as they are: for texts, whole numbers, floats, truth values, bytes and None.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, Executable
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.sql import ClauseElement

Row = tuple[Any, ...] | None


class Statement(NamedTuple):
    """A statement in the driver's words, `%(name)s` for a value, and the values."""

    words: str
    values: Mapping[str, Any]


def first_row(connection: Connection, statement: Executable, values: dict[str, Any]) -> Row:
    """Runs a statement, built once and kept, in the connection's transaction; gives its first row, if any.

    `values` are those of its bound parameters, by name. Raises DBAPIError as SQLAlchemy does.
    """
    dialect = connection.dialect.name
    words, constants = _words(statement, dialect)
    values = constants | values
    if dialect == "postgresql":
        # Only where it is the database: its driver takes long to load.
        from webcards.store.postgresql import prepared

        return prepared(connection.connection, words, values)
    driver: Any = connection.connection.driver_connection
    errors = connection.dialect.loaded_dbapi.Error
    try:
        rows = driver.execute(words, values).fetchall()
    except errors as error:
        raise as_sqlalchemy_has_it(error, words, errors) from None
    return rows[0] if rows else None


def one_row(connection: Connection, statement: Executable, values: dict[str, Any]) -> tuple[Any, ...]:
    """As `first_row`; raises NoResultFound where there is none."""
    row = first_row(connection, statement, values)
    if row is None:
        raise NoResultFound
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


def as_sqlalchemy_has_it(error: Exception, words: str, errors: type[Exception], *, gone: bool = False) -> DBAPIError:
    """A driver's error as SQLAlchemy would raise it; `gone` says that the connection is lost."""
    # Without the values: they hold what was asked.
    made = DBAPIError.instance(words, None, error, errors, hide_parameters=True, connection_invalidated=gone)
    assert isinstance(made, DBAPIError)
    return made
