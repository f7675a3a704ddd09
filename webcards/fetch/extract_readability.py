"""readability-lxml as the first extractor, with the parts of it that are slow on large pages done in one pass over the tree.

Its scoring and its choice are its own; what takes quadratic time there (serialising every box, measuring every link again) is
answered here from lengths that are counted once.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from lxml.html import HtmlElement
from readability import Document

_SPACE = re.compile(r"\s+")
_PARAGRAPH_BREAKERS = frozenset("blockquote dl div img ol p pre table ul".split())


class MainContent(Document):  # type: ignore[misc]
    """Finds the main content in a copy of a prepared tree."""

    def __init__(self, root: HtmlElement) -> None:
        super().__init__(root)
        self.html = root
        self._lengths: dict[HtmlElement, tuple[int, int]] = {}

    def find(self) -> HtmlElement | None:
        """The main content as a `<div>` of the elements that make it, or None. The tree is taken apart in the finding."""
        body = self.html.find("body")
        if body is not None:
            body.set("id", "readabilityBody")
        self.remove_unlikely_candidates()
        self.transform_misused_divs_into_paragraphs()
        self._measure()
        candidates = self.score_paragraphs()
        best = self.select_best_candidate(candidates)
        if not best:
            return None
        best = self.get_semantic_article_candidate(candidates, best)
        best = self.get_semantic_main_candidate(candidates, best)
        return self.get_article(candidates, best, html_partial=True)

    def _html(self, force: bool = False) -> HtmlElement:  # noqa: ARG002
        return self.html

    def transform_misused_divs_into_paragraphs(self) -> None:
        """Call every box without blocks inside a paragraph (mixed boxes were taken apart when the tree was prepared)."""
        breaking: set[HtmlElement] = set()
        for element in self.html.iter(*_PARAGRAPH_BREAKERS):
            for above in element.iterancestors():
                if above in breaking:
                    break
                breaking.add(above)
        for element in list(self.html.iter("div")):
            if element not in breaking:
                element.tag = "p"

    def _measure(self) -> None:
        """Count each element's characters, and those inside links, from the leaves up."""
        lengths: dict[HtmlElement, tuple[int, int]] = {}
        own: dict[HtmlElement, list[int]] = {}
        for element in reversed(list(self.html.iter())):
            total, linked = own.pop(element, (0, 0))
            if element.text:
                total += len(_SPACE.sub(" ", element.text))
            if element.tag == "a":
                linked = total
            lengths[element] = (total, linked)
            parent = element.getparent()
            if parent is not None:
                entry = own.setdefault(parent, [0, 0])
                entry[0] += total + (len(_SPACE.sub(" ", element.tail)) if element.tail else 0)
                entry[1] += linked
        self._lengths = lengths

    def get_link_density(self, elem: HtmlElement) -> float:
        """The part of an element's text that stands inside links."""
        measured = self._lengths.get(elem)
        if measured is None:
            result: Any = super().get_link_density(elem)
            return float(result)
        total, linked = measured
        return linked / max(total, 1)


def main_elements(page: HtmlElement) -> list[HtmlElement]:
    """The elements of a prepared page that readability-lxml takes for the article; the page itself is left as it is.

    readability-lxml moves what it chooses together; each piece is told here as the element of the page that it was.
    """
    duplicate = copy.deepcopy(page)
    originals = dict(zip(duplicate.iter(), page.iter(), strict=True))
    found = MainContent(duplicate).find()
    if found is None:
        return []
    pieces: list[HtmlElement] = []
    for element in found.iter():
        original = originals.get(element)
        if original is None:
            continue
        above = originals.get(element.getparent())
        if above is None or original.getparent() is not above:
            pieces.append(original)
    return pieces
