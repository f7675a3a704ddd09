"""Cuts a stream into blocks of whole lines, and knows of each block where its lines begin and end."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from webcards.logs.opening import Peeked

# Most logs are small, and of a large one the first calls should show at once: the first block is the smallest.
FIRST, BLOCK = 1 << 16, 1 << 20
BEYOND = 64
_NUMBERS = 5
# A line longer than this is left out: one record must fit in memory several times over.
MAX_LINE = 1 << 25

try:
    import numpy as np
except ImportError:  # pragma: no cover - every installation of the app has it; the library alone may not
    np = None  # type: ignore[assignment]

# The place of the one bit that is set in a byte, counted from its highest.
_SEVERAL = 8
_PLACE = (
    None
    if np is None
    else np.array([8 - byte.bit_length() if byte.bit_count() == 1 else _SEVERAL for byte in range(256)], dtype=np.int64)
)


class Block(Struct, frozen=True):
    """Whole lines: the first `size` bytes of `data`, which are valid only until the next block is asked for.

    `offset` and `line` are those of the first byte; `feeds` are the places of the line feeds, as a numpy array where
    there is numpy; `last`: the stream ended here, without a line feed.
    """

    data: bytearray
    size: int
    offset: int
    line: int
    feeds: Any
    last: bool = False

    @property
    def next_line(self) -> int:
        """The number of the line that follows this block."""
        return self.line + len(self.feeds)


class Line(Struct, frozen=True, gc=False):
    """One line without its end. `whole` is False for a last line that no line feed ends."""

    raw: bytes
    offset: int
    line: int
    whole: bool = True


class TooLong(Struct, frozen=True):
    """A line that was left out for its length."""

    line: int
    length: int


class Layout(Struct, frozen=True):
    """What stands around each line feed of a block, as five little-endian numbers of eight bytes (a numpy array).

    The first ends with the line feed: how the line before it ends. The others are how the line after it begins.
    """

    around: Any


# Finds in a block the lines that are worth decoding: pairs of begin and end. Without numpy there is no layout.
Select = Callable[[Block, Layout | None], list[tuple[int, int]]]


def blocks(stream: Peeked, offset: int = 0, line: int = 1) -> Iterator[Block | TooLong]:
    """The stream in blocks that end with a line feed (JSON Lines splits there and nowhere else).

    All blocks lie in one buffer: taking new memory for each costs twice the time of all else that is done with it.
    """
    step = FIRST
    buffer, held = _Buffer(step * 2), 0
    while True:
        if buffer.size - held < step:
            buffer = buffer.grown(held)
        got = stream.readinto(buffer.view[held : held + step])
        if not got:
            break
        size = held + got
        end = buffer.data.rfind(b"\n", held, size) + 1
        if end:
            block = Block(buffer.data, end, offset, line, buffer.feeds(end))
            yield block
            offset, line = offset + end, block.next_line
            held = buffer.move(end, size)
            step = min(step * 2, BLOCK)
        elif size > MAX_LINE:
            length, rest = _skip_line(stream, size)
            yield TooLong(line, length)
            offset, line = offset + length, line + 1
            buffer.view[: len(rest)] = rest
            held = len(rest)
        else:
            held = size
    if held:
        yield Block(buffer.data, held, offset, line, buffer.feeds(0), last=True)


class _Buffer:
    """The memory of the blocks, and of what is computed about their line feeds."""

    def __init__(self, size: int) -> None:
        # A little more, so that one can look at so many bytes from the last on.
        self.size, self.data = size, bytearray(size + BEYOND)
        self.view = memoryview(self.data)
        self._byte = self._flags = None
        if np is not None:
            self._byte = np.frombuffer(self.data, dtype=np.uint8)
            self._flags = np.empty(size, dtype=bool)

    def grown(self, held: int) -> "_Buffer":
        """A buffer of twice the size that begins with the same bytes."""
        larger = _Buffer(self.size * 2)
        larger.view[:held] = self.view[:held]
        return larger

    def move(self, begin: int, end: int) -> int:
        """Brings the bytes between two places to the front; gives their number."""
        rest = bytes(self.view[begin:end])
        self.view[: len(rest)] = rest
        return len(rest)

    def feeds(self, end: int) -> Any:
        """The places of the line feeds before `end`."""
        if np is None or self._byte is None or self._flags is None:
            return [at for at in range(end) if self.data[at] == 10]
        flags = self._flags[:end]
        np.equal(self._byte[:end], 10, out=flags)
        # Of most eight bytes none is a line feed, and of the others one: looking at eight at once takes half the time.
        eights = np.packbits(flags)
        filled = np.flatnonzero(eights.view(bool))
        inside = _PLACE[eights[filled]]
        return np.flatnonzero(flags) if (inside == _SEVERAL).any() else filled * 8 + inside


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
    yield from lines_in(bytes(memoryview(block.data)[: block.size]), block.offset, block.line)


def lines_in(data: bytes, offset: int = 0, line: int = 1) -> Iterator[Line]:
    """Every line of some bytes."""
    parts = data.split(b"\n")
    final = parts.pop()
    for part in parts:
        yield Line(part, offset, line)
        offset, line = offset + len(part) + 1, line + 1
    if final:
        yield Line(final, offset, line, whole=False)


def chosen_lines(block: Block, select: Select) -> Iterator[Line]:
    """The lines that `select` finds, and those that do not look like a JSON object from outside.

    The second kind is told by its first and last byte: a line of another event that is damaged inside is not noticed,
    and need not be.
    """
    layout = _layout(block)
    if layout is None:
        chosen = {start for start, _ in select(block, None)}
        for line in all_lines(block):
            odd = line.raw and not (line.raw.startswith(b"{") and line.raw.rstrip(b"\r").endswith(b"}"))
            if odd or line.offset - block.offset in chosen:
                yield line
        return
    places = dict(select(block, layout))
    feeds, data = block.feeds, block.data
    bytes_around = layout.around.view(np.uint8)
    first, last = bytes_around[:-1, 8], bytes_around[1:, 6]
    odd = (first != 0x7B) | ((last != 0x7D) & (last != 0x0D))
    if odd.any():
        rows = np.flatnonzero(odd)
        places.update(zip((feeds[rows] + 1).tolist(), feeds[rows + 1].tolist(), strict=True))
    # The first line has no line feed before it, and the last of a stream may have none after it.
    ends = [(0, int(feeds[0]))] + ([(int(feeds[-1]) + 1, block.size)] if block.last else [])
    places.update((start, end) for start, end in ends if data[start] != 0x7B or data[end - 1] not in b"}\r")
    if not places:
        return
    view = memoryview(data)
    begins = sorted(places)
    before = np.searchsorted(feeds, begins).tolist()
    yield from [
        Line(bytes(view[start : places[start]]), block.offset + start, block.line + count, places[start] < block.size)
        for start, count in zip(begins, before, strict=True)
    ]


def _layout(block: Block) -> Layout | None:
    """The layout, if there is numpy and the block's first line is no shorter than what is looked at of it."""
    if np is None or not len(block.feeds) or block.feeds[0] < 8 or block.size + BEYOND > len(block.data):
        return None
    width = _NUMBERS * 8
    windows = np.ndarray((len(block.data) - width + 1,), dtype=f"V{width}", buffer=block.data, strides=(1,))
    return Layout(windows[block.feeds - 7].view("<u8").reshape(len(block.feeds), _NUMBERS))
