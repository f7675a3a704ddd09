"""What a page hides and what it only seems to hide: `display:none`, `aria-hidden`, boxes of no size, streamed-in parts.

Hidden text is not shown to a model (it is where a page speaks to machines behind a person's back), but content that a script
will show, as server-side rendering streams it in, is kept.
"""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_folds import show, show_tabs
from webcards.fetch.extract_nodes import drop, fit

_CANDIDATES = etree.XPath("//*[@style or @hidden or @aria-hidden]")
_HINTS = ("none", "hidden", "collapse", ":0", ": 0", ":-", ": -", "rect")
_INVISIBLE_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|em|rem|pt|%)?"
    r"|text-indent\s*:\s*-\d{3,}[a-z%]*"
    r"|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}[a-z%]*"
    r"|clip\s*:\s*rect\(\s*[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?\s*\))\s*(?:!\s*important\s*)?(?:;|$)",
    re.IGNORECASE,
)
_NO_WIDTH = re.compile(
    r"(?:^|;)\s*(?:max-)?width\s*:\s*[01](?:px|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)", re.IGNORECASE
)
_NO_HEIGHT = re.compile(
    r"(?:^|;)\s*(?:max-)?height\s*:\s*[01](?:px|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)", re.IGNORECASE
)
_STREAMED_PARTS = etree.XPath("//div[starts-with(@id, 'S:')]")
_STREAMED = re.compile(r"S:[0-9a-f]+", re.IGNORECASE)
# The part of a page's text that, when hidden, cannot have been meant to stay so.
_TOO_MUCH_TO_HIDE = 0.7
_WORTH_REVEALING = 200


def reveal_streamed(root: HtmlElement, templates: list[HtmlElement]) -> None:
    """Show what React streams in (`<div hidden id="S:0">`), in the place of its `<template id="B:0">` if there is one."""
    places = {identity: template for template in templates if (identity := template.get("id"))}
    for part in _STREAMED_PARTS(root):
        if not _STREAMED.fullmatch(part.get("id", "")):
            continue
        show(part)
        place = places.get("B:" + part.get("id", "")[2:])
        if place is not None and not any(above is part for above in place.iterancestors()):
            # What follows the part stays where it is; addnext would take it along.
            marker = etree.SubElement(part, "wbr")
            part.addnext(marker)
            marker.tail, part.tail = fit(part.tail), None
            place.addnext(part)


def is_hidden(element: HtmlElement) -> bool:
    """Whether the element itself asks not to be seen (what stands above it is not looked at)."""
    get = element.get
    hidden = get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    aria = get("aria-hidden")
    if aria is not None and aria.strip().lower() == "true":
        return True
    style = get("style")
    if not style or not any(hint in style.lower() for hint in _HINTS):
        return False
    return bool(_INVISIBLE_STYLE.search(style) or (_NO_WIDTH.search(style) and _NO_HEIGHT.search(style)))


def drop_hidden(root: HtmlElement) -> None:
    """Take out what the page hides, unless it is most of what the page says."""
    hidden = [element for element in _CANDIDATES(root) if element.tag not in ("html", "math") and is_hidden(element)]
    if any(element.get("role") == "tabpanel" for element in hidden):
        show_tabs(root)
        hidden = [element for element in hidden if is_hidden(element)]
    if not hidden:
        return
    outermost = set(hidden)
    tops = [element for element in hidden if not any(above in outermost for above in element.iterancestors())]
    total: int | None = None
    for element in tops:
        size = _text_size(element)
        if size >= _WORTH_REVEALING and total is None:
            total = _text_size(root)
        if size >= _WORTH_REVEALING and total is not None and size >= total * _TOO_MUCH_TO_HIDE:
            show(element)
            for inner in hidden:
                if inner is not element and any(above is element for above in inner.iterancestors()):
                    drop(inner)
        elif element.tag == "body":
            show(element)
        else:
            drop(element)


def _text_size(element: HtmlElement) -> int:
    text = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
    return len(" ".join(text.split()))
