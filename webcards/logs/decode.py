"""Decodes one JSON record of a log. Tolerant: what other writers get away with is read, and what was mended is said."""

import json
import re
from typing import Any

import msgspec
from msgspec import Struct

_decoder = msgspec.json.Decoder()
_TOO_DEEP = "nested too deeply to be read"
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class UndecodableError(Exception):
    """A record that is no JSON; `line` and `column` count from 1 inside the record, columns in characters."""

    def __init__(self, message: str, line: int, column: int, *, cut_off: bool = False) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.cut_off = message, line, column, cut_off


class Decoded(Struct, frozen=True, gc=False):
    """A value, and notes on what had to be mended to get it."""

    value: Any
    notes: tuple[str, ...] = ()


def decode(record: bytes) -> Decoded:
    """The value of a record.

    Invalid UTF-8 and lone surrogates become U+FFFD, NaN and infinities become None, control characters inside strings
    stay, a key given twice keeps its last value (RFC 8259, section 4). Raises `UndecodableError`.
    """
    try:
        return Decoded(_decoder.decode(record))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _slowly(record)


def _slowly(record: bytes) -> Decoded:
    notes = []
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError:
        text = record.decode("utf-8", "replace")
        notes.append("bytes that are not UTF-8 were replaced")
    try:
        value = json.loads(text, strict=False, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        # A text that ends in the middle is reported by the parser at its end, or at the string that never closes.
        cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        raise UndecodableError(f"not JSON: {_plain(error.msg)}", error.lineno, error.colno, cut_off=cut_off) from None
    except RecursionError:
        raise UndecodableError(_TOO_DEEP, 1, 1) from None
    except ValueError:  # an integer of more than 4,300 digits (sys.set_int_max_str_digits)
        raise UndecodableError("holds a number too long to be read", 1, 1) from None
    if _HALF_PAIR.search(text) or re.search(r"\\u[dD][89a-fA-F]", text):
        try:
            whole = _whole_text(value)
        except RecursionError:
            raise UndecodableError(_TOO_DEEP, 1, 1) from None
        if whole != value:
            notes.append("half a surrogate pair was replaced")
        value = whole
    return Decoded(value, tuple(notes))


def _no_number(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if number - number == 0 else None


def _plain(message: str) -> str:
    """The parser's words without its own jargon."""
    return message[:1].lower() + message[1:].removesuffix(":")


def _whole_text(value: Any) -> Any:
    """The same value with lone surrogates replaced: they can be neither shown nor stored."""
    match value:
        case str():
            return _HALF_PAIR.sub("\ufffd", value)
        case dict():
            return {_whole_text(key): _whole_text(item) for key, item in value.items()}
        case list():
            return [_whole_text(item) for item in value]
        case _:
            return value


def decode_inner(value: Any, levels: int = 2) -> Any:
    """JSON inside a JSON string, up to `levels` deep; text that is no JSON object or list stays text."""
    for _ in range(levels):
        if not isinstance(value, str):
            return value
        text = value.strip()
        if not text or text[0] not in '{["' or text[-1] not in '}]"':
            return value
        try:
            value = decode(text.encode("utf-8", "replace")).value
        except UndecodableError:
            return value
    return value
