"""How much text each element of a tree holds, counted once from the leaves up, so that every rule can ask for nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

from webcards.fetch.extract_tree import BLOCKS


class Measure(NamedTuple):
    """An element's characters, those of them inside links, and those of running text.

    White space counts once a gap; a Chinese, Japanese or Korean character counts as two and a half, as it says that much more.
    Running text (`prose`) is what stands in blocks of at least `PROSE_CHARS` characters outside links.
    """

    chars: int
    linked: int
    prose: int

    @property
    def link_density(self) -> float:
        """The part of the text that stands inside links, 0 to 1."""
        return self.linked / self.chars if self.chars else 0.0


NOTHING = Measure(0, 0, 0)
PROSE_CHARS = 80
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())


def measure(root: HtmlElement) -> dict[HtmlElement, Measure]:
    """The measure of every element of the tree."""
    measures: dict[HtmlElement, Measure] = {}
    # What the children gave: characters, linked ones, prose, and of the inline content not yet in a block: all and linked.
    pending: dict[HtmlElement, list[int]] = {}
    for element in reversed(list(root.iter())):
        entry = pending.pop(element, None)
        chars, linked, prose, inline, inline_linked = entry if entry is not None else (0, 0, 0, 0, 0)
        text = element.text
        if text:
            size = text_size(text)
            chars += size
            inline += size
        tag = element.tag
        if tag == "a":
            linked = chars
            inline_linked = inline
            prose = 0
        block = tag in BLOCKS
        if block and inline - inline_linked >= PROSE_CHARS and tag not in _HEADINGS:
            prose += inline - inline_linked
        measures[element] = Measure(chars, linked, prose)
        parent = element.getparent()
        if parent is not None:
            above = pending.get(parent)
            if above is None:
                above = pending[parent] = [0, 0, 0, 0, 0]
            above[0] += chars
            above[1] += linked
            above[2] += prose
            if not block:
                above[3] += inline
                above[4] += inline_linked
            tail = element.tail
            if tail:
                size = text_size(tail)
                above[0] += size
                above[3] += size
    return measures


def text_size(text: str) -> int:
    """The weight of a text node in characters."""
    if text.isspace():
        return 0
    size = len(" ".join(text.split())) if "\n" in text or "  " in text or "\t" in text else len(text)
    if not text.isascii():
        size += 3 * len(_DENSE.findall(text)) // 2
    return size
