"""readability-lxml as the first extractor, with the parts of it that are slow on large pages done in one pass over the tree.

Its scoring and its choice are its own; what takes quadratic time there (serialising every box, measuring every link again) is
answered here from lengths that are counted once.
"""

from __future__ import annotations

import copy
import re
from functools import lru_cache
from typing import Any

from lxml import etree
from lxml.html import HtmlElement
from readability import Document
from readability.readability import REGEXES

from webcards.fetch.extract_measure import Measures

_PARAGRAPH_BREAKERS = frozenset(["blockquote", "dl", "div", "img", "ol", "p", "pre", "table", "ul"])


# readability-lxml asks more of elements than lxml's plain ones can. One class for all, chosen in C: the parser of lxml.html
# would ask Python for each.
_HTML_ELEMENTS = etree.HTMLParser()
_HTML_ELEMENTS.set_element_class_lookup(etree.ElementDefaultClassLookup(element=HtmlElement))


def _lowered(name: str) -> re.Pattern[str]:
    """One of readability-lxml's patterns, for text that is lower case already: it is asked of every name on a page."""
    return re.compile(REGEXES[name].pattern)


_UNLIKELY, _MAYBE = _lowered("unlikelyCandidatesRe"), _lowered("okMaybeItsACandidateRe")
_POSITIVE, _NEGATIVE = _lowered("positiveRe"), _lowered("negativeRe")


@lru_cache(maxsize=8192)
def _is_unlikely(names: str) -> bool:
    lowered = names.lower()
    return bool(_UNLIKELY.search(lowered)) and not _MAYBE.search(lowered)


@lru_cache(maxsize=8192)
def _name_weight(name: str) -> int:
    lowered = name.lower()
    return 25 * bool(_POSITIVE.search(lowered)) - 25 * bool(_NEGATIVE.search(lowered))


class MainContent(Document):  # type: ignore[misc]
    """Finds the main content in a copy of a prepared tree."""

    def __init__(self, root: HtmlElement, originals: dict[HtmlElement, HtmlElement], measures: Measures) -> None:
        super().__init__(root)
        self.html = root
        self._originals = originals
        self._measures = measures

    def find(self) -> HtmlElement | None:
        """The main content as a `<div>` of the elements that make it, or None. The tree is taken apart in the finding."""
        body = self.html.find("body")
        if body is not None:
            body.set("id", "readabilityBody")
        self.remove_unlikely_candidates()
        self.transform_misused_divs_into_paragraphs()
        candidates = self.score_paragraphs()
        best = self.select_best_candidate(candidates)
        if not best:
            return None
        best = self.get_semantic_article_candidate(candidates, best)
        best = self.get_semantic_main_candidate(candidates, best)
        return self.get_article(candidates, best, html_partial=True)

    def _html(self, force: bool = False) -> HtmlElement:  # noqa: ARG002
        return self.html

    def remove_unlikely_candidates(self) -> None:
        """Take out boxes that are called after what is not the article, as readability-lxml does, each name judged once."""
        for element in self.html.findall(".//*"):
            classes, identity = element.get("class"), element.get("id")
            if (
                (classes or identity)
                and _is_unlikely(f"{classes or ''} {identity or ''}")
                and element.tag not in ("html", "body")
            ):
                if any(above.tag in ("pre", "code") for above in (element, *element.iterancestors())):
                    continue
                if next(element.iter("main", "article", "math"), None) is None:
                    element.drop_tree()

    def class_weight(self, e: HtmlElement) -> int:
        """The weight that readability-lxml gives to the names of a box."""
        return _name_weight(e.get("class") or "") + _name_weight(e.get("id") or "")

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

    def score_paragraphs(self) -> dict[HtmlElement, dict[str, Any]]:
        """readability-lxml's score of each box by the paragraphs in it and below it, from lengths that are known."""
        candidates: dict[HtmlElement, dict[str, Any]] = {}
        for element in [found for tag in ("p", "pre", "td", "blockquote") for found in self.html.iter(tag)]:
            parent = element.getparent()
            if parent is None:
                continue
            text = "".join(element.itertext())
            length = len(" ".join(text.split()))
            if length < self.min_text_length:
                continue
            above = parent.getparent()
            for box in (parent, above):
                if box is not None and box not in candidates:
                    candidates[box] = self.score_node(box)
            score = 2 + text.count(",") + min(length / 100, 3)
            candidates[parent]["content_score"] += score
            if above is not None:
                candidates[above]["content_score"] += score / 2
        for box, candidate in candidates.items():
            candidate["content_score"] *= 1 - self.get_link_density(box)
        return candidates

    def get_link_density(self, elem: HtmlElement) -> float:
        """The part of an element's text that stands inside links."""
        original = self._originals.get(elem)
        if original is None:
            result: Any = super().get_link_density(elem)
            return float(result)
        return self._measures[original].link_density


def main_elements(page: HtmlElement, measures: Measures) -> list[HtmlElement]:
    """The elements of a prepared page that readability-lxml takes for the article; the page itself is left as it is.

    readability-lxml moves what it chooses together; each piece is told here as the element of the page that it was.
    """
    holder = _HTML_ELEMENTS.makeelement("html")
    holder.append(copy.deepcopy(page))
    duplicate = holder[0]
    originals = dict(zip(duplicate.iter(), page.iter(), strict=True))
    found = MainContent(duplicate, originals, measures).find()
    if found is None:
        return []
    pieces: list[HtmlElement] = []
    for element in found:
        # Paragraphs that it made itself are told by what it put into them; parts of a story it puts into the best one.
        original = originals.get(element)
        if original is not None:
            pieces.append(original)
        for inner in element:
            part = originals.get(inner)
            if part is not None and part.getparent() is not original:
                pieces.append(part)
    return pieces
