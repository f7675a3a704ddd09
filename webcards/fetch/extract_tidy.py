"""Tidies the content that was found: what surrounds an article inside its own box goes, what belongs to its pictures is marked.

Captions become `<figcaption>`, so that the Markdown can keep them beside their picture and the running text can leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml.html import HtmlElement

from webcards.fetch.extract_hidden import drop
from webcards.fetch.extract_labels import credits_picture, heads_other_pages, is_dateline, is_label, is_plea, leads_elsewhere
from webcards.fetch.extract_measure import NOTHING, Measure, measure
from webcards.fetch.extract_names import is_caption, is_gallery, names

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_KEPT = frozenset("blockquote pre code table math li dd dt td th tr tbody".split())
_BLOCKS = ("p", "div", "center", "section", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "figure", "span", "strong", "a")
_ENOUGH_PROSE = 500
_WORDS = re.compile(r"\w+")


def tidy(content: HtmlElement, title: str | None) -> str | None:
    """Tidy a copy of the content in place; gives the page's heading, which the content is then without."""
    measures = measure(content)
    total = measures[content]
    walk(content, lambda element: _is_about(element, measures.get(element, NOTHING), total))
    walk(content, lambda element: _is_gallery(element, measures.get(element, NOTHING), total))
    _mark_captions(content, measures, total)
    heading = _take_heading(content, title)
    _drop_by_wording(content, measures, total)
    if total.prose >= _ENOUGH_PROSE and total.link_density < 0.4:
        _drop_announced_links(content, measures)
    _drop_empty_headings(content)
    return heading


def walk(root: HtmlElement, unwanted: Callable[[HtmlElement], bool]) -> None:
    """Take every outermost element that is unwanted out of the tree."""
    pending = list(reversed(root))
    while pending:
        element = pending.pop()
        if unwanted(element):
            drop(element)
        else:
            pending.extend(reversed(element))


def _is_about(element: HtmlElement, size: Measure, total: Measure) -> bool:
    """Bylines, dates, author boxes: facts about the article that stand apart from it."""
    if element.tag in _KEPT:
        return False
    classes, identity = element.get("class"), element.get("id")
    if not (classes or identity):
        return False
    if size.prose > total.prose * 0.3 or size.chars > total.chars * 0.5:
        return False
    return names(classes or "", identity or "").about


def _is_gallery(element: HtmlElement, size: Measure, total: Measure) -> bool:
    """A row of pictures inside a text, with what is said below each: the text goes on without it."""
    classes, identity = element.get("class"), element.get("id")
    return bool(classes or identity) and is_gallery(classes or "", identity or "") and total.prose - size.prose >= _ENOUGH_PROSE


def _mark_captions(content: HtmlElement, measures: dict[HtmlElement, Measure], total: Measure) -> None:
    for element in list(content.iter("p", "div", "span", "figure", "ul", "small", "em", "li")):
        size = measures.get(element, NOTHING)
        if not size.chars or size.chars > 600 or size.chars > total.chars * 0.4:
            continue
        classes, identity = element.get("class"), element.get("id")
        named = bool(classes or identity) and is_caption(classes or "", identity or "")
        if named or (size.chars <= 400 and element.tag in ("p", "div", "em", "small") and credits_picture(_text(element))):
            if not any(above.tag == "figcaption" for above in element.iterancestors()):
                element.tag = "figcaption"


def _take_heading(content: HtmlElement, title: str | None) -> str | None:
    """Take out the heading that the page is called by: the first `<h1>`, or whichever heading repeats the title."""
    wanted = _key(title or "")
    for element in content.iter("h1", "h2"):
        text = _text(element)
        said = _key(text)
        if said and (said == wanted or (element.tag == "h1" and (not wanted or said in wanted or wanted in said))):
            drop(element)
            return text
    return None


def _drop_by_wording(content: HtmlElement, measures: dict[HtmlElement, Measure], total: Measure) -> None:
    for element in list(content.iter("p", "div", "center", "section", "h2", "h3", "h4", "h5", "h6", "li")):
        size = measures.get(element, NOTHING)
        if not size.chars or size.chars > 400 or size.chars > total.chars * 0.3:
            continue
        text = _text(element)
        if is_label(text) or is_dateline(text):
            drop(element)
        elif element.tag in _HEADINGS:
            continue
        elif size.link_density > 0.5 and leads_elsewhere(text):
            drop(element)
        elif size.linked and size.chars < 300 and is_plea(text):
            drop(element)
        elif size.link_density > 0.9 and size.chars > 20 and text.isupper():
            drop(element)


def _drop_announced_links(content: HtmlElement, measures: dict[HtmlElement, Measure]) -> None:
    """A line such as "You may also like" goes with the links that follow it."""
    for element in list(content.iter("p", "h2", "h3", "h4", "h5", "h6", "div")):
        size = measures.get(element, NOTHING)
        if not size.chars or size.chars > 80 or not heads_other_pages(_text(element)):
            continue
        following = []
        sibling = element.getnext()
        while sibling is not None:
            below = measures.get(sibling, NOTHING)
            if below.chars and (below.link_density < 0.8 or below.chars > 600):
                break
            following.append(sibling)
            sibling = sibling.getnext()
        if any(measures.get(link, NOTHING).chars for link in following):
            drop(element)
            for link in following:
                drop(link)


def _drop_empty_headings(content: HtmlElement) -> None:
    """A heading with nothing under it stood above something that went."""
    following: HtmlElement | None = None
    for element in reversed(list(content.iter(*_HEADINGS))):
        if following is None and not _followed_by_text(element, content) and heads_other_pages(_text(element)):
            drop(element)
        else:
            following = element


def _followed_by_text(element: HtmlElement, content: HtmlElement) -> bool:
    node = element
    while node is not None and node is not content:
        sibling = node.getnext()
        while sibling is not None:
            if _text(sibling) or next(sibling.iter("img"), None) is not None:
                return True
            sibling = sibling.getnext()
        node = node.getparent()
    return False


def _text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text)).casefold()
