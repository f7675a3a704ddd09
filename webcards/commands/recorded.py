"""Reads recorded results, one {"args", "result"} object a line. Every line that is not blank is answered: one that cannot
be read says where and why, and costs none of the others.
"""

import codecs
import io
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from webcards.contract import Refusal
from webcards.logs.decode import UndecodableError, decode

_BOM = codecs.BOM_UTF8
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Recorded(Struct, frozen=True):
    """One line: its args and result, or the fault for which it has neither. `text` is the line itself."""

    args: Any
    result: Any
    fault: Refusal | None
    text: str


def read_recorded(stream: io.BufferedReader) -> Iterator[Recorded]:
    """The records of a stream: UTF-8, with a byte order mark or without, or UTF-16 with one. Blank lines are passed over.

    Raises OSError where the stream cannot be read.
    """
    for number, line in enumerate(_lines(stream), 1):
        record = line.removeprefix(_BOM).strip()
        if record:
            yield _record(record, line, number)


def _lines(stream: io.BufferedReader) -> Iterator[bytes]:
    if stream.peek(2)[:2] not in _UTF_16:
        yield from stream
        return
    for line in io.TextIOWrapper(stream, encoding="utf-16", errors="replace", newline="\n"):
        yield line.encode()


def _record(record: bytes, line: bytes, number: int) -> Recorded:
    text = record.decode("utf-8", "replace")
    try:
        value = decode(record).value
    except UndecodableError as error:
        before = len(line.removeprefix(_BOM)) - len(line.removeprefix(_BOM).lstrip())
        return Recorded(None, None, _fault(number, error.column + before, error.message), text)
    if not isinstance(value, dict):
        return Recorded(None, None, _fault(number, 1, f"expected object, got {_kind(value)}"), text)
    return Recorded(value.get("args"), value.get("result"), None, text)


def _fault(line: int, column: int, what: str) -> Refusal:
    return Refusal("$", f"line {line}, column {column}: {what}")


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__
