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
_EVENT = re.compile(rb'"tool(?:/|\\/|\\u002[fF])(?:call|result)"|"session|\\u00[2-7][0-9a-fA-F]')
_ANY = re.compile(rb'"tool-call|' + _EVENT.pattern)

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


class _Event(Struct, gc=False):
    type: str
    version: Any = UNSET
    data: msgspec.Raw | UnsetType = UNSET
    event: msgspec.Raw | UnsetType = UNSET


class _CallEvent(Struct, gc=False):
    data: _Call


class _ResultEvent(Struct, gc=False):
    data: _Result


_call_decoder, _result_decoder = msgspec.json.Decoder(_CallEvent), msgspec.json.Decoder(_ResultEvent)
_event_decoder = msgspec.json.Decoder(_Event)
_UNDECODABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class Others:
    """The ids of calls of other tools whose results have not come; where an id comes again, the latest call has it."""

    def __init__(self) -> None:
        self.ids: dict[bytes, int] = {}

    def remember(self, call_id: bytes) -> None:
        """Notes a call of a tool that is no web tool."""
        self.ids[call_id] = self.ids.get(call_id, 0) + 1
        if len(self.ids) > _MAX_OTHERS:
            del self.ids[next(iter(self.ids))]

    def forget(self, call_id: bytes) -> bool:
        """Whether this is the id of such a call, whose result is there now."""
        count = self.ids.pop(call_id, 0)
        if count > 1:
            self.ids[call_id] = count - 1
        return count > 0


class SessionScan:
    """Follows the calls of other tools, so that their results, mostly the largest lines, stay undecoded.

    It is ahead of the reader by up to a block, so what the reader decodes and finds to be no web call it keeps itself.
    """

    def __init__(self) -> None:
        self.others = Others()
        self._web: dict[bytes, bool] = {}

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
        return self._judged(data, found, [], []) + _told(data, found)

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
        found.odd += _pairs(starts, ends, typed & (second == _SESSION_MARK))
        if not typed.all():
            for start, end in _pairs(starts, ends, ~typed):
                found.sort_in(data, start, end)
        calls, results = typed & (second == _CALL_MARK), typed & (second == _RESULT_MARK)
        called = _in_heads(data, starts[calls], ends[calls], _CALL_HEADS)
        if called is None:
            found.calls += _pairs(starts, ends, calls)
        answered = _in_heads(data, starts[results], ends[results], _RESULT_HEADS)
        if answered is None:
            found.results += _pairs(starts, ends, results)
        lines = [*zip(starts[calls].tolist(), ends[calls].tolist(), strict=True)] if called else []
        lines += [*zip(starts[results].tolist(), ends[results].tolist(), strict=True)] if answered else []
        return self._judged(data, found, lines, [*(called or ()), *(answered or ())]) + _told(data, found)

    def _judged(self, data: bytearray, found: "_Found", lines: Lines, heads: list[Any]) -> Lines:
        """The calls and results that may be those of web tools, judged in their order: ids come again.

        A head is what is known of its line: of a call its id and name, of a result its id. Lines without one are
        decoded as far as that needs; None: that cannot be, so the reader is to look.
        """
        lines = [*lines, *found.calls, *found.results, *found.odd]
        heads += [_call_of(data, *at) for at in found.calls]
        heads += [_ids_of(data, *at) for at in found.results]
        heads += [_head_of(data, *at) for at in found.odd]
        ids, web, forget, chosen = self.others.ids, self._web, self.others.forget, []
        for row in sorted(range(len(lines)), key=lines.__getitem__):
            head = heads[row]
            if head.__class__ is bytes:
                if not forget(head):
                    chosen.append(lines[row])
            elif head.__class__ is tuple:
                call_id, name = head
                known = web.get(name)
                if known is None:
                    known = self._is_web(name)
                if known:
                    ids.pop(call_id, None)
                    chosen.append(lines[row])
                else:
                    ids[call_id] = ids.get(call_id, 0) + 1
            elif head is _NEW_SESSION:
                ids.clear()
                chosen.append(lines[row])
            elif head is None or not all(name in ids for name in head):
                chosen.append(lines[row])
            else:
                for name in head:
                    forget(name)
        while len(ids) > _MAX_OTHERS:
            del ids[next(iter(ids))]
        return chosen

    def _is_web(self, name: bytes) -> bool:
        web = self._web.get(name)
        if web is None:
            web = web_tool(name.decode("utf-8", "replace")) is not None
            if len(self._web) < _MAX_NAMES:
                self._web[name] = web
        return web


_NEW_SESSION = "session"


def _told(data: bytearray, found: "_Found") -> Lines:
    """The lines in which a model began a call: its words may be all there is of it."""
    find = data.find
    spoken = [line for line in found.spoken if find(_SPOKEN, *line) >= 0]
    return [line for line in spoken if any(find(word, *line) >= 0 for word in _WEB_WORDS)]


def _head_of(data: bytearray, start: int, end: int) -> Any:
    """The head of a line in any spelling, also inside a wrapper; None for what the reader is to look at."""
    try:
        event = _event_decoder.decode(memoryview(data)[start:end])
        if event.type == "session_event" and event.event is not UNSET:
            event = _event_decoder.decode(event.event)
        if event.type == "session":
            return None if event.version is UNSET else _NEW_SESSION
        if event.type == "tool/call" and event.data is not UNSET:
            return _named(msgspec.json.decode(event.data, type=_Call))
        if event.type == "tool/result" and event.data is not UNSET:
            return _answered(msgspec.json.decode(event.data, type=_Result))
    except _UNDECODABLE:
        pass
    return None


def _call_of(data: bytearray, start: int, end: int) -> tuple[bytes, bytes] | None:
    try:
        return _named(_call_decoder.decode(memoryview(data)[start:end]).data)
    except _UNDECODABLE:
        return None


def _named(call: _Call) -> tuple[bytes, bytes]:
    return call.call_id.encode("utf-8", "replace"), call.name.encode("utf-8", "replace")


def _ids_of(data: bytearray, start: int, end: int) -> list[bytes] | None:
    try:
        return _answered(_result_decoder.decode(memoryview(data)[start:end]).data)
    except _UNDECODABLE:
        return None


def _answered(result: _Result) -> list[bytes] | None:
    """The ids that the parts of a result answer; None if one has none."""
    message = result.message or _Message()
    source = message.source or _Source()
    spoken = result.call_id if source.call_id is UNSET else source.call_id
    ids = [spoken if part.tool_call_id is UNSET else part.tool_call_id for part in message.content or [_Part()]]
    named = [name.encode("utf-8", "replace") for name in ids if name is not UNSET]
    return named if len(named) == len(ids) else None


class _Found:
    """Lines that may be worth decoding, as pairs of begin and end, by what they are; `odd`: in another spelling."""

    def __init__(self) -> None:
        self.calls: Lines = []
        self.results: Lines = []
        self.spoken: Lines = []
        self.odd: Lines = []

    def sort_in(self, data: bytearray, start: int, end: int) -> None:
        """Puts a line where it belongs, by the needles in it."""
        if _EVENT.search(data, start, end):
            self.odd.append((start, end))
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
