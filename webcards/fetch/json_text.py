"""JSON laid out for reading: broken into lines where it is long, every scalar left exactly as it was sent.

The text is not decoded and encoded again: big numbers, doubled keys and the ends of cut-off documents stay what they are.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_COLON_THEN_SPACE = re.compile(r'"\s*:[ \t]')
_LINE_CHARS = 100
# Deeper than this nobody reads it by its indentation, and a body of brackets would grow without end.
_MAX_DEPTH = 32


def pretty_json(text: str) -> str:
    """The document on lines of its own making; one that has lines already is left as it is."""
    stripped = text.strip()
    if "\n" in stripped or len(stripped) <= _LINE_CHARS:
        return stripped
    colon = ": " if _COLON_THEN_SPACE.search(stripped[:4_096]) else ":"
    pieces = _PIECE.findall(stripped)
    ends = _short_ends(pieces)
    parts: list[str] = []
    depth = 0
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        end = ends.get(index)
        if end is not None:
            parts.append(_one_line(pieces[index : end + 1], colon))
            index = end + 1
            continue
        if piece in "{[":
            depth += 1
            parts.append(piece + _line(depth))
        elif piece in "}]":
            depth = max(0, depth - 1)
            parts.append(_line(depth) + piece)
        elif piece == ",":
            parts.append("," + _line(depth))
        elif piece == ":":
            parts.append(colon)
        else:
            parts.append(piece)
        index += 1
    return "".join(parts)


def _line(depth: int) -> str:
    return "\n" + "  " * depth if depth <= _MAX_DEPTH else ""


def _short_ends(pieces: list[str]) -> dict[int, int]:
    """Where each list or object that fits on a line ends, by where it begins."""
    ends: dict[int, int] = {}
    open_at: list[tuple[int, int]] = []
    position = 0
    for index, piece in enumerate(pieces):
        if piece in ("{", "["):
            open_at.append((index, position))
        position += len(piece) + 1
        if piece in ("}", "]") and open_at:
            start, began = open_at.pop()
            if position - began <= _LINE_CHARS:
                ends[start] = index
    return ends


def _one_line(pieces: list[str], colon: str) -> str:
    separator = ", " if colon == ": " else ","
    return "".join(colon if piece == ":" else separator if piece == "," else piece for piece in pieces)
