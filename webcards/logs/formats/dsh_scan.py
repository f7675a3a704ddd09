"""Finds the calls and results of web tools in a block of a session log, without decoding the many other events."""

import re
from collections.abc import Iterator
from itertools import chain

from webcards.logs.blocks import Block, Layout
from webcards.logs.naming import web_tool

_NAME = re.compile(rb'"name"\s*:\s*"([^"\\]{1,200})"')
_CALL_ID = re.compile(rb'"(?:callId|toolCallId)"\s*:\s*"([^"\\]{1,500})"')
_ID_AND_NAME = re.compile(rb'"callId":\s?"([^"\\]{1,500})",\s?"name":\s?"([^"\\]{1,200})"')
_CALL, _RESULT, _SPOKEN = b'"tool/call"', b'"tool/result"', b'"tool-call'
_WEB_WORDS = (b"web", b"search", b"fetch")
# Ids of calls that are no web calls, until their results pass; a log that never answers them must not fill the memory.
_MAX_OTHERS = 50_000
_MAX_NAMES = 4_096
_SESSIONS = (b'{"type":"session"', b'{"type": "session"')
# What follows `{"type":` (and a space, if there is one), eight bytes of it.
_MARKS: dict[bytes, bytes | None] = {
    b'"tool/ca': _CALL,
    b'"tool/re': _RESULT,
    b'"tool-ca': _SPOKEN,
    b'"session': None,
}
# Shorter lines hold no event of ours.
_WIDTH = 25


def _number(eight: bytes) -> int:
    return int.from_bytes(eight, "little")


_KINDS = {_number(mark): kind for mark, kind in _MARKS.items()}
_NUMBERS = list(_KINDS)

# Begin, end and kind of a line; the kind None: worth decoding, whatever is in it.
Marked = tuple[int, int, bytes | None]


class SessionScan:
    """Remembers the calls of other tools, so that their results, mostly the largest lines, stay undecoded."""

    def __init__(self) -> None:
        self._others: dict[bytes, None] = {}
        self._web: dict[bytes, bool] = {}

    def remember(self, call_id: str) -> None:
        """Notes a call of a tool that is no web tool."""
        self._remember(call_id.encode("utf-8", "replace"))

    def forget(self, call_id: str | None) -> bool:
        """Whether this is the id of such a call, whose result is there now."""
        if call_id is None or (key := call_id.encode("utf-8", "replace")) not in self._others:
            return False
        del self._others[key]
        return True

    def clear(self) -> None:
        """Forgets all: another session begins."""
        self._others.clear()

    def select(self, block: Block, layout: Layout | None) -> list[tuple[int, int]]:
        """Begin and end of each line that is worth decoding."""
        data, others, call_id_in = block.data, self._others, _CALL_ID.search
        chosen = []
        for start, end, kind in _by_needles(data, block.size) if layout is None else _by_heads(block, layout):
            if kind is _RESULT:
                found = call_id_in(data, start, end)
                if found is not None and found[1] in others:
                    del others[found[1]]
                    continue
            elif kind is _CALL:
                if not self._is_web_call(data, start, end):
                    continue
            elif kind is _SPOKEN and not _speaks_of_the_web(data, start, end):
                continue
            chosen.append((start, end))
        return chosen

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

    def _remember(self, call_id: bytes) -> None:
        self._others[call_id] = None
        if len(self._others) > _MAX_OTHERS:
            del self._others[next(iter(self._others))]


def _speaks_of_the_web(data: bytearray, start: int, end: int) -> bool:
    """Whether a model began a web call here; without a later tool/call its words are all there is of it."""
    return data.find(_SPOKEN, start, end) >= 0 and any(data.find(word, start, end) >= 0 for word in _WEB_WORDS)


def _first(pattern: re.Pattern[bytes], data: bytearray, start: int, end: int) -> bytes | None:
    found = pattern.search(data, start, end)
    return found[1] if found else None


def _by_needles(data: bytes | bytearray, size: int) -> Iterator[Marked]:
    """Lines with the type of a call or a result anywhere in them, and heads of sessions."""
    kinds = ((_SPOKEN, _SPOKEN), (_CALL, _CALL), (_RESULT, _RESULT), *((head, None) for head in _SESSIONS))
    places = {start: (end, kind) for needle, kind in kinds for start, end in _found(data, size, needle)}
    for start in sorted(places):
        yield start, *places[start]


def _found(data: bytes | bytearray, size: int, needle: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each line with the needle in it."""
    at = data.find(needle, 0, size)
    while at >= 0:
        end = data.find(b"\n", at, size)
        end = size if end < 0 else end
        yield data.rfind(b"\n", 0, at) + 1, end
        at = data.find(needle, end, size)


def _by_heads(block: Block, layout: Layout) -> Iterator[Marked]:
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
    typed = eights[starts] == _number(b'{"type":')
    second = eights[starts + 8]
    spaced = (second & 0xFF) == 0x20
    if spaced.any():
        second = np.where(spaced, eights[starts + 9], second)
    # More space than that before the type: looked at as lines that begin otherwise.
    typed &= (second & 0xFF) == 0x22
    chosen = (second == _NUMBERS[0]) | (second == _NUMBERS[1]) | (second == _NUMBERS[2]) | (second == _NUMBERS[3])
    chosen &= typed
    # Of the many pieces of a text, those that end a block of calls end with one brace more.
    piece = second == _number(b'"assista')
    if piece.any():
        third = eights[starts + 16 + spaced]
        closed = (eights[ends - 8] >> 32) == _number(b"}}}}")
        chosen |= piece & typed & ((third != _number(b"nt/chunk")) | closed)
    kinds = [_KINDS.get(mark, _SPOKEN) for mark in second[chosen].tolist()]
    marked = zip(starts[chosen].tolist(), ends[chosen].tolist(), kinds, strict=True)
    if typed.all():
        return marked
    others = zip(starts[~typed].tolist(), ends[~typed].tolist(), strict=True)
    inside = ((start, end, kind) for start, end in others for _, _, kind in _by_needles(data[start:end], end - start))
    return chain(marked, inside)
