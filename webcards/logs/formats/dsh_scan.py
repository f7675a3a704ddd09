"""Finds the calls and results of web tools in a block of a session log, without decoding the many other events.

What is told apart undecoded are lines that begin with the event's type, as the harness writes them; every other
spelling that JSON allows (another order of keys, escapes, a wrapper) only costs time. A result is that of the call
which its message names as its source.
"""

import re
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from webcards.logs.blocks import Block, Layout
from webcards.logs.naming import web_tool

_WEB_WORDS = (b"web", b"search", b"fetch")
_SPOKEN = b'"tool-call'
# Ids of calls that are no web calls, until their results pass; a log that never answers them must not fill the memory.
_MAX_OTHERS = 50_000
_MAX_NAMES = 4_096
# Shorter lines hold no event of ours.
_WIDTH = 25
# The ids and names of nearly all events stand within so many bytes of their lines.
_HEAD = 192
_HEAD_MARK = 1


def _number(eight: bytes) -> int:
    return int.from_bytes(eight, "little")


# How events begin, eight bytes at a time: `{"type":`, and what follows it; and how they end, with the line feed.
_TYPE = _number(b'{"type":')
_CALL_MARK, _RESULT_MARK = _number(b'"tool/ca'), _number(b'"tool/re')
_PACKED_MARK, _SESSION_MARK = _number(b'"tool-ca'), _number(b'"session')
_PIECE_MARK, _PIECE = _number(b'"assista'), _number(b"nt/chunk")
_BRACES, _BRACES_CR = _number(b"}}}}\n"), _number(b"}}}}\r\n")
_BACKSLASHES, _ONES, _TOPS = _number(b"\\" * 8), _number(b"\x01" * 8), _number(b"\x80" * 8)

# In a run of heads, each of which begins with the mark: the id of a call with its name, and the call that a result's
# message names as its source, each spelled with and without spaces. At most one of each head, since a hit takes all that
# is left of it.
_CALL_HEADS = tuple(
    re.compile(rb',%(s)s"callId":%(s)s"([^"\\\x01]+)",%(s)s"name":%(s)s"([^"\\\x01]+)"[^\x01]*' % {b"s": space})
    for space in (b"", b" ")
)
_RESULT_HEADS = tuple(
    re.compile(rb'"source":%(s)s{"kind":%(s)s"tool",%(s)s"callId":%(s)s"([^"\\\x01]+)"[^\x01]*' % {b"s": space})
    for space in (b"", b" ")
)

# Whatever else a line of ours may hold, it holds one of these; a letter that is written as an escape may be any.
_CALL, _RESULT = re.compile(rb'"tool(?:/|\\/|\\u002[fF])call"'), re.compile(rb'"tool(?:/|\\/|\\u002[fF])result"')
_CERTAIN = re.compile(rb'"session|\\u00[2-7][0-9a-fA-F]')
_ANY = re.compile(rb'"tool(?:/|\\/|\\u002[fF])(?:call|result)"|"tool-call|"session|\\u00[2-7][0-9a-fA-F]')

Lines = list[tuple[int, int]]


class _Call(Struct, rename="camel", gc=False):
    call_id: str
    name: str


class _Source(Struct, rename="camel", gc=False):
    call_id: str | UnsetType = UNSET


class _Part(Struct, rename="camel", gc=False):
    tool_call_id: str | UnsetType = UNSET


class _Message(Struct, gc=False):
    content: list[_Part] | UnsetType = UNSET
    source: _Source | UnsetType = UNSET


class _Result(Struct, rename="camel", gc=False):
    call_id: str | UnsetType = UNSET
    message: _Message | UnsetType = UNSET


class _CallEvent(Struct, gc=False):
    data: _Call


class _ResultEvent(Struct, gc=False):
    data: _Result


_call_decoder, _result_decoder = msgspec.json.Decoder(_CallEvent), msgspec.json.Decoder(_ResultEvent)


