"""Reads a log of any format: opens it, finds the format of each of its files, and gives its items as a stream."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.decode import decode_inner
from webcards.logs.format import Format, RowReader
from webcards.logs.formats import all_formats
from webcards.logs.framing import Framed, PlainText, Row
from webcards.logs.model import LoggedCall, LogItem, LogProblem, Position
from webcards.logs.opening import Source, members
from webcards.logs.plain_text import read_text

# How deep the records of a wrapper (an exported request with its response, say) are looked for.
_MAX_UNWRAP = 3
_MAX_KEYS = 64


def read(source: Source, *, format_name: str | None = None) -> Iterator[LoggedCall]:
    """The web calls of a log, in order. What could not be read is left out silently: `read_log` tells it.

    Raises OSError for a path that cannot be opened, ValueError for an unknown `format_name`.
    """
    for item in read_log(source, format_name=format_name):
        if isinstance(item, LoggedCall):
            yield item


def read_log(source: Source, *, name: str = "", format_name: str | None = None) -> Iterator[LogItem]:
    """Calls, answers and problems of a log, in order; it never raises for what the log holds.

    `source` is a path (of a file or a folder), bytes, or a binary stream. `format_name` reads everything as that
    format instead of recognising it. Raises OSError for a path that cannot be opened, ValueError for an unknown
    `format_name`.
    """
    forced = format_called(format_name) if format_name is not None else None
    found_any = False
    empty = True
    for member in members(source, name):
        if isinstance(member, LogProblem):
            empty = False
            yield member
            continue
        framed = Framed(member)
        if framed.kind != "empty":
            empty = False
        reading = MemberReading(framed, forced)
        for item in reading.items():
            found_any = found_any or isinstance(item, LoggedCall)
            yield item
    if empty:
        yield LogProblem(1, 1, "the log is empty: there is nothing to show", name)


def format_called(name: str) -> Format:
    """The format of this name. Raises ValueError with the known names."""
    for known in all_formats():
        if known.name == name:
            return known
    names = ", ".join(known.name for known in all_formats())
    raise ValueError(f"no log format is called {name!r}; the known ones are: {names}")


def recognise(value: Any) -> Format | None:
    """The first format, in order of detection, that knows this record."""
    return next((known for known in all_formats() if known.recognises(value)), None)


class MemberReading:
    """The reading of one file of a log."""

    def __init__(self, framed: Framed, forced: Format | None = None) -> None:
        self.framed = framed
        self._primary: tuple[Format, RowReader] | None = None
        self._readers: dict[str, RowReader] = {}
        self._rows = self._known = 0
        self._calls = 0
        chosen = forced or _of_sample(framed.sample)
        if chosen is not None:
            self._primary = (chosen, self._reader(chosen))

    @property
    def format_name(self) -> str | None:
        """The name of the format that the file as a whole has, if it has one."""
        return self._primary[0].name if self._primary else None

    def items(self) -> Iterator[LogItem]:
        """Everything in the file, to its end."""
        for record in self.framed.records(self._scan()):
            yield from self._counted(self._record(record))
        yield from self._counted(self.finish())
        if not self._calls and not self._known and self._rows:
            yield LogProblem(1, 1, "no known log format: no web call was recognised here", self.framed.name)

    def finish(self) -> Iterator[LogItem]:
        """What the readers still hold."""
        for reader in self._readers.values():
            yield from reader.finish()

    def waiting(self) -> list[LoggedCall]:
        """The calls that are begun and not settled."""
        return [call for reader in self._readers.values() for call in reader.waiting()]

    def _counted(self, items: Iterator[LogItem]) -> Iterator[LogItem]:
        for item in items:
            self._calls += isinstance(item, LoggedCall)
            yield item

    def _scan(self) -> Any:
        if self._primary and self._primary[0].scan:
            return self._primary[0].scan(self._primary[1])
        return None

    def _reader(self, known: Format) -> RowReader:
        if known.name not in self._readers:
            self._readers[known.name] = known.reader()
        return self._readers[known.name]

    def _record(self, record: Row | PlainText | LogProblem) -> Iterator[LogItem]:
        match record:
            case LogProblem():
                yield record
            case PlainText():
                self._known += 1
                yield from read_text(record)
            case Row():
                self._rows += 1
                yield from self._row(record)

    def _row(self, row: Row) -> Iterator[LogItem]:
        if self._primary and (self._primary[0].scan or self._primary[0].recognises(row.value)):
            self._known += 1
            yield from self._fed(self._primary[0], row)
            return
        if known := recognise(row.value):
            self._known += 1
            if known.stream and self._primary is None:
                self._primary = (known, self._reader(known))
            yield from self._fed(known, row)
        elif self._primary:
            yield from self._fed(self._primary[0], row)
        else:
            yield from self._inner(row)

    def _fed(self, known: Format, row: Row) -> Iterator[LogItem]:
        try:
            yield from self._reader(known).feed(row)
        except Exception as error:  # a reader that trips over one record must not cost the rest of the log
            place, what = row.position, type(error).__name__
            yield LogProblem(place.line, 1, f"this {known.name} record could not be read ({what})", place.member)

    def _inner(self, row: Row) -> Iterator[LogItem]:
        """The records inside a row that is none itself: the items of a list, JSON in a string, a wrapped response."""
        for part in _parts(row, _MAX_UNWRAP):
            known = recognise(part.value)
            if known is not None:
                self._known += 1
                yield from self._fed(known, part)


def _parts(row: Row, levels: int) -> Iterator[Row]:
    value = decode_inner(row.value)
    if value is not row.value and recognise(value):
        yield _part(row, value, "")
        return
    if levels == 0:
        return
    if isinstance(value, list):
        children = [(f"[{number}]", item) for number, item in enumerate(value)]
    elif isinstance(value, dict):
        children = [(f".{key}", item) for key, item in list(value.items())[:_MAX_KEYS]]
    else:
        return
    for path, item in children:
        if isinstance(item, dict | list) or (isinstance(item, str) and item.lstrip()[:1] in ("{", "[", '"')):
            part = _part(row, decode_inner(item), path)
            if recognise(part.value):
                yield part
            elif isinstance(part.value, dict | list):
                yield from _parts(part, levels - 1)


def _part(row: Row, value: Any, path: str) -> Row:
    place = row.position
    position = Position(
        line=place.line, offset=place.offset, length=place.length, member=place.member, path=place.path + path
    )
    return Row(value, row.raw, position, row.notes)


def _of_sample(sample: list[Any]) -> Format | None:
    """The earliest stream format, in order of detection, that any of these records has."""
    for known in all_formats():
        if known.stream and any(known.recognises(value) for value in sample):
            return known
    return None
