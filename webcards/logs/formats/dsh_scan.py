"""Finds the calls and results of web tools in a block of a session log, without decoding the many other events."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from webcards.logs.blocks import Block, Layout
from webcards.logs.naming import web_tool

_NAME = re.compile(rb'"name"\s*:\s*"([^"\\]{1,200})"')
_CALL_ID = re.compile(rb'"callId"\s*:\s*"([^"\\]{1,500})"')
_TOOL_CALL_ID = re.compile(rb'"toolCallId"\s*:\s*"([^"\\]{1,500})"')
_ID_AND_NAME = re.compile(rb'"callId":\s?"([^"\\]{1,500})",\s?"name":\s?"([^"\\]{1,200})"')
_CALL, _RESULT, _SPOKEN = b'"tool/call"', b'"tool/result"', b'"tool-call'
_WEB_WORDS = (b"web", b"search", b"fetch")
# Ids of calls that are no web calls, until their results pass; a log that never answers them must not fill the memory.
_MAX_OTHERS = 50_000
_MAX_NAMES = 4_096
_SESSION = b'"session"'
# Shorter lines hold no event of ours.
_WIDTH = 25


def _number(eight: bytes) -> int:
    return int.from_bytes(eight, "little")


# How events begin, eight bytes at a time: `{"type":`, and what follows it (or the space after it).
_TYPE = _number(b'{"type":')
_CALL_MARK, _RESULT_MARK = _number(b'"tool/ca'), _number(b'"tool/re')
_PACKED_MARK, _SESSION_MARK = _number(b'"tool-ca'), _number(b'"session')
_SPOKEN_MARK, _PIECE, _BRACES = _number(b'"assista'), _number(b"nt/chunk"), _number(b"}}}}")


class Candidates(Struct, frozen=True):
    """The lines of a block that may be worth decoding, as pairs of begin and end, by what they are."""

    calls: list[tuple[int, int]]
    results: list[tuple[int, int]]
    spoken: list[tuple[int, int]]
    certain: list[tuple[int, int]]


class SessionScan:
    """Remembers the calls of other tools, so that their results, mostly the largest lines, stay undecoded."""

    def __init__(self) -> None:
        self._others: dict[bytes, int] = {}
        self._web: dict[bytes, bool] = {}

    def remember(self, call_id: str) -> None:
        """Notes a call of a tool that is no web tool."""
        self._remember(call_id.encode("utf-8", "replace"))

    def forget(self, call_id: str | None) -> bool:
        """Whether this is the id of such a call, whose result is there now."""
        return call_id is not None and self._forget(call_id.encode("utf-8", "replace"))

    def clear(self) -> None:
        """Forgets all: another session begins."""
        self._others.clear()

    def select(self, block: Block, layout: Layout | None) -> list[tuple[int, int]]:
        """Begin and end of each line that is worth decoding."""
        data = block.data
        found = _by_needles(data, block.size) if layout is None else _by_heads(block, layout)
        # A result comes after its call: all calls of the block first.
        chosen = [line for line in found.calls if self._is_web_call(data, *line)]
        chosen += [line for line in found.results if self._is_web_result(data, *line)]
        chosen += [line for line in found.spoken if _speaks_of_the_web(data, *line)]
        return chosen + found.certain

    def _is_web_call(self, data: bytearray, start: int, end: int) -> bool:
        pair = _ID_AND_NAME.search(data, start, end)
        if pair is not None:
            call_id, name = pair.groups()
        else:
            call_id, name = _first(_CALL_ID, data, start, end), _first(_NAME, data, start, end)
            if call_id is None or name is None:
                return True
        web = self._web.get(name)
        if web is None:
            web = web_tool(name.decode("utf-8", "replace")) is not None
            if len(self._web) < _MAX_NAMES:
                self._web[name] = web
        if not web:
            self._remember(call_id)
        return web

    def _is_web_result(self, data: bytearray, start: int, end: int) -> bool:
        found = _CALL_ID.search(data, start, end) or _TOOL_CALL_ID.search(data, start, end)
        return found is None or not self._forget(found[1])

    def _remember(self, call_id: bytes) -> None:
        self._others[call_id] = self._others.get(call_id, 0) + 1
        if len(self._others) > _MAX_OTHERS:
            del self._others[next(iter(self._others))]

    def _forget(self, call_id: bytes) -> bool:
        count = self._others.get(call_id)
        if count is None:
            return False
        if count == 1:
            del self._others[call_id]
        else:
            self._others[call_id] = count - 1
        return True


def _speaks_of_the_web(data: bytearray, start: int, end: int) -> bool:
    """Whether a model began a web call here; without a later tool/call its words are all there is of it."""
    return data.find(_SPOKEN, start, end) >= 0 and any(data.find(word, start, end) >= 0 for word in _WEB_WORDS)


def _first(pattern: re.Pattern[bytes], data: bytearray, start: int, end: int) -> bytes | None:
    found = pattern.search(data, start, end)
    return found[1] if found else None


def _by_needles(data: bytes | bytearray, size: int) -> Candidates:
    """Lines with the type of a call or a result anywhere in them, and heads of sessions."""
    certain = list(_found(data, size, _SESSION))
    calls = list(_found(data, size, _CALL))
    taken = {start for start, _ in (*certain, *calls)}
    results = [line for line in _found(data, size, _RESULT) if line[0] not in taken]
    taken.update(start for start, _ in results)
    spoken = [line for line in _found(data, size, _SPOKEN) if line[0] not in taken]
    return Candidates(calls, results, spoken, certain)


def _found(data: bytes | bytearray, size: int, needle: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each line with the needle in it."""
    at = data.find(needle, 0, size)
    while at >= 0:
        end = data.find(b"\n", at, size)
        end = size if end < 0 else end
        yield data.rfind(b"\n", 0, at) + 1, end
        at = data.find(needle, end, size)


