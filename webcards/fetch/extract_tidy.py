"""Tidies the content that was found: what surrounds an article inside its own box goes, what belongs to its pictures is marked.

Captions become `<figcaption>`, so that the Markdown can keep them beside their picture and the running text can leave them out.
"""

from __future__ import annotations

import re
from collections import Counter

from lxml.html import HtmlElement

from webcards.fetch.extract_edges import drop_facts_before, drop_links_after
from webcards.fetch.extract_furniture import TYPED, in_a_sentence
from webcards.fetch.extract_labels import (
    PERMALINK_SIGNS,
    credits_picture,
    heads_other_pages,
    is_dateline,
    is_label,
    is_plea,
    leads_elsewhere,
)
from webcards.fetch.extract_measure import Measures, Size
from webcards.fetch.extract_names import names
from webcards.fetch.extract_nodes import drop, words_of
from webcards.fetch.metadata import Metadata

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_KEPT = frozenset(["blockquote", "pre", "code", "table", "math", "li", "dd", "dt", "td", "th", "tr", "tbody"])
_SPOKEN = ("p", "div", "center", "section", "h2", "h3", "h4", "h5", "h6", "li", "em", "small")
_CREDIT_TAGS = frozenset(["p", "div", "em", "small"])
_CAPTION_TAGS = frozenset(["p", "div", "span", "figure", "ul", "small", "em", "li"])
_ENOUGH_PROSE = 500
# A line shorter than this, without what it was about, says nothing.
_NO_WORDS = 16
_FEW_LINKS = 0.3
_FEW_PARTS = 8
# So many posts make a thread.
_A_THREAD = 3
_WORDS = re.compile(r"\w+")


def tidy(content: HtmlElement, measures: Measures, metadata: Metadata) -> str | None:
    """Tidy a copy of the content in place; gives the page's heading, which the content is then without."""
    total = measures[content]
    is_thread = _drop_by_name(content, measures, total)
    heading = _take_heading(content, metadata.title)
    _sort_by_wording(content, measures, total)
    if metadata.kind == "article" and total.prose >= _ENOUGH_PROSE and total.link_density < 0.4:
        if not is_thread:
            drop_facts_before(content, measures, title=metadata.title, byline=metadata.byline)
        _drop_announced_links(content, measures)
        drop_links_after(content, measures)
    _drop_empty_headings(content)
    return heading


def _drop_by_name(content: HtmlElement, measures: Measures, total: Size) -> bool:
    """Drop bylines, dates, author boxes and galleries; mark captions.

    What says the same of each of several posts stays, as who wrote what is the point of a thread; gives whether there is such.
    """
    about: list[HtmlElement] = []
    pending = list(reversed(content))
    while pending:
        element = pending.pop()
        classes, identity = element.get("class"), element.get("id")
        if classes or identity:
            said = names(classes, identity)
            size = measures[element]
            if (
                said.about
                and element.tag not in _KEPT
                and not in_a_sentence(element)
                and size.prose <= total.prose * 0.3
                and size.chars <= total.chars * 0.5
            ):
                about.append(element)
                continue
            if said.gallery and total.prose - size.prose >= _ENOUGH_PROSE:
                # A row of pictures, with what is said below each: the text goes on without it.
                drop(element)
                continue
            if (
                said.caption
                and element.tag in _CAPTION_TAGS
                and not in_a_sentence(element)
                and size.chars <= min(600, total.chars * 0.4)
            ):
                element.tag = "figcaption"
                continue
        if len(element) and element.tag != "figcaption" and element.tag not in TYPED:
            pending.extend(reversed(element))
    times = Counter(element.get("class") for element in about)
    of_posts = {classes for classes, count in times.items() if classes and count >= _A_THREAD}
    for element in about:
        if element.get("class") not in of_posts:
            _drop_fact(element)
    return bool(of_posts)


