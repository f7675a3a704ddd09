"""Takes a site's furniture out of a page: navigation, banners, advertisements, sharing, related pages, remarks.

Names decide first (extract_names.py); a box that holds much of what the page says is kept whatever it is called.
"""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_measure import Measures, Size
from webcards.fetch.extract_names import names
from webcards.fetch.extract_nodes import drop

_FURNITURE_TAGS = frozenset(["nav", "footer", "aside", "button", "menu", "dialog", "form", "fieldset"])
_FURNITURE_ROLES = frozenset(
    [
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "menu",
        "menubar",
        "toolbar",
        "dialog",
        "alertdialog",
        "alert",
        "tooltip",
        "tablist",
    ]
)
# What is typed is coloured by names that say something else of a page: "comment", "meta", "tag".
TYPED = frozenset(["pre", "code"])
_INLINE = frozenset(["span", "a", "em", "i", "b", "strong", "time", "small", "cite", "abbr", "q", "mark", "u"])
_SENTENCES = frozenset(["p", "li", "td", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "figcaption"])
# So many letters beside it make a sentence of a paragraph; a byline has fewer ("by", "on"). Looked for in so many neighbours.
_A_SENTENCE, _NEAR = 16, 8
_FRAME_TAGS = frozenset(("html", "body", "main", "head", "title"))
_WORDS = re.compile(r"[^\W_]+")
_ADMONITION = re.compile(r"(?<![a-z])(?:note|tip|hint|warning|caution|danger|important|admonition|callout)(?![a-z])")
_KEPT = frozenset(
    [
        "blockquote",
        "pre",
        "code",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "math",
        "em",
        "b",
        "strong",
        "i",
        "dd",
        "dt",
        "main",
        "h1",
    ]
)
# The part of a page's running text, and of all its text, above which a box is no furniture.
_MUCH_PROSE = 0.4
_MUCH_TEXT = 0.6
_MUCH_OF_SOURCE = 0.5


def strip_site(root: HtmlElement) -> None:
    """Take the navigation and the footers out of a page as parsed, before anything is measured, unless they are most of it."""
    parts = [part for part in root.iter("nav", "footer") if not _is_quoted(part)]
    if parts and sum(map(_text_size, parts)) <= _text_size(root) * _MUCH_OF_SOURCE:
        for part in parts:
            drop(part)


def _is_quoted(element: HtmlElement) -> bool:
    return any(above.tag == "blockquote" for above in element.iterancestors())


def _text_size(element: HtmlElement) -> int:
    return len(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


def drop_furniture(root: HtmlElement, measures: Measures, *, keep_remarks: bool = False) -> list[HtmlElement]:
    """Take the furniture out of a prepared tree, in place; readers' remarks too, unless they are what the page is about.

    Gives the boxes that are called furniture and were spared for what they hold.
    """
    total = measures[root]
    prose, chars = total.prose, total.chars
    spared: list[HtmlElement] = []
    pending = list(reversed(root))
    while pending:
        element = pending.pop()
        if element.tag not in _FRAME_TAGS and _is_furniture(element, keep_remarks) and not in_a_sentence(element):
            if _is_dispensable(measures[element], prose, chars):
                measures.forget(element)
                drop(element)
                continue
            spared.append(element)
        if element.tag in TYPED:
            for button in list(element.iter("button")):
                drop(button)
        elif len(element):
            pending.extend(reversed(element))
    return spared


def drop_spared(spared: list[HtmlElement], content: HtmlElement, measures: Measures) -> None:
    """Think again about what was spared on the page, now that the content is found."""
    total = measures[content]
    for element in spared:
        if (
            element is not content
            and any(above is content for above in element.iterancestors())
            and _is_dispensable(measures[element], total.prose, total.chars)
        ):
            measures.forget(element)
            drop(element)


def foot_around(content: HtmlElement, spared: list[HtmlElement]) -> HtmlElement | None:
    """The footer that was spared and in which the content stands, or None."""
    around = {content, *content.iterancestors()}
    return next((box for box in spared if box in around and _is_foot(box)), None)


def _is_foot(element: HtmlElement) -> bool:
    called = f"{element.get('class') or ''} {element.get('id') or ''}".lower().split()
    return element.tag == "footer" or (element.get("role") or "").lower() == "contentinfo" or "footer" in called


def _is_dispensable(size: Size, prose: int, chars: int) -> bool:
    return not (size.prose and size.prose > prose * _MUCH_PROSE) and size.chars <= chars * _MUCH_TEXT


def _is_furniture(element: HtmlElement, keep_remarks: bool) -> bool:
    tag = element.tag
    if tag in _FURNITURE_TAGS:
        return not ((tag == "footer" and _is_quoted(element)) or (tag == "aside" and _is_admonition(element)))
    role = element.get("role")
    if role and role.lower() in _FURNITURE_ROLES:
        return True
    classes, identity = element.get("class"), element.get("id")
    if not (classes or identity) or tag in _KEPT:
        return False
    if classes:
        said = names(classes, None)
        if (said.furniture and not _is_code(element)) or (said.remarks and not keep_remarks):
            return True
    if not identity:
        return False
    said = names(None, identity)
    return (said.furniture or (said.remarks and not keep_remarks)) and not _named_after_heading(element, identity)


def in_a_sentence(element: HtmlElement) -> bool:
    """Whether it is words among others: a date or a name in a sentence may be called so, and is part of the sentence."""
    parent = element.getparent()
    if element.tag not in _INLINE or parent is None or parent.tag not in _SENTENCES:
        return False
    said = [element.tail, parent.text]
    for near in (element.itersiblings(preceding=True), element.itersiblings()):
        said += [sibling.tail for sibling, _ in zip(near, range(_NEAR), strict=False)]
    return sum(map(str.isalpha, "".join(filter(None, said)))) >= _A_SENTENCE


def _is_admonition(element: HtmlElement) -> bool:
    """Whether it is a note or a warning to the reader, as manuals set them beside their text."""
    said = f"{element.get('class') or ''} {element.get('role') or ''} {element.get('aria-label') or ''}"
    return _ADMONITION.search(said.lower()) is not None


def _is_code(element: HtmlElement) -> bool:
    """Whether it is a box around a listing, whatever it is called: "code-toolbar", "snippet-widget"."""
    code = sum(_text_size(listing) for listing in element.iter("pre"))
    return code > 0 and code >= _text_size(element) * _MUCH_OF_SOURCE


def _named_after_heading(element: HtmlElement, identity: str) -> bool:
    """Whether the id is the anchor of the section's own heading ("sharing" above a text on sharing)."""
    heading = next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None)
    if heading is None:
        return False
    words = set(_WORDS.findall("".join(heading.itertext()).casefold()))
    return bool(words) and set(_WORDS.findall(identity.casefold())) <= words | {"section", "sec"}
