"""Tells how the records of a log are framed, and decodes them.

JSON Lines, one JSON document, several documents, server-sent events, or plain text.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from webcards.logs import blocks as blocking
from webcards.logs.decode import Decoded, UndecodableError, decode
from webcards.logs.model import LogProblem, Position
from webcards.logs.opening import Member, Peeked

HEAD = 1 << 16
# One JSON document is decoded at once, so it must fit in memory several times over.
MAX_DOCUMENT = 1 << 26
# A line that is no record is looked through for so many that begin as it does; their first key is no longer than this.
_MOST_GLUED = 8
_LONGEST_KEY = 60
_VALUES_FOLLOW = (b":", b",", b"[")
_SPACE = b" \t\r\n\0\x1e"
_BOM = b"\xef\xbb\xbf"
_SSE = re.compile(rb"(?:(?:event|data|id|retry):|:)")
# A text whose lines are numbered, `[1] Title: …`: that begins like JSON and is none.
_NUMBERED_TEXT = re.compile(rb"\[\d{1,4}\] [A-Z]")
_SSE_DATA = re.compile(rb"(?m)^data:")


class Row(Struct, frozen=True, gc=False):
    """One decoded record, its bytes and its place."""

    value: Any
    raw: bytes
    position: Position
    notes: tuple[str, ...] = ()


class PlainText(Struct, frozen=True):
    """A log, or a record of one, that is no JSON at all."""

    text: str
    position: Position


Records = Iterator[Row | PlainText | LogProblem]


def _whole_records(raw: bytes) -> list[tuple[int, bytes, Decoded]]:
    """Where whole records stand in a line that is none, and what they are: a lost line break glues one to the next, and a
    writer that begins again after a crash glues one to half of another.

    They are looked for where the line's own beginning comes again and no value of a record may stand, so that nothing inside a
    record passes for one.
    """
    opening = raw[: raw.find(b":", 0, _LONGEST_KEY) + 1]
    if not opening.startswith(b"{"):
        return []
    starts: list[int] = []
    at = 0
    while at >= 0 and len(starts) < _MOST_GLUED:
        if raw[max(at - 16, 0) : at].rstrip()[-1:] not in _VALUES_FOLLOW:
            starts.append(at)
        at = raw.find(opening, at + 1)
    ends = [*starts[1:], len(raw)]
    found: list[tuple[int, bytes, Decoded]] = []
    done = 0
    for number, start in enumerate(starts):
        if start < done:
            continue
        for end in ends[number:]:
            try:
                decoded = decode(raw[start:end])
            except UndecodableError:
                continue
            found.append((start, raw[start:end], decoded))
            done = end
            break
    return found


class Framed:
    """One member's records. `sample` holds the first of them, for recognising the format."""

    def __init__(self, member: Member) -> None:
        self._member, self._stream, self.name = member, member.stream, member.name
        self.bytes_read = 0
        head = self._stream.peek(HEAD)
        if head.startswith(_BOM):
            self._stream.read(len(_BOM))
            self.bytes_read = len(_BOM)
            head = self._stream.peek(HEAD)
        self._start = self.bytes_read
        self._lead = head.lstrip(_SPACE)
        self._document: bytes | None = None
        self.kind = self._kind(head)
        self.sample: list[Any] = list(self._sampled(head))

    def records(self, select: blocking.Select | None = None) -> Records:
        """Every record in order; what cannot be decoded is a problem in its place."""
        match self.kind:
            case "empty":
                pass
            case "lines":
                yield from self._lines(select)
            case "events":
                yield from self._events()
            case _:
                yield from self._whole()
        if self._stream.problem:
            yield LogProblem(self._line, 1, self._stream.problem, self.name)

    _line = 1

    def appended(self, path: Path, select: blocking.Select | None = None) -> Records:
        """The records of the whole lines that stand at `path` beyond what was read, for a file that is still written.

        A last line without its end is read if it is a whole record; else it is left for the next time, and is
        `unended` until then.
        """
        self.unended = None
        with path.open("rb") as file:
            file.seek(self.bytes_read)
            for block in blocking.blocks(Peeked(file), self.bytes_read, self._next_line):
                if isinstance(block, blocking.TooLong):
                    self.bytes_read, self._next_line = self.bytes_read + block.length, block.line + 1
                    yield LogProblem(block.line, 1, _too_long(block.length), self.name)
                    continue
                records = self._block(block, select)
                if block.last:
                    last = list(records)
                    self.unended = next((item for item in last if isinstance(item, LogProblem)), None)
                    if self.unended is not None:
                        return
                    records = iter(last)
                self.bytes_read = block.offset + block.size
                self._next_line = block.next_line
                yield from records

    _next_line = 1
    unended: LogProblem | None = None

    def _kind(self, head: bytes) -> str:
        lead = self._lead
        if not lead:
            # White space and NULs only, as far as one can see; a longer run of them is read as lines.
            return "lines" if len(head) >= HEAD else "empty"
        if _SSE.match(lead) and _SSE_DATA.search(lead):
            return "events"
        if lead[:1] not in b'{["':
            return "lines" if self._looks_like_lines(head) else "document"
        first = lead.split(b"\n", 1)
        if len(first) == 2 and _decodes(first[0]):
            return "lines"
        if self._looks_like_lines(head):
            return "lines"
        return "document"

    @staticmethod
    def _looks_like_lines(head: bytes) -> bool:
        """Whether a line of the head, not counting one that is cut off, is a JSON object of its own."""
        lines = head.split(b"\n")
        found = 0
        for line in lines[:200]:
            if line[:1] == b"{" and len(line) > 2 and _decodes(line):
                found += 1
                if found == 2:
                    return True
        return found == 1 and lines[0].rstrip(b"\r") not in (b"{", b"[")

    def _sampled(self, head: bytes) -> Iterator[Any]:
        if self.kind == "lines":
            lines = head.split(b"\n")
            for line in lines[:400]:
                try:
                    yield decode(line.strip(_SPACE)).value
                except UndecodableError:
                    continue
        elif self.kind == "events":
            for data in _SSE_DATA.split(head)[1:200]:
                try:
                    yield decode(data.split(b"\n", 1)[0].strip()).value
                except UndecodableError:
                    continue

    def _lines(self, select: blocking.Select | None) -> Records:
        for block in blocking.blocks(self._stream, self._start):
            if isinstance(block, blocking.TooLong):
                self.bytes_read += block.length
                self._line = block.line
                yield LogProblem(block.line, 1, _too_long(block.length), self.name)
                continue
            yield from self._block(block, select)
            self.bytes_read = block.offset + block.size

    def _block(self, block: blocking.Block, select: blocking.Select | None) -> Records:
        lines = blocking.all_lines(block) if select is None else blocking.chosen_lines(block, select)
        for line in lines:
            self._line = line.line
            yield from self._records_of(line)

    def _records_of(self, line: blocking.Line) -> Records:
        raw, before = line.raw, 0
        if raw[:1] != b"{" or raw[-1:] != b"}":
            raw = raw.strip(_SPACE)
            if not raw:
                blank = self._blank(line)
                if blank is not None:
                    yield blank
                return
            before = line.raw.find(raw)
        try:
            decoded = decode(raw)
        except UndecodableError as error:
            yield from self._glued(line, raw, before, error)
            return
        position = Position(line=line.line, offset=line.offset + before, length=len(raw), member=self.name)
        yield Row(decoded.value, raw, position, decoded.notes)

    def _glued(self, line: blocking.Line, raw: bytes, before: int, error: UndecodableError) -> Records:
        """The whole records of a line that is none, in their order, and what is wrong with the rest."""
        parts = _whole_records(raw)
        if sum(len(part) for _, part, _ in parts) < len(raw):
            message = error.message
            if error.cut_off and not line.whole:
                message = "the last line is cut off: it ends in the middle of a record"
            elif parts:
                message = "part of a record stands on one line with whole ones: a write that was cut off"
            yield LogProblem(line.line, error.column + before, message, self.name)
        for start, part, decoded in parts:
            place = Position(line=line.line, offset=line.offset + before + start, length=len(part), member=self.name)
            yield Row(decoded.value, part, place, (*decoded.notes, "stood on one line with another record"))

    def _blank(self, line: blocking.Line) -> LogProblem | None:
        if not line.raw.strip(b" \t\r\x1e"):
            return None
        return LogProblem(line.line, 1, f"{line.raw.count(0)} NUL bytes: a write that was lost", self.name)

    def _events(self) -> Records:
        """Server-sent events (WHATWG HTML, 9.2.6): the `data` lines of one event, joined."""
        data: list[blocking.Line] = []
        for block in blocking.blocks(self._stream, self._start):
            if isinstance(block, blocking.TooLong):
                yield LogProblem(block.line, 1, _too_long(block.length), self.name)
                continue
            for line in blocking.all_lines(block):
                self._line = line.line
                text = line.raw.rstrip(b"\r")
                if text.startswith(b"data:"):
                    data.append(line)
                elif not text:
                    yield from self._event(data)
                    data = []
            self.bytes_read = block.offset + block.size
        yield from self._event(data)

    def _event(self, data: list[blocking.Line]) -> Records:
        if not data:
            return
        parts = [line.raw.rstrip(b"\r")[5:].removeprefix(b" ") for line in data]
        for text, lines in _as_events(parts, data):
            if text.strip() in (b"", b"[DONE]"):
                continue
            first, last = lines[0], lines[-1]
            length = last.offset + len(last.raw) - first.offset
            position = Position(line=first.line, offset=first.offset, length=length, member=self.name)
            try:
                decoded = decode(text)
            except UndecodableError as error:
                column = error.column + (6 if error.line == 1 else 0)
                yield LogProblem(first.line + error.line - 1, column, error.message, self.name)
                continue
            yield Row(decoded.value, text, position, decoded.notes)

    def _whole(self) -> Records:
        """One document; or several, one after another; or what is JSON in it, line by line; or plain text."""
        parts, size = [], 0
        while size <= MAX_DOCUMENT and (chunk := self._stream.read(blocking.BLOCK)):
            parts.append(chunk)
            size += len(chunk)
        self.bytes_read = self._start + size
        data = b"".join(parts)
        if size > MAX_DOCUMENT:
            limit = MAX_DOCUMENT >> 20
            message = f"one JSON document of more than {limit} MB: write it as JSON Lines, one record a line"
            yield LogProblem(1, 1, message, self.name)
            return
        raw = data.strip(_SPACE)
        begin = self._start + data.find(raw)
        line = 1 + data.count(b"\n", 0, data.find(raw))
        position = Position(line=line, offset=begin, length=len(raw), member=self.name)
        try:
            decoded = decode(raw)
        except UndecodableError as error:
            yield from self._not_one_document(data, raw, position, error)
            return
        yield Row(decoded.value, raw, position, decoded.notes)

    def _not_one_document(self, data: bytes, raw: bytes, position: Position, error: UndecodableError) -> Records:
        several = list(_several(raw, position)) if not _NUMBERED_TEXT.match(raw) else []
        if several:
            yield from several
            return
        lines = list(blocking.lines_in(data, self._start))
        if any(line.raw[:1] == b"{" and _decodes(line.raw) for line in lines):
            for line in lines:
                yield from self._records_of(line)
        elif raw[:1] in (b"{", b"[") and not _NUMBERED_TEXT.match(raw):
            yield LogProblem(position.line + error.line - 1, error.column, error.message, self.name)
        else:
            yield PlainText(raw.decode("utf-8", "replace"), position)


