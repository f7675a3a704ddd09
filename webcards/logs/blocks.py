"""Cuts a stream into blocks of whole lines, and finds in a block the lines that matter without decoding the others."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from webcards.logs.opening import Peeked

BLOCK = 1 << 20
# A line longer than this is left out: one record must fit in memory several times over.
MAX_LINE = 1 << 25

try:
    import numpy as np
except ImportError:  # pragma: no cover - every installation of the app has it; the library alone may not
    np = None  # type: ignore[assignment]


class Block(Struct, frozen=True):
    """Whole lines. `offset` and `line` are those of the first byte; `last`: the stream ended here."""

    data: bytes
    offset: int
    line: int
    last: bool = False


class Line(Struct, frozen=True):
    """One line without its end. `whole` is False for a last line that no line feed ends."""

    raw: bytes
    offset: int
    line: int
    whole: bool = True


class TooLong(Struct, frozen=True):
    """A line that was left out for its length."""

    line: int
    length: int


def blocks(stream: Peeked, offset: int = 0, line: int = 1) -> Iterator[Block | TooLong]:
    """The stream in blocks that end with a line feed (JSON Lines splits there and nowhere else)."""
    tail = b""
    while True:
        chunk = stream.read(BLOCK)
        if not chunk:
            if tail:
                yield Block(tail, offset, line, last=True)
            return
        end = chunk.rfind(b"\n") + 1
        if not end:
            tail += chunk
            if len(tail) > MAX_LINE:
                length, rest = _skip_line(stream, len(tail))
                yield TooLong(line, length)
                offset, line, tail = offset + length, line + 1, rest
            continue
        data, tail = tail + chunk[:end], chunk[end:]
        yield Block(data, offset, line)
        offset, line = offset + len(data), line + data.count(b"\n")


def _skip_line(stream: Peeked, length: int) -> tuple[int, bytes]:
    """Reads to the end of the line; gives its whole length and what was read of the next."""
    while chunk := stream.read(BLOCK):
        end = chunk.find(b"\n") + 1
        if end:
            return length + end, chunk[end:]
        length += len(chunk)
    return length, b""


def all_lines(block: Block) -> Iterator[Line]:
    """Every line of a block."""
    offset, line = block.offset, block.line
    parts = block.data.split(b"\n")
    final = parts.pop()
    for part in parts:
        yield Line(part, offset, line)
        offset, line = offset + len(part) + 1, line + 1
    if final:
        yield Line(final, offset, line, whole=False)


def lines_with(block: Block, needles: tuple[bytes, ...]) -> Iterator[Line]:
    """The lines that hold one of the needles, and those that do not look like a JSON object from outside.

    The second kind is told by its first and last byte: a line of another event that is damaged inside is not noticed,
    and need not be.
    """
    data = block.data
    hits = _line_starts(data, needles)
    ends = _line_ends(data)
    for start, end in sorted({**hits, **_odd_lines(data, ends)}.items()):
        line = block.line + _count_before(ends, start)
        yield Line(data[start:end], block.offset + start, line, whole=end < len(data))


def _line_starts(data: bytes, needles: tuple[bytes, ...]) -> dict[int, int]:
    """Start and end of each line with a needle in it."""
    found: dict[int, int] = {}
    for needle in needles:
        at = data.find(needle)
        while at >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            found[start] = end
            at = data.find(needle, end)
    return found


def _line_ends(data: bytes) -> Any:
    """The places of the line feeds, as an array (or a list, without numpy)."""
    if np is not None:
        return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10)
    return [at for at, byte in enumerate(data) if byte == 10]


def _count_before(ends: Any, start: int) -> int:
    if np is not None:
        return int(np.searchsorted(ends, start))
    from bisect import bisect_left

    return bisect_left(ends, start)


def _odd_lines(data: bytes, ends: Any) -> dict[int, int]:
    """Lines that do not begin with `{` or not end with `}` (a carriage return aside)."""
    if np is None:
        starts = [0, *(end + 1 for end in ends)]
        bounds = [*ends, len(data)]
        return {
            start: end
            for start, end in zip(starts, bounds, strict=True)
            if end > start and not (data[start] == 0x7B and data[start:end].rstrip(b"\r").endswith(b"}"))
        }
    byte = np.frombuffer(data, dtype=np.uint8)
    starts = np.concatenate(([0], ends + 1))
    bounds = np.concatenate((ends, [len(data)]))
    filled = bounds > starts
    starts, bounds = starts[filled], bounds[filled]
    odd = (byte[starts] != 0x7B) | ((byte[bounds - 1] != 0x7D) & (byte[bounds - 1] != 0x0D))
    return {int(start): int(end) for start, end in zip(starts[odd], bounds[odd], strict=True)}