def _by_heads(block: Block, layout: Layout) -> Candidates:
    """The same by the first bytes of each line, eight at a time, as events begin with their type.

    Lines that begin otherwise (another order of keys, events in a wrapper) are searched for the needles.
    """
    import numpy as np

    data, size = block.data, block.size
    if size < _WIDTH:
        return _by_needles(data, size)
    # The eight bytes at every place of the block, as one number each.
    eights = np.ndarray((size - 7,), dtype="<u8", buffer=data, strides=(1,))
    starts, ends = layout.starts, layout.ends
    room = ends - starts >= _WIDTH
    if not room.all():
        starts, ends = starts[room], ends[room]
    typed = eights[starts] == _TYPE
    second = eights[starts + 8]
    spaced = (second & 0xFF) == 0x20
    if spaced.any():
        second = np.where(spaced, eights[starts + 9], second)
    # More space than that before the type: looked at as lines that begin otherwise.
    typed &= (second & 0xFF) == 0x22

    def lines(mask: Any) -> list[tuple[int, int]]:
        return list(zip(starts[mask].tolist(), ends[mask].tolist(), strict=True))

    certain = typed & (second == _SESSION_MARK)
    spoken = second == _PACKED_MARK
    piece = second == _SPOKEN_MARK
    if piece.any():
        # Of the many pieces of a text, those that end a block of calls end with one brace more.
        third = eights[starts + 16 + spaced]
        spoken |= piece & ((third != _PIECE) | ((eights[ends - 8] >> 32) == _BRACES))
    found = Candidates(
        lines(typed & (second == _CALL_MARK)),
        lines(typed & (second == _RESULT_MARK)),
        lines(typed & spoken),
        lines(certain) if certain.any() else [],
    )
    if not typed.all():
        for start, end in lines(~typed):
            _sort_in(found, data, start, end)
    return found


def _sort_in(found: Candidates, data: bytearray, start: int, end: int) -> None:
    """Puts a line that does not begin with its type where it belongs, by the needles in it."""
    for needle, lines in ((_CALL, found.calls), (_RESULT, found.results), (_SPOKEN, found.spoken)):
        if data.find(needle, start, end) >= 0:
            lines.append((start, end))
            return
    if data.find(_SESSION, start, end) >= 0:
        found.certain.append((start, end))
