"""Who wrote a page, by what the page says: structured data, meta elements, then the line that names the author."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from webcards.fetch.extract_nodes import words_of
from webcards.fetch.metadata_jsonld import StructuredData

MAX_BYLINE_CHARS = 100
_NAMES = (
    "dc:creator",
    "dcterm:creator",
    "dcterms:creator",
    "author",
    "parsely-author",
    "article:author",
    "sailthru:author",
    "citation_author",
    "byl",
)
_LINES = ("a", "p", "div", "span", "address", "cite", "small", "li", "header", "h3", "h4", "h5", "h6", "em", "strong")
_MAX_LOOKED_AT = 20_000
_BYLINE = re.compile(r"byline|author|dateline|writtenby|p-author", re.IGNORECASE)
_NO_NAME = re.compile(r"^(?:https?://|www\.|@|by$|admin$|author$)", re.IGNORECASE)


def find_byline(root: HtmlElement, metas: dict[str, str], data: StructuredData) -> str | None:
    """The author's name or the byline as printed, or None."""
    if names := data.names("author"):
        return ", ".join(dict.fromkeys(names))[:MAX_BYLINE_CHARS]
    for name in _NAMES:
        value = " ".join((metas.get(name) or "").split())
        if value and len(value) < MAX_BYLINE_CHARS and not _NO_NAME.match(value):
            return value
    return _printed_byline(root)


def _printed_byline(root: HtmlElement) -> str | None:
    for element, _ in zip(root.iter(*_LINES), range(_MAX_LOOKED_AT), strict=False):
        if not _is_marked(element):
            continue
        text = words_of(element)
        if not 0 < len(text) < MAX_BYLINE_CHARS or _NO_NAME.match(text):
            continue
        inner = next((part for part in element.iter() if "name" in (part.get("itemprop") or "").split()), None)
        if inner is not None:
            named = words_of(inner)
            text = named or text
        return text
    return None


def _is_marked(element: HtmlElement) -> bool:
    classes, identity = element.get("class"), element.get("id")
    for names in (classes, identity):
        if (
            names
            and ("uthor" in names or "yline" in names or "ateline" in names or "rittenby" in names.lower())
            and _BYLINE.search(names[:300])
        ):
            return True
    return element.get("rel") == "author" or "author" in (element.get("itemprop") or "")
