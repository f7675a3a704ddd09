"""PostgreSQL's own way for the statements of a call: prepared once a connection, several in one trip.

By the driver's wrapper of libpq, values and rows by its adapters: its cursors take as long again as the statement does.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.waiting import Wait
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import PoolProxiedConnection

from webcards.store.driver import Row, Statement, as_sqlalchemy_has_it

Answer = list[Row] | DBAPIError

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


def prepared(pooled: PoolProxiedConnection, words: str, values: Mapping[str, Any]) -> Row:
    """Runs a statement in PostgreSQL's own words, prepared by the server from its first time on; gives its first row.

    While the server works, a signal waits; these statements are short.
    """
    driver: Any = pooled.driver_connection
    with _sqlalchemys_errors(driver, words):
        if not driver.autocommit and driver.pgconn.transaction_status == TransactionStatus.IDLE:
            # As the driver's cursors do before a transaction's first statement.
            _checked(driver.pgconn.exec_(b"BEGIN"))
        name, names = _known(pooled, words)
        dumped, formats = _dumped(driver, [values[name] for name in names])
        return _row(driver, _checked(driver.pgconn.exec_prepared(name, dumped, param_formats=formats)))


def prepared_together(pooled: PoolProxiedConnection, transactions: Sequence[Sequence[Statement]]) -> list[Answer]:
    """Runs statements as `prepared`, on a connection that commits: all in one trip, each list of them or none of it.

    Gives for each list the first rows of its statements, or the error for which nothing of it was written.
    """
    driver: Any = pooled.driver_connection
    server = driver.pgconn
    words = transactions[0][0].words
    with _sqlalchemys_errors(driver, words):
        for statement in chain(*transactions):
            _known(pooled, statement.words)
        server.enter_pipeline_mode()
        try:
            for transaction in transactions:
                for statement in transaction:
                    name, names = _known(pooled, statement.words)
                    dumped, formats = _dumped(driver, [statement.values[name] for name in names])
                    server.send_query_prepared(name, dumped, param_formats=formats)
                server.pipeline_sync()
            results = driver.wait(_results(server, sum(len(transaction) + 1 for transaction in transactions)))
            server.exit_pipeline_mode()
        except BaseException:
            # Nobody knows any more whose answer would come next.
            driver.close()
            raise
    answers: list[Answer] = []
    for transaction in transactions:
        given, results = results[: len(transaction)], results[len(transaction) + 1 :]
        try:
            with _sqlalchemys_errors(driver, words):
                answers.append([_row(driver, _checked(result)) for result in given])
        except DBAPIError as error:
            answers.append(error)
    return answers


def _results(server: Any, number: int) -> Generator[Wait, Any, list[Any]]:
    """So many results of what was sent, waited for as the driver waits."""
    results: list[Any] = []
    while len(results) < number:
        while server.is_busy():
            yield Wait.RW if server.flush() else Wait.R
            server.consume_input()
        if (result := server.get_result()) is not None:
            results.append(result)
        elif server.status == ConnStatus.BAD:
            raise psycopg.OperationalError(server.get_error_message())
    return results


def _known(pooled: PoolProxiedConnection, words: str) -> tuple[bytes, tuple[str, ...]]:
    """The name that a statement has on a connection, where it is prepared if it is not; and the names of its values."""
    known: dict[str, tuple[bytes, tuple[str, ...]]] = pooled.info.setdefault(_PREPARED, {})
    if words not in known:
        numbered, names = _numbered(words)
        name = b"webcards_%d" % len(known)
        driver: Any = pooled.driver_connection
        _checked(driver.pgconn.prepare(name, numbered))
        known[words] = name, names
    return known[words]


def _dumped(driver: Any, values: list[Any]) -> tuple[Sequence[Buffer | None], Sequence[int] | None]:
    adapters = Transformer.from_context(driver)
    # Texts and numbers as text, so that their types are what the statement makes of them.
    shapes = [PyFormat.BINARY if isinstance(value, bytes) else PyFormat.TEXT for value in values]
    return adapters.dump_sequence(values, shapes), adapters.formats


def _row(driver: Any, result: Any) -> Row:
    if result.ntuples == 0:
        return None
    adapters = Transformer.from_context(driver)
    adapters.set_pgresult(result)
    row: Row = adapters.load_row(0, tuple)
    return row


def _checked(result: Any) -> Any:
    if result.status not in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
        # What has no state of SQL's is not the statement's fault: the connection is lost.
        state = result.error_field(DiagnosticField.SQLSTATE)
        raise error_from_result(result) if state else psycopg.OperationalError(result.get_error_message())
    return result


@contextmanager
def _sqlalchemys_errors(driver: Any, words: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise as_sqlalchemy_has_it(error, words, psycopg.Error, gone=driver.closed) from None


@cache
def _numbered(words: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement in the driver's words as the server has it, `$1` for the first parameter; and the names in their order."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(words)))
    numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
    return _PARAMETER.sub(lambda hit: numbers[hit[1]], words).replace("%%", "%").encode(), names
