"""Reads a log of any format: opens it, finds the format of each of its files, and gives its items as a stream."""

from collections.abc import Iterator

from webcards.logs.dispatch import Dispatch, format_called, stream_format
from webcards.logs.format import Format
from webcards.logs.framing import Framed
from webcards.logs.model import LoggedAnswer, LoggedCall, LogItem, LogProblem
from webcards.logs.opening import Source, members


def read(source: Source, *, format_name: str | None = None) -> Iterator[LoggedCall]:
    """The web calls of a log, in order. What could not be read is left out silently: `read_log` tells it.

    Raises OSError for a path that cannot be opened, ValueError for an unknown `format_name`.
    """
    for item in read_log(source, format_name=format_name, answers=False):
        if isinstance(item, LoggedCall):
            yield item


def read_log(
    source: Source, *, name: str = "", format_name: str | None = None, answers: bool = True
) -> Iterator[LogItem]:
    """Calls, answers and problems of a log, in order; it never raises for what the log holds.

    `source` is a path (of a file or a folder), bytes, or a binary stream. `format_name` reads everything as that
    format instead of recognising it. Without `answers`, events of a session log that hold no call are passed over
    undecoded, which is many times as fast; damage inside them is not noticed then. Raises OSError for a path that
    cannot be opened, ValueError for an unknown `format_name`.
    """
    forced = format_called(format_name) if format_name is not None else None
    empty = silent = True
    for member in members(source, name):
        if isinstance(member, LogProblem):
            empty = silent = False
            yield member
            continue
        framed = Framed(member)
        empty = empty and framed.kind == "empty"
        for item in read_member(framed, dispatch_for(framed, forced), answers=answers):
            silent = silent and isinstance(item, LoggedAnswer)
            yield item
    if empty or silent:
        yield LogProblem(1, 1, EMPTY if empty else NO_CALL, name)


NO_CALL = "the log was read to its end: there is no web call in it"
EMPTY = "the log is empty: there is nothing to show"


def dispatch_for(framed: Framed, forced: Format | None = None) -> Dispatch:
    """The readers for one file, by what its first records are."""
    return Dispatch(forced or stream_format(framed.sample))


def read_member(framed: Framed, dispatch: Dispatch, *, answers: bool = False) -> Iterator[LogItem]:
    """Everything in one file, to its end; of a session log without `answers`, its calls."""
    calls = 0
    for record in framed.records(None if answers else dispatch.scan()):
        for item in dispatch.take(record):
            calls += isinstance(item, LoggedCall)
            yield item
    for item in dispatch.finish():
        calls += isinstance(item, LoggedCall)
        yield item
    if not calls and not dispatch.known and dispatch.rows:
        yield LogProblem(1, 1, UNKNOWN, framed.name)


UNKNOWN = "no known log format: no web call was recognised here"