class SessionScan:
    """Remembers the calls of other tools, so that their results, mostly the largest lines, stay undecoded."""

    def __init__(self) -> None:
        self._others: dict[bytes, int] = {}
        self._web: dict[bytes, bool] = {}

    def remember(self, call_id: str) -> None:
        """Notes a call of a tool that is no web tool."""
        self._remember(call_id.encode("utf-8", "replace"))
        self._bound()

    def forget(self, call_id: str | None) -> bool:
        """Whether this is the id of such a call, whose result is there now."""
        if call_id is None or not self._others:
            return False
        return self._forget(call_id.encode("utf-8", "replace"))

    def clear(self) -> None:
        """Forgets all: another session begins."""
        self._others.clear()

    def select(self, block: Block, layout: Layout | None) -> Lines:
        """Begin and end of each line that is worth decoding."""
        return self._searched(block) if layout is None else self._by_heads(block, layout)

    def _searched(self, block: Block) -> Lines:
        """The lines that hold a needle, each looked at."""
        data, size, found = block.data, block.size, _Found()
        hit = _ANY.search(data, 0, size)
        while hit is not None:
            end = data.find(b"\n", hit.end(), size)
            end = size if end < 0 else end
            found.sort_in(data, data.rfind(b"\n", 0, hit.start()) + 1, end)
            hit = _ANY.search(data, end, size)
        return self._chosen(data, found)

    def _chosen(self, data: bytearray, found: "_Found") -> Lines:
        # A result comes after its call: all calls of the block first.
        chosen = [line for line in found.calls if self._is_web_call(data, *line)]
        chosen += [line for line in found.results if self._is_web_result(data, *line)]
        find = data.find
        spoken = [line for line in found.spoken if find(_SPOKEN, *line) >= 0]
        # A model began a call here; without a later tool/call its words are all there is of it.
        chosen += [line for line in spoken if any(find(word, *line) >= 0 for word in _WEB_WORDS)]
        self._bound()
        return chosen + found.certain

    def _by_heads(self, block: Block, layout: Layout) -> Lines:
        """The lines told apart by their first bytes, eight at a time, as events begin with their type.

        Lines that begin otherwise are searched for the needles; so are the first and the last of a block.
        """
        import numpy as np

        data, feeds, numbers, found = block.data, block.feeds, layout.around, _Found()
        found.sort_in(data, 0, int(feeds[0]))
        if block.last:
            found.sort_in(data, int(feeds[-1]) + 1, block.size)
        # Most lines are pieces of a text. Those that end a block of calls end with one brace more.
        first, second, third, tail = numbers[:-1, 1], numbers[:-1, 2], numbers[:-1, 3], numbers[1:, 0]
        piece = (second == _PIECE_MARK) & (third == _PIECE) & (first == _TYPE)
        piece &= (tail >> 24 != _BRACES) & (tail >> 16 != _BRACES_CR)
        rest = np.flatnonzero(~piece)
        first, second, third = first[rest], second[rest], third[rest]
        starts, ends = feeds[rest] + 1, feeds[rest + 1]
        spaced = (second & 0xFF) == 0x20
        if spaced.any():
            second = np.where(spaced, second >> 8 | third << 56, second)
            third = np.where(spaced, third >> 8 | numbers[rest, 4] << 56, third)
        # Another key first, more space than that, an escape in the type: searched.
        typed = (first == _TYPE) & ((second & 0xFF) == 0x22) & ~_has_backslash(second) & (ends - starts >= _WIDTH)
        spoken = (second == _PACKED_MARK) | (second == _PIECE_MARK)
        if spaced.any():
            tail = tail[rest]
            spoken &= (third != _PIECE) | (tail >> 24 == _BRACES) | (tail >> 16 == _BRACES_CR)
        found.spoken += _pairs(starts, ends, typed & spoken)
        found.certain += _pairs(starts, ends, typed & (second == _SESSION_MARK))
        if not typed.all():
            for start, end in _pairs(starts, ends, ~typed):
                found.sort_in(data, start, end)
        calls, results = typed & (second == _CALL_MARK), typed & (second == _RESULT_MARK)
        # A result comes after its call: all calls of the block first.
        chosen = [line for line in found.calls if self._is_web_call(data, *line)]
        chosen += self._calls(data, starts[calls], ends[calls])
        found.calls.clear()
        chosen += self._results(data, starts[results], ends[results])
        return chosen + self._chosen(data, found)

    def _calls(self, data: bytearray, starts: Any, ends: Any) -> Lines:
        heads = _in_heads(data, starts, ends, _CALL_HEADS)
        if heads is None:
            pairs = zip(starts.tolist(), ends.tolist(), strict=True)
            return [(start, end) for start, end in pairs if self._is_web_call(data, start, end)]
        web, others, chosen = self._web, self._others, []
        for row, (call_id, name) in enumerate(heads):
            known = web.get(name)
            if known is None:
                known = self._is_web(name)
            if known:
                chosen.append(row)
            else:
                others[call_id] = others.get(call_id, 0) + 1
        return [(int(starts[row]), int(ends[row])) for row in chosen]

    def _results(self, data: bytearray, starts: Any, ends: Any) -> Lines:
        heads = _in_heads(data, starts, ends, _RESULT_HEADS)
        if heads is None:
            pairs = zip(starts.tolist(), ends.tolist(), strict=True)
            return [(start, end) for start, end in pairs if self._is_web_result(data, start, end)]
        forget = self._forget
        return [(int(starts[row]), int(ends[row])) for row, call_id in enumerate(heads) if not forget(call_id)]

    def _is_web_call(self, data: bytearray, start: int, end: int) -> bool:
        try:
            call = _call_decoder.decode(memoryview(data)[start:end]).data
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return True
        if self._is_web(call.name.encode("utf-8", "replace")):
            return True
        self._remember(call.call_id.encode("utf-8", "replace"))
        return False

    def _is_web(self, name: bytes) -> bool:
        web = self._web.get(name)
        if web is None:
            web = web_tool(name.decode("utf-8", "replace")) is not None
            if len(self._web) < _MAX_NAMES:
                self._web[name] = web
        return web

    def _is_web_result(self, data: bytearray, start: int, end: int) -> bool:
        """Whether not every part of the line is known as the result of another tool."""
        try:
            result = _result_decoder.decode(memoryview(data)[start:end]).data
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return True
        message = result.message or _Message()
        source = message.source or _Source()
        spoken = result.call_id if source.call_id is UNSET else source.call_id
        ids = [spoken if part.tool_call_id is UNSET else part.tool_call_id for part in message.content or [_Part()]]
        names = [name.encode("utf-8", "replace") for name in ids if name is not UNSET]
        if len(names) < len(ids) or not all(name in self._others for name in names):
            return True
        for name in names:
            self._forget(name)
        return False

    def _remember(self, call_id: bytes) -> None:
        self._others[call_id] = self._others.get(call_id, 0) + 1

    def _bound(self) -> None:
        while len(self._others) > _MAX_OTHERS:
            del self._others[next(iter(self._others))]

    def _forget(self, call_id: bytes) -> bool:
        count = self._others.pop(call_id, 0)
        if count > 1:
            self._others[call_id] = count - 1
        return count > 0


