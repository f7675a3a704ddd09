"""Gives each record of a log to the reader that knows it, and looks for records inside those that no reader knows."""

from collections.abc import Iterable, Iterator
from typing import Any

from webcards.logs.blocks import Select
from webcards.logs.decode import decode_inner
from webcards.logs.format import Format, RowReader
from webcards.logs.formats import all_formats
from webcards.logs.framing import PlainText, Row
from webcards.logs.model import LoggedCall, LogItem, LogProblem, Position
from webcards.logs.plain_text import read_text

# How deep the records of a wrapper (an exported request with its response, say) are looked for, and how wide.
_MAX_UNWRAP = 6
_MAX_KEYS = 64
_MAX_LOOKS = 20_000


def format_called(name: str) -> Format:
    """The format of this name. Raises ValueError with the known names."""
    for known in all_formats():
        if known.name == name:
            return known
    names = ", ".join(dict.fromkeys(known.name for known in all_formats()))
    raise ValueError(f"no log format is called {name!r}; the known ones are: {names}")


def format_key(known: Format) -> str:
    """What tells a format from all others: its name, and its place among those that share it."""
    place = [other for other in all_formats() if other.name == known.name].index(known)
    return f"{known.name}#{place}"


def format_of(key: str) -> Format:
    """The format of this key. Raises ValueError for a name that is none."""
    name, _, place = key.rpartition("#")
    shared = [known for known in all_formats() if known.name == name]
    return shared[int(place)] if place.isdecimal() and int(place) < len(shared) else format_called(name or key)


def recognise(value: Any) -> Format | None:
    """The first format, in order of detection, that knows this record."""
    return next((known for known in all_formats() if known.knows(value)), None)


def stream_format(sample: list[Any]) -> Format | None:
    """The earliest format, in order of detection, that any of these records has and whose rows belong together."""
    for known in all_formats():
        if known.stream and any(known.knows(value) for value in sample):
            return known
    return None


class Dispatch:
    """The readers of one file of a log. `primary` is the format that the file as a whole has, once that is known."""

    def __init__(self, primary: Format | None = None) -> None:
        self.primary = primary
        self._readers: dict[int, RowReader] = {}
        self.rows = self.known = 0
        self._looks = 0

    def scan(self) -> Select | None:
        """What lets the primary reader skip lines undecoded, if it can."""
        if self.primary is None or self.primary.scan is None:
            return None
        return self.primary.scan(self._reader(self.primary))

    def take(self, record: Row | PlainText | LogProblem) -> Iterable[LogItem]:
        """The items that this record brings to their end."""
        if isinstance(record, Row):
            self.rows += 1
            return self._row(record)
        if isinstance(record, LogProblem):
            return (record,)
        self.known += 1
        return read_text(record)

    def finish(self) -> Iterator[LogItem]:
        """What the readers still hold, at the end of the log."""
        for reader in self._readers.values():
            yield from reader.finish()

    def waiting(self) -> list[LoggedCall]:
        """The calls that are begun and not given out yet."""
        return [call for reader in self._readers.values() for call in reader.waiting()]

    def _reader(self, known: Format) -> RowReader:
        # Two formats may share a name, but never a reader.
        reader = self._readers.get(id(known))
        if reader is None:
            reader = self._readers[id(known)] = known.reader()
        return reader

    def _row(self, row: Row) -> Iterable[LogItem]:
        primary = self.primary
        if primary is not None and (primary.scan is not None or primary.knows(row.value)):
            self.known += 1
            return self._fed(primary, row)
        if known := recognise(row.value):
            self.known += 1
            if known.stream and primary is None:
                self.primary = known
            return self._fed(known, row)
        if primary is not None:
            return self._fed(primary, row)
        return self._inner(row)

    def _inner(self, row: Row) -> Iterator[LogItem]:
        for part in self._parts(row, _MAX_UNWRAP):
            if inner := recognise(part.value):
                self.known += 1
                yield from self._fed(inner, part)

    def _fed(self, known: Format, row: Row) -> Iterable[LogItem]:
        try:
            return list(self._reader(known).feed(row))
        except Exception as error:  # a reader that trips over one record must not cost the rest of the log
            place, what = row.position, type(error).__name__
            return [LogProblem(place.line, 1, f"this {known.name} record could not be read ({what})", place.member)]

    def _parts(self, row: Row, levels: int) -> Iterator[Row]:
        """The records inside a row that is none itself: the items of a list, JSON in a string, a wrapped response."""
        value = decode_inner(row.value)
        if value is not row.value and recognise(value):
            yield _part(row, value, "")
            return
        if levels == 0:
            return
        for path, child in _children(value):
            if self._looks >= _MAX_LOOKS:
                return
            self._looks += 1
            part = _part(row, child, path)
            if recognise(child):
                yield part
            else:
                yield from self._parts(part, levels - 1)


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """The members of a list or object that may be records, JSON in strings decoded."""
    if isinstance(value, list):
        pairs = ((f"[{number}]", item) for number, item in enumerate(value))
    elif isinstance(value, dict):
        pairs = ((f".{key}", item) for key, item in list(value.items())[:_MAX_KEYS])
    else:
        return
    for path, item in pairs:
        inner = decode_inner(item)
        if isinstance(inner, dict | list):
            yield path, inner


def _part(row: Row, value: Any, path: str) -> Row:
    place = row.position
    inner = Position(
        line=place.line, offset=place.offset, length=place.length, member=place.member, path=place.path + path
    )
    return Row(value, row.raw, inner, row.notes)