def _drop_fact(element: HtmlElement) -> None:
    """Drop a byline or a date, and what then is left of its line: "by", "on"."""
    line = element.getparent()
    drop(element)
    if (
        line is not None
        and line.tag == "p"
        and len(line) <= _FEW_PARTS
        and not any(child.tag in ("img", "math") for child in line)
    ):
        left = words_of(line)
        if len(left) < _NO_WORDS and sum(map(str.isalpha, left)) < _NO_WORDS // 2:
            drop(line)


def _take_heading(content: HtmlElement, title: str | None) -> str | None:
    """Take out the heading that the page is called by: the first `<h1>`, or whichever heading repeats the title."""
    wanted = _key(title or "")
    for element in content.iter("h1", "h2"):
        said = _key(words_of(element))
        if said and (said == wanted or (element.tag == "h1" and (not wanted or said in wanted or wanted in said))):
            heading = _without_permalinks(element)
            drop(element)
            return heading
    return None


def _sort_by_wording(content: HtmlElement, measures: Measures, total: Size) -> None:
    """Drop short blocks that say they are no part of the text, and mark those that say whose picture stands above them."""
    most = min(400, total.chars * 0.4)
    for element in list(content.iter(*_SPOKEN)):
        size = measures[element]
        if not 0 < size.chars <= most:
            continue
        tag = element.tag
        text = words_of(element)
        if tag in _CREDIT_TAGS and credits_picture(text):
            element.tag = "figcaption"
        elif tag in ("em", "small") or (tag in _HEADINGS and is_label(text) and _heads_prose(element, measures)):
            continue
        elif is_label(text) or is_dateline(text):
            if not _is_typed(element):
                drop(element)
        elif tag in _HEADINGS or not size.linked:
            continue
        elif (
            (size.link_density > (0.1 if text[:4].isupper() else 0.5) and leads_elsewhere(text))
            or (size.chars < 300 and is_plea(text))
            or (size.link_density > 0.9 and size.chars > 20 and text.isupper())
        ):
            drop(element)


def _heads_prose(heading: HtmlElement, measures: Measures) -> bool:
    """Whether running text follows a heading: then "Share" or "Menu" is what the text is about."""
    below = heading.getnext()
    if below is None or below.tag not in ("p", "div", "section"):
        return False
    size = measures[below]
    return size.prose > 0 and size.link_density < _FEW_LINKS


def _is_typed(element: HtmlElement) -> bool:
    """Whether it is code, or a line of it: what is typed is no label, though it says "top"."""
    return next(element.iter("pre"), None) is not None or any(above.tag == "pre" for above in element.iterancestors())


def _drop_announced_links(content: HtmlElement, measures: Measures) -> None:
    """A line such as "You may also like" goes with the links that follow it."""
    for element in list(content.iter("p", "h2", "h3", "h4", "h5", "h6", "div")):
        size = measures[element]
        if not size.chars or size.chars > 80 or not heads_other_pages(words_of(element)):
            continue
        following = []
        sibling = element.getnext()
        while sibling is not None:
            below = measures[sibling]
            if below.chars and (below.link_density < 0.8 or below.chars > 600):
                break
            following.append(sibling)
            sibling = sibling.getnext()
        if any(measures[link].chars for link in following):
            drop(element)
            for link in following:
                drop(link)


def _drop_empty_headings(content: HtmlElement) -> None:
    """A heading with nothing under it stood above something that went."""
    following: HtmlElement | None = None
    for element in reversed(list(content.iter(*_HEADINGS))):
        if following is None and not _followed_bywords_of(element, content) and heads_other_pages(words_of(element)):
            drop(element)
        else:
            following = element


def _followed_bywords_of(element: HtmlElement, content: HtmlElement) -> bool:
    node = element
    while node is not None and node is not content:
        sibling = node.getnext()
        while sibling is not None:
            if words_of(sibling) or next(sibling.iter("img"), None) is not None:
                return True
            sibling = sibling.getnext()
        node = node.getparent()
    return False


def _without_permalinks(heading: HtmlElement) -> str:
    """A heading's words; a sign that is no link, as in "C#", is one of them."""
    for link in list(heading.iter("a")):
        if words_of(link) in PERMALINK_SIGNS:
            drop(link)
    return words_of(heading)


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text)).casefold()