class _Found:
    """Lines that may be worth decoding, as pairs of begin and end, by what they are."""

    def __init__(self) -> None:
        self.calls: Lines = []
        self.results: Lines = []
        self.spoken: Lines = []
        self.certain: Lines = []

    def sort_in(self, data: bytearray, start: int, end: int) -> None:
        """Puts a line where it belongs, by the needles in it."""
        if _CERTAIN.search(data, start, end):
            self.certain.append((start, end))
        elif _CALL.search(data, start, end):
            self.calls.append((start, end))
        elif _RESULT.search(data, start, end):
            self.results.append((start, end))
        elif data.find(_SPOKEN, start, end) >= 0:
            self.spoken.append((start, end))


def _pairs(starts: Any, ends: Any, mask: Any) -> Lines:
    return list(zip(starts[mask].tolist(), ends[mask].tolist(), strict=True)) if mask.any() else []


def _has_backslash(eights: Any) -> Any:
    """Whether one of the eight bytes of each number is a backslash (a zero byte, once both are combined)."""
    odd = eights ^ _BACKSLASHES
    return ((odd - _ONES) & ~odd & _TOPS) != 0


def _in_heads(data: bytearray, starts: Any, ends: Any, patterns: tuple[re.Pattern[bytes], ...]) -> list[Any] | None:
    """What one of the patterns finds in the first bytes of each line; None if that is not exactly one thing a line."""
    import numpy as np

    if not len(starts) or int(starts[-1]) + _HEAD > len(data):
        return None
    windows = np.ndarray((len(data) - _HEAD + 1,), dtype=f"V{_HEAD}", buffer=data, strides=(1,))
    rows = windows[starts].view(np.uint8).reshape(len(starts), _HEAD)
    lengths = ends - starts
    if lengths.min() < _HEAD:
        # Nothing of the lines that follow.
        rows *= np.arange(_HEAD, dtype=np.uint8) < np.minimum(lengths, _HEAD - 1).astype(np.uint8)[:, None]
    # The mark in the place of the brace that begins each line.
    rows[:, 0] = _HEAD_MARK
    heads = rows.tobytes()
    if heads.count(_HEAD_MARK) == len(starts):
        for pattern in patterns:
            found = pattern.findall(heads)
            if len(found) == len(starts):
                return found
    return None
