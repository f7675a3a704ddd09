"""JSON as people edit it: written so that nothing in it is invisible, read with faults in words, and lines found by path."""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from msgspec import Struct

from components.i18n import _

# Deeper than this an indented text is mostly white space.
_DEEP = 30
# Characters that cannot be seen, or that turn others around: they are written as escapes.
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)


class Fault(Struct, frozen=True):
    """Why a text is no JSON. `line` counts from 1; 0 where no line is to blame."""

    line: int
    words: str


def written(value: Any) -> str:
    """A value as JSON text, indented where that helps, each character visible or escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=None if _depth(value) > _DEEP else 2)
    except (RecursionError, TypeError, ValueError):
        return '"…"'
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _depth(value: Any) -> int:
    deepest, layer = 0, [value]
    while layer and deepest <= _DEEP:
        deepest += 1
        layer = [
            inner
            for item in layer
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return deepest


def read(text: str) -> Any | Fault:
    """The value of a JSON text (RFC 8259, so no NaN), or what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return Fault(error.lineno, _in_words(error.msg))
    except RecursionError:
        return Fault(0, _("nested too deep to be read here"))
    except ValueError as error:
        return Fault(0, str(error))


def _refuse(name: str) -> None:
    raise ValueError(_("%(name)s is no JSON value") % {"name": name})


def _in_words(message: str) -> str:
    known = {
        "Expecting value": _("a value is expected here"),
        "Expecting ',' delimiter": _("a comma is missing before this, or a quotation mark too many"),
        "Expecting ':' delimiter": _("a colon is missing after the key"),
        "Expecting property name enclosed in double quotes": _("a key in double quotation marks is expected here"),
        "Illegal trailing comma before end of object": _("a comma stands before the closing brace"),
        "Illegal trailing comma before end of array": _("a comma stands before the closing bracket"),
        "Unterminated string starting at": _("a string begins here and never ends"),
        "Extra data": _("the JSON has ended before this"),
    }
    return known.get(message, message)


_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+)\]")
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


def line_of(text: str, path: str) -> int:
    """The line, from 1, on which the value at a JSON path such as `$.sources[2].title` begins.

    For what is missing it is the line of the nearest value around it. `text` must be JSON.
    """
    steps = [step["key"] if step["key"] is not None else int(step["index"]) for step in _STEP.finditer(path)]
    begin = at = _skip(text, 0)
    for step in steps:
        inner = _within(text, at, step)
        if inner is None:
            break
        begin, at = inner
    return text.count("\n", 0, begin) + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _within(text: str, at: int, step: str | int) -> tuple[int, int] | None:
    """Where the member or element `step` of the value at `at` begins, its key and its value; None if there is none."""
    if text[at : at + 1] != ("{" if isinstance(step, str) else "["):
        return None
    at, count = _skip(text, at + 1), 0
    while at < len(text) and text[at] not in "}]":
        begin = at
        if isinstance(step, str):
            key, after = scanstring(text, at + 1)
            at = _skip(text, _skip(text, after) + 1)
            if key == step:
                return begin, at
        elif count == step:
            return at, at
        at = _skip(text, _end(text, at))
        count += 1
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return None


def _end(text: str, at: int) -> int:
    """Where the value that begins at `at` ends."""
    depth = 0
    while at < len(text):
        match text[at]:
            case '"':
                at = scanstring(text, at + 1)[1]
            case "{" | "[":
                depth += 1
                at += 1
            case "}" | "]":
                depth -= 1
                at += 1
            case "," | ":" | " " | "\n" | "\t" | "\r":
                at += 1
            case _:
                scalar = _SCALAR.match(text, at)
                at = scalar.end() if scalar else at + 1
        if depth == 0:
            return at
    return at
