"""Statements for every call, straight through the database's driver: SQLAlchemy's way there costs as much as the write.

The statements and the connections are SQLAlchemy's, and so are the errors, so that whoever asks need not know. Values go
to the driver as they are: for texts, whole numbers, floats, truth values, bytes and None.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Executable
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.sql import ClauseElement

_PARAMETER = re.compile(r"%\((\w+)\)s")
_PREPARED = "webcards_prepared"


@contextmanager
def committing(engine: Engine) -> Iterator[PoolProxiedConnection]:
    """A connection to PostgreSQL from an engine that commits each statement (engine.make_committing_engine)."""
    pooled = engine.raw_connection()
    try:
        yield pooled
    finally:
        driver: Any = pooled.driver_connection
        if driver.closed:
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
    if dialect == "postgresql":
        return prepared(connection.connection, words, values)
    driver: Any = connection.connection.driver_connection
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


def prepared(pooled: PoolProxiedConnection, words: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Runs a statement in PostgreSQL's own words, prepared by the server from its first time on; gives its first row.

    By the driver's wrapper of libpq, values and rows by its adapters: its cursors take as long again as the statement.
    While the server works, a signal waits; these statements are short.
    """
    import psycopg
    from psycopg import errors, pq
    from psycopg.adapt import PyFormat, Transformer

    driver: Any = pooled.driver_connection
    server, adapters = driver.pgconn, Transformer.from_context(driver)

    def checked(result: Any) -> Any:
        if result.status not in {pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK}:
            raise errors.error_from_result(result)
        return result

    try:
        if not driver.autocommit and server.transaction_status == pq.TransactionStatus.IDLE:
            # As the driver's cursors do before a transaction's first statement.
            checked(server.exec_(b"BEGIN"))
        numbered, names = _numbered(words)
        known: dict[str, bytes] = pooled.info.setdefault(_PREPARED, {})
        if words not in known:
            name = b"webcards_%d" % len(known)
            checked(server.prepare(name, numbered))
            known[words] = name
        given = [values[name] for name in names]
        # Texts and numbers as text, so that their types are what the statement makes of them.
        shapes = [PyFormat.BINARY if isinstance(value, bytes) else PyFormat.TEXT for value in given]
        dumped = adapters.dump_sequence(given, shapes)
        result = checked(server.exec_prepared(known[words], dumped, param_formats=adapters.formats))
        if result.ntuples == 0:
            return None
        adapters.set_pgresult(result)
        row: tuple[Any, ...] = adapters.load_row(0, tuple)
    except psycopg.Error as error:
        raise _as_sqlalchemy_has_it(error, words, psycopg.Error, gone=driver.closed) from None
    return row


@cache
def _numbered(words: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement in the driver's words as the server has it, `$1` for the first parameter; and the names in their order."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(words)))
    numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
    return _PARAMETER.sub(lambda hit: numbers[hit[1]], words).replace("%%", "%").encode(), names


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
