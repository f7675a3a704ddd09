"""What a log format is to the reading loop: a name, how to recognise it, and a reader of its rows."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from msgspec import Struct

from webcards.logs.blocks import Select
from webcards.logs.framing import Row
from webcards.logs.model import LoggedCall, LogItem


class RowReader(Protocol):
    """Reads one log row by row; it holds what is not settled yet."""

    def feed(self, row: Row) -> Iterable[LogItem]:
        """The items that this row brings to their end, in the order in which they began."""

    def finish(self) -> Iterator[LogItem]:
        """What is left at the end of the log."""

    def waiting(self) -> list[LoggedCall]:
        """What is not given out yet, as it stands."""


class Format(Struct, frozen=True):
    """One format. `recognises` looks at one decoded row or document.

    `stream`: its rows belong together, so a log that holds one of them is read as this format from end to end. `scan`
    makes, for a reader, what lets it skip lines undecoded. `outcomes` gives the calls that a body of a search service
    records, wherever such a body turns up.
    """

    name: str
    recognises: Callable[[Any], bool]
    reader: Callable[[], RowReader]
    stream: bool = True
    scan: Callable[[Any], Select] | None = None
    outcomes: Callable[[Any], Iterator[Any]] | None = None

    def knows(self, value: Any) -> bool:
        """Whether the format recognises a record. One that trips over it does not: what comes here is anything at all."""
        try:
            return self.recognises(value)
        except Exception:
            return False


class Documents:
    """A reader of documents that stand alone: each row gives its calls at once."""

    def __init__(self, read: Callable[[Row], Iterator[LogItem]]) -> None:
        self._read = read

    def feed(self, row: Row) -> Iterator[LogItem]:
        """The calls of this document."""
        return self._read(row)

    def finish(self) -> Iterator[LogItem]:
        """Nothing is held back."""
        return iter(())

    def waiting(self) -> list[LoggedCall]:
        """Nothing is held back."""
        return []


def document_format(name: str, recognises: Callable[[Any], bool], read: Callable[[Row], Iterator[LogItem]]) -> Format:
    """A format of documents that stand alone."""
    return Format(name, recognises, lambda: Documents(read), stream=False)