def _as_events(parts: list[bytes], lines: list[blocking.Line]) -> Iterator[tuple[bytes, list[blocking.Line]]]:
    """The data of one event; or, where a writer left out the blank lines, each line as an event of its own."""
    if len(parts) > 1 and all(_decodes(part) or part.strip() == b"[DONE]" for part in parts):
        for part, line in zip(parts, lines, strict=True):
            yield part, [line]
    else:
        yield b"\n".join(parts), lines


def _several(raw: bytes, position: Position) -> Iterator[Row | LogProblem]:
    """JSON documents one after another, as in RFC 7464 or without separators; none if the first is broken."""
    text = raw.decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False)
    at, begun, line, offset = 0, 0, position.line, position.offset
    while at < len(text):
        if text[at] in " \t\r\n\x00\x1e,":
            at += 1
            continue
        line += text.count("\n", begun, at)
        offset += len(text[begun:at].encode())
        begun = at
        if not at and text[at] not in "{[":
            return
        try:
            _, at = decoder.raw_decode(text, at)
            record = text[begun:at].encode()
            decoded = decode(record)
        except (ValueError, RecursionError, UndecodableError):
            if begun:
                column = begun - text.rfind("\n", 0, begun)
                yield LogProblem(line, column, "what follows the last whole document is not JSON", position.member)
            return
        place = Position(line=line, offset=offset, length=len(record), member=position.member)
        yield Row(decoded.value, record, place, decoded.notes)


def _decodes(line: bytes) -> bool:
    try:
        return isinstance(decode(line.strip(_SPACE)).value, dict | list)
    except UndecodableError:
        return False


def _too_long(length: int) -> str:
    return f"a line of {length >> 20} MB: longer than {blocking.MAX_LINE >> 20} MB, so it was left out"
