"""Finds the main content of an HTML page: readability-lxml's choice first, checked against the shape of the page.

The page is prepared (extract_tree.py), freed of furniture (extract_furniture.py), searched, and what was found is tidied
(extract_tidy.py). Where little is found, the whole page is the content.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import NamedTuple

from lxml import html as lxml_html
from lxml.html import HtmlElement

from webcards.fetch.extract_furniture import drop_furniture
from webcards.fetch.extract_measure import NOTHING, Measure, measure
from webcards.fetch.extract_readability import main_elements
from webcards.fetch.extract_tidy import tidy

Measures = dict[HtmlElement, Measure]

_LEAVES = frozenset("p li blockquote td th pre h1 h2 h3 h4 h5 h6 dd dt figcaption".split())
# A box that holds this much of the running text of the box around it holds the article.
_HOLDS_ARTICLE = 0.85
_LITTLE_TEXT = 250
_MAX_ELEMENTS_FOR_READABILITY = 30_000


class Content(NamedTuple):
    """The main content as a tree of its own, and the heading that stood above it, which the tree is without."""

    element: HtmlElement
    heading: str | None


def find_content(root: HtmlElement, *, title: str | None, thread: bool = False) -> Content:
    """The main content of a prepared page. `thread` says that the page is a discussion."""
    page = copy.deepcopy(root)
    drop_furniture(page, keep_remarks=thread)
    measures = measure(page)
    chosen = _choose(page, measures)
    content = _detached(chosen)
    drop_furniture(content, keep_remarks=thread)
    heading = tidy(content, title)
    found = measure(content)[content]
    total = measures[page]
    if found.chars < _LITTLE_TEXT and total.chars > 2 * found.chars:
        content = _detached(_body(page))
        heading = tidy(content, title)
        if measure(content)[content].chars < _LITTLE_TEXT:
            content = _detached(_body(root))
    return Content(content, heading)


def _choose(page: HtmlElement, measures: Measures) -> HtmlElement:
    """The element that holds the article, or the page's body."""
    densest = _densest(_body(page), measures)
    picked = _common_ancestor(main_elements(page)) if len(measures) <= _MAX_ELEMENTS_FOR_READABILITY else None
    if picked is None or picked is densest:
        chosen = densest
    elif densest in picked.iterdescendants():
        chosen = densest if measures[picked].prose <= measures[densest].prose * 1.05 else picked
    else:
        chosen = _smaller_or_larger(picked, densest, measures)
    return _with_its_like(chosen, measures)


def _smaller_or_larger(picked: HtmlElement, densest: HtmlElement, measures: Measures) -> HtmlElement:
    """Choose between readability's element and a larger (or another) one that holds more running text."""
    small, large = measures[picked], measures[densest]
    if small.prose < 0.1 * large.prose or (small.prose < 0.35 * large.prose and small.prose < 800):
        return densest
    near = any(above is densest for above, _ in zip(picked.iterancestors(), range(2), strict=False))
    if near and small.prose >= 0.5 * large.prose and large.link_density <= small.link_density + 0.05:
        return densest
    return picked


def _densest(element: HtmlElement, measures: Measures) -> HtmlElement:
    """Follow the running text down for as long as one child holds nearly all of it."""
    while True:
        heaviest = max(element, key=lambda child: measures[child].prose, default=None)
        if heaviest is None or heaviest.tag in _LEAVES:
            return element
        prose = measures[heaviest].prose
        if not prose or prose < _HOLDS_ARTICLE * measures[element].prose:
            return element
        element = heaviest


def _with_its_like(element: HtmlElement, measures: Measures) -> HtmlElement:
    """The box around the element where the element is one of several alike: posts of a thread, answers, parts of a story."""
    for level, box in zip(range(3), _boxes(element), strict=False):
        parent = box.getparent()
        if parent is None or parent.tag in ("html", "body") and level:
            break
        own = measures[box]
        like = [
            sibling
            for sibling in parent
            if sibling is not box and sibling.tag == box.tag and sibling.tag not in _LEAVES and _alike(sibling, box) and _is_part(measures[sibling], own)
        ]
        if like and not any(next(sibling.iter("h1"), None) is not None for sibling in like):
            return parent
    return element


def _boxes(element: HtmlElement) -> Iterator[HtmlElement]:
    yield element
    yield from element.iterancestors()


def _alike(one: HtmlElement, other: HtmlElement) -> bool:
    classes = set((one.get("class") or "").split())
    return bool(classes) and bool(classes & set((other.get("class") or "").split()))


def _is_part(size: Measure, own: Measure) -> bool:
    return size.prose >= max(150, own.prose * 0.1) and size.link_density < 0.15


def _common_ancestor(elements: list[HtmlElement]) -> HtmlElement | None:
    """The nearest element that holds all of them (the element itself if there is one)."""
    if not elements:
        return None
    if len(elements) == 1:
        return elements[0]
    paths = [[*reversed(list(element.iterancestors())), element] for element in elements]
    shared = None
    for level in zip(*paths, strict=False):
        if any(element is not level[0] for element in level):
            break
        shared = level[0]
    return shared


def _body(root: HtmlElement) -> HtmlElement:
    body = root.find("body")
    return root if body is None else body


def _detached(element: HtmlElement) -> HtmlElement:
    """A copy that stands for itself."""
    duplicate = copy.deepcopy(element)
    duplicate.tail = None
    if duplicate.tag in _LEAVES or duplicate.tag in ("ul", "ol", "table", "tr", "tbody"):
        holder = lxml_html.Element("div")
        holder.append(duplicate)
        return holder
    return duplicate


def text_chars(element: HtmlElement) -> int:
    """How many characters an element says."""
    return measure(element).get(element, NOTHING).chars
