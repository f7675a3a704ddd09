"""How much text each element of a tree holds: counted once from the leaves up, kept right when elements go."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from webcards.fetch.extract_tree import BLOCKS

PROSE_CHARS = 80
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


class Size:
    """An element's characters, those of them inside links, and those of running text.

    White space counts once a gap; a Chinese, Japanese or Korean character counts as two and a half, as it says that much more.
    Running text (`prose`) is what stands in blocks of at least `PROSE_CHARS` characters outside links.
    """

    # Without an __init__: thousands are made for a page, most of which stay at nothing.
    chars: int = 0
    linked: int = 0
    prose: int = 0

    @property
    def link_density(self) -> float:
        """The part of the text that stands inside links, 0 to 1."""
        return self.linked / self.chars if self.chars else 0.0


NOTHING = Size()


class Measures:
    """The sizes of all elements of one tree."""

    def __init__(self, root: HtmlElement) -> None:
        self._sizes = _counted(root)

    def __getitem__(self, element: HtmlElement) -> Size:
        return self._sizes.get(element, NOTHING)

    def __len__(self) -> int:
        return len(self._sizes)

    def forget(self, element: HtmlElement) -> None:
        """Take an element's size from all that stand above it, before it leaves the tree."""
        gone = self[element]
        if not gone.chars:
            return
        for above in element.iterancestors():
            size = self._sizes.get(above)
            if size is not None:
                size.chars -= gone.chars
                size.linked -= gone.linked
                size.prose -= gone.prose


def _counted(root: HtmlElement) -> dict[HtmlElement, Size]:
    sizes: dict[HtmlElement, Size] = {}
    # The inline content of each element that is not yet part of a block: all of it, and what is linked.
    inline: dict[HtmlElement, list[int]] = {}
    for element in reversed(list(root.iter())):
        size = sizes.get(element)
        text = element.text
        own = own_linked = weight = 0
        if text and (said := text.strip()):
            weight = own = len(said) if said.isascii() else text_size(said)
        if size is not None or weight:
            if size is None:
                size = sizes[element] = Size()
            size.chars += weight
            if element in inline:
                below, below_linked = inline.pop(element)
                own += below
                own_linked = below_linked
            own_linked = _settle(element.tag, size, own, own_linked)
        if element is root:
            break
        tail = element.tail
        weight = text_size(said) if tail and (said := tail.strip()) else 0
        if size is None and not weight:
            continue
        parent = element.getparent()
        above = sizes.get(parent)
        if above is None:
            above = sizes[parent] = Size()
        above.chars += weight
        if size is not None:
            above.chars += size.chars
            above.linked += size.linked
            above.prose += size.prose
        if element.tag in BLOCKS:
            own = own_linked = 0
        if weight or own:
            pending = inline.get(parent)
            if pending is None:
                inline[parent] = [own + weight, own_linked]
            else:
                pending[0] += own + weight
                pending[1] += own_linked
    return sizes


def _settle(tag: str, size: Size, own: int, own_linked: int) -> int:
    """Count an element's own inline content as linked or as running text; gives how much of it is linked."""
    if tag == "a":
        size.linked = size.chars
        size.prose = 0
        return own
    if tag in ("pre", "code"):
        # Names in code are linked to explain them, not to lead away.
        size.linked = own_linked = 0
    if own - own_linked >= PROSE_CHARS and tag in BLOCKS and tag not in _HEADINGS:
        size.prose += own - own_linked
    return own_linked


def text_size(text: str) -> int:
    """The weight of a text in characters."""
    return len(text) if text.isascii() else len(text) + 3 * len(_DENSE.findall(text)) // 2
