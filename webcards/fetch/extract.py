"""Finds the main content of an HTML page: readability-lxml's choice first, checked against the shape of the page.

The page is prepared (extract_tree.py), freed of furniture (extract_furniture.py), searched, and what was found is tidied
(extract_tidy.py). Where little is found, the whole page is the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lxml import html as lxml_html
from lxml.html import HtmlElement

from webcards.fetch.extract_furniture import drop_furniture, drop_spared, foot_around
from webcards.fetch.extract_measure import Measures, Size, text_size
from webcards.fetch.extract_nodes import drop
from webcards.fetch.extract_readability import main_elements
from webcards.fetch.extract_tidy import tidy
from webcards.fetch.metadata import Metadata, PageKind

_LEAVES = frozenset(
    ["p", "li", "blockquote", "td", "th", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "dd", "dt", "figcaption"]
)
_PARTS = frozenset(["ul", "ol", "dl", "table", "tr", "tbody"])
# A box that holds this much of the running text of the box around it holds the article.
_HOLDS_ARTICLE = 0.85
_LITTLE_TEXT = 250
_FEW_LINKS = 0.15
_MOSTLY_LINKS = 0.4
_A_LINE = 40
# A footer with no more than this part of what the page says is a footer, though all running text stands in it.
_FOOT_OF_LINKS = 0.6
# Pages of more elements than this are specifications, logs and traps: what is costly for each element is left out.
_MANY_ELEMENTS = 40_000


class Content(NamedTuple):
    """The main content as a tree of its own, and the heading that stood above it, which the tree is without."""

    element: HtmlElement
    heading: str | None


def find_content(page: HtmlElement, again: Callable[[], HtmlElement], metadata: Metadata) -> Content:
    """The main content of a prepared page, which is taken apart in the search.

    `again` gives the page anew, for where nearly nothing is found.
    """
    measures = Measures(page)
    spared = drop_furniture(page, measures, keep_remarks=metadata.kind == "thread")
    said = measures[page].chars
    chosen = _choose(page, measures, metadata.kind)
    foot = foot_around(chosen, spared)
    frame = None if foot is None else _own_frame(page)
    if foot is not None and (frame is not None or measures[foot].chars <= _FOOT_OF_LINKS * said):
        # A page of links: its only sentences stand in the footer.
        measures.forget(foot)
        drop(foot)
        spared.remove(foot)
        chosen = _choose(page, measures, metadata.kind) if frame is None else frame
    drop_spared(spared, chosen, measures)
    heading = tidy(chosen, measures, metadata) if len(measures) <= _MANY_ELEMENTS else None
    content = _detached(chosen)
    found = text_chars(content)
    if found < (_A_LINE if chosen is frame else _LITTLE_TEXT) and said > 2 * found:
        return _whole_page(again, metadata)
    return Content(content, heading)


def _whole_page(again: Callable[[], HtmlElement], metadata: Metadata) -> Content:
    """All that the page says beside its furniture; with it, where that is nearly nothing."""
    page = again()
    measures = Measures(page)
    drop_furniture(page, measures, keep_remarks=metadata.kind == "thread")
    body = _body(page)
    heading = tidy(body, measures, metadata)
    if text_chars(body) < _LITTLE_TEXT:
        return Content(_detached(_body(again())), None)
    return Content(_detached(body), heading)


def _choose(page: HtmlElement, measures: Measures, kind: PageKind) -> HtmlElement:
    """The element that holds the article, or the page's body."""
    densest = _densest(_body(page), measures)
    if kind == "thread":
        return densest
    if kind == "item":
        return _from_its_heading(densest, measures)
    picked = _common_ancestor(main_elements(page, measures)) if len(measures) <= _MANY_ELEMENTS else None
    if picked is None or picked is densest:
        chosen = densest
    elif densest in picked.iterdescendants():
        chosen = densest if measures[picked].prose <= measures[densest].prose * 1.05 else picked
    else:
        chosen = _smaller_or_larger(picked, densest, measures)
    return _or_its_frame(_with_its_like(chosen, measures), measures, kind)


def _own_frame(page: HtmlElement) -> HtmlElement | None:
    """What the page itself calls its main part, if that is one box, and not an empty one."""
    called = [box for box in page.iter("*") if _is_main(box)]
    return called[0] if len(called) == 1 and text_chars(called[0]) >= _A_LINE else None


def _is_main(box: HtmlElement) -> bool:
    return box.tag == "main" or (box.get("role") or "").lower() == "main"


def _or_its_frame(element: HtmlElement, measures: Measures, kind: PageKind) -> HtmlElement:
    """The page's own `<main>` or `<article>` in place of a part of it, where the rest is text too and not links."""
    frame = None
    for box in _boxes(element):
        if _is_main(box):
            frame = box
            break
        if box.tag == "article" or (box.get("role") or "").lower() == "article":
            frame = box
    if frame is element:
        return element
    if kind == "reference":
        # The words about a function are a small part of what says how it is called.
        return frame if frame is not None else _with_its_surroundings(element, measures)
    if frame is None:
        return element
    part, whole = measures[element], measures[frame]
    rest = whole.chars - part.chars
    if element.tag == "section" and whole.prose > part.prose and whole.linked - part.linked <= _FEW_LINKS * rest:
        # A section of a text that begins, or goes on, outside of it.
        return frame
    if part.chars > 0.7 * whole.chars or whole.linked - part.linked > _FEW_LINKS * rest:
        return element
    return frame


def _with_its_surroundings(element: HtmlElement, measures: Measures) -> HtmlElement:
    """The largest box around the element, below the body, in which what it adds is more than links."""
    found = element
    for box in element.iterancestors():
        if box.tag in ("body", "html"):
            break
        part, whole = measures[found], measures[box]
        if whole.linked - part.linked > _MOSTLY_LINKS * (whole.chars - part.chars):
            break
        found = box
    return found


def _from_its_heading(element: HtmlElement, measures: Measures) -> HtmlElement:
    """The nearest box that also holds the page's heading, and with it what stands between: a price, a date, a place."""
    for box in _boxes(element):
        if box.tag in ("body", "html") or measures[box].link_density > _MOSTLY_LINKS:
            break
        if next(box.iter("h1"), None) is not None:
            return box
    return element


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
        if parent is None or (parent.tag in ("html", "body") and level):
            break
        own = measures[box]
        like = [
            sibling
            for sibling in parent
            if sibling is not box
            and sibling.tag == box.tag
            and sibling.tag not in _LEAVES
            and _alike(sibling, box)
            and _is_part(measures[sibling], own)
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


def _is_part(size: Size, own: Size) -> bool:
    return size.prose >= max(80, own.prose * 0.05) and size.link_density < 0.15


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
    """The element as the root of a tree of its own."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
    element.tail = None
    if element.tag in _LEAVES or element.tag in _PARTS:
        holder = lxml_html.Element("div")
        holder.append(element)
        return holder
    return element


def text_chars(element: HtmlElement) -> int:
    """How many characters an element says."""
    return sum(text_size(text.strip()) for text in element.itertext())
