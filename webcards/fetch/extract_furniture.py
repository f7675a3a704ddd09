"""Takes a site's furniture out of a page: navigation, banners, advertisements, sharing, related pages, remarks.

Names decide first (extract_names.py); a box that holds much of what the page says is kept whatever it is called.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from webcards.fetch.extract_hidden import drop
from webcards.fetch.extract_measure import NOTHING, measure
from webcards.fetch.extract_names import names

_FURNITURE_TAGS = frozenset("nav footer aside button menu dialog form fieldset".split())
_FURNITURE_ROLES = frozenset(
    "navigation banner contentinfo complementary search menu menubar toolbar dialog alertdialog alert tooltip tablist".split()
)
_FRAME_TAGS = frozenset(("html", "body", "main", "head", "title"))
_WORDS = re.compile(r"[^\W_]+")
_KEPT = frozenset("blockquote pre code table thead tbody tfoot tr td th math em b strong i dd dt main h1".split())
# The part of a page's running text, and of all its text, above which a box is no furniture.
_MUCH_PROSE = 0.4
_MUCH_TEXT = 0.6


def drop_furniture(root: HtmlElement, *, keep_remarks: bool = False) -> None:
    """Take the furniture out of a prepared tree, in place; readers' remarks too, unless they are what the page is about."""
    measures = measure(root)
    total = measures[root]
    pending = list(reversed(root))
    while pending:
        element = pending.pop()
        if element.tag not in _FRAME_TAGS and _is_furniture(element, keep_remarks):
            size = measures.get(element, NOTHING)
            if not (size.prose and size.prose > total.prose * _MUCH_PROSE) and size.chars <= total.chars * _MUCH_TEXT:
                drop(element)
                continue
        pending.extend(reversed(element))


def _is_furniture(element: HtmlElement, keep_remarks: bool) -> bool:
    tag = element.tag
    if tag in _FURNITURE_TAGS:
        return True
    role = element.get("role")
    if role and role.lower() in _FURNITURE_ROLES:
        return True
    classes, identity = element.get("class"), element.get("id")
    if not (classes or identity) or tag in _KEPT:
        return False
    if classes:
        said = names(classes, "")
        if said.furniture or (said.remarks and not keep_remarks):
            return True
    if not identity:
        return False
    said = names("", identity)
    return (said.furniture or (said.remarks and not keep_remarks)) and not _named_after_heading(element, identity)


def _named_after_heading(element: HtmlElement, identity: str) -> bool:
    """Whether the id is the anchor of the section's own heading ("sharing" above a text on sharing)."""
    heading = next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None)
    if heading is None:
        return False
    words = set(_WORDS.findall("".join(heading.itertext()).casefold()))
    return bool(words) and set(_WORDS.findall(identity.casefold())) <= words | {"section", "sec"}
