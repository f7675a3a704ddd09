"""Reads one call back from its log by the places of its records, without reading what lies between."""

from pathlib import Path
from typing import Any

from webcards.logs.decode import UndecodableError, decode
from webcards.logs.dispatch import Dispatch, format_of
from webcards.logs.framing import PlainText, Row
from webcards.logs.model import LoggedCall, Position


class StaleLogError(Exception):
    """The log is no longer what was indexed: it was moved, cut or written anew."""


def reread(fields: dict[str, Any], records: list[tuple[Any, ...]], spool: Path) -> LoggedCall:
    """The call whose index row is `fields` and whose records stand at `records`. Raises `StaleLogError`."""
    reader = fields["reader"]
    dispatch = Dispatch(format_of(reader) if reader else None)
    found: list[LoggedCall] = []
    seen: set[tuple[int, int]] = set()
    for line, offset, length, _, name, file, base in records:
        if (offset, length) in seen:
            continue
        seen.add((offset, length))
        raw = _bytes_at(Path(file) if file is not None else spool, offset + (base if file is None else 0), length)
        place = Position(line=line, offset=offset, length=length, member=name)
        found.extend(item for item in dispatch.take(_record(raw, place)) if isinstance(item, LoggedCall))
    found.extend(item for item in dispatch.finish() if isinstance(item, LoggedCall))
    return _chosen(fields, found)


def _chosen(fields: dict[str, Any], found: list[LoggedCall]) -> LoggedCall:
    """The call at the very place; else the one of the same id: records of one call may hold others as well."""
    place = fields["offset"], fields["path"], fields["call_id"]
    for call in found:
        if (call.position.offset, call.position.path, call.call_id) == place:
            return call
    for call in found:
        if (call.call_id, call.tool) == (fields["call_id"], fields["tool"]):
            return call
    raise StaleLogError("the log no longer holds this call where it was found: index it again")


def _record(raw: bytes, place: Position) -> Row | PlainText:
    text = raw
    if raw.startswith(b"data:"):
        # An event of a stream (WHATWG HTML, 9.2.6): its data lines, joined.
        lines = [line.rstrip(b"\r") for line in raw.split(b"\n")]
        text = b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
    try:
        decoded = decode(text)
    except UndecodableError:
        return PlainText(raw.decode("utf-8", "replace"), place)
    return Row(decoded.value, text, place, decoded.notes)


def _bytes_at(source: Path, offset: int, length: int) -> bytes:
    try:
        with source.open("rb") as file:
            file.seek(offset)
            raw = file.read(length)
    except OSError as error:
        raise StaleLogError(f"the log cannot be read any more: {error.strerror or error}") from None
    if len(raw) < length:
        raise StaleLogError("the log is shorter than when it was indexed: index it again")
    return raw
