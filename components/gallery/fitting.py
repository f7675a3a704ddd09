"""Whether a card's texts fit at a width: an estimate from the stylesheet, which a test in a real browser checks again.

A text is cut where its box hides what does not fit and offers no way to it: no scrolling, nothing that opens.
"""

import re
import unicodedata
from collections.abc import Iterator
from math import ceil
from typing import Any

from components.gallery.cascade import Cascade, Declarations

# How wide a letter is on average, in the font's size; the wide ones of East Asia take a whole one.
_NARROW, _WIDE = 0.56, 1.0
_FONT = 16.0
# Characters that no box which hides anything has room for.
_ENOUGH = 4_000


def cut_texts(tree: Any, cascade: Cascade, width: int) -> Iterator[str]:
    """The class or tag of each element whose text is cut at a card of that width, in CSS pixels."""
    room = width - 36
    for element in tree.iter():
        if not isinstance(element.tag, str) or element.tag == "summary":
            continue  # a summary's text is opened by a click
        own = cascade.own(element)
        text = re.sub(r"\s+", " ", element.text_content()[:_ENOUGH]).strip()
        length = _length(text) * _font_size(own)
        name = f".{element.get('class', '').split()[-1]}" if element.get("class") else str(element.tag)
        runs_out = own.get("white-space") == "nowrap" and length > room and not _scrolls(own)
        if runs_out or (_hides(own) and _lines(own) and ceil(length / room) > _lines(own)):
            yield name


def _hides(own: Declarations) -> bool:
    return "hidden" in (own.get("overflow", ""), own.get("overflow-y", ""), own.get("overflow-x", ""))


def _scrolls(own: Declarations) -> bool:
    return bool({"auto", "scroll"} & {own.get("overflow", ""), own.get("overflow-x", "")})


def _lines(own: Declarations) -> int:
    """How many lines a clamped text has; 0 for one that is not clamped."""
    clamp = own.get("-webkit-line-clamp", "")
    return int(clamp) if clamp.isdecimal() else 0


def _font_size(own: Declarations) -> float:
    size = re.fullmatch(r"([\d.]+)r?em", own.get("font-size", ""))
    return float(size[1]) * _FONT if size else _FONT


def _length(text: str) -> float:
    return sum(_WIDE if unicodedata.east_asian_width(char) in "WF" else _NARROW for char in text)
