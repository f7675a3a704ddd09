"""What a page hides and what it only seems to hide: `display:none`, `aria-hidden`, boxes of no size, streamed-in parts.

Hidden text is not shown to a model (it is where a page speaks to machines behind a person's back), but content that a script
will show, as server-side rendering streams it in, is kept.
"""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

_CANDIDATES = etree.XPath(
    "//*[@hidden or @aria-hidden or contains(@style, 'none') or contains(@style, 'hidden') or contains(@style, '-9')"
    " or contains(@style, ':0') or contains(@style, ': 0') or contains(@class, 'hidden')"
    " or contains(@class, 'sr-only') or contains(@class, 'screen-reader') or contains(@style, 'NONE')]"
)
_INVISIBLE_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|em|rem|pt|%)?"
    r"|text-indent\s*:\s*-\d{3,}[a-z%]*"
    r"|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}[a-z%]*"
    r"|clip\s*:\s*rect\(\s*[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?\s*\))\s*(?:!\s*important\s*)?(?:;|$)",
    re.I,
)
_NO_WIDTH = re.compile(r"(?:^|;)\s*(?:max-)?width\s*:\s*[01](?:px|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)", re.I)
_NO_HEIGHT = re.compile(r"(?:^|;)\s*(?:max-)?height\s*:\s*[01](?:px|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)", re.I)
_FOR_SCREEN_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|visuallyhidden|screen-reader(?:-text|-only)?|screenreader(?:-only)?|a11y-hidden|u-hidden-visually"
    r"|element-invisible|offscreen|hidden-visually|visually-hidden-focusable|invisible-text)(?:\s|$)",
    re.I,
)
_STREAMED = re.compile(r"S:[0-9a-f]+", re.I)
# The part of a page's text that, when hidden, cannot have been meant to stay so.
_TOO_MUCH_TO_HIDE = 0.7
_WORTH_REVEALING = 200


def reveal_streamed(root: HtmlElement) -> None:
    """Put what React streams in (`<div hidden id="S:0">`) where its placeholder (`<template id="B:0">`) stands, and show it."""
    for part in root.xpath("//*[starts-with(@id, 'S:')]"):
        if not _STREAMED.fullmatch(part.get("id", "")):
            continue
        part.attrib.pop("hidden", None)
        part.attrib.pop("style", None)
        part.attrib.pop("aria-hidden", None)
        places = root.xpath("//template[@id=$name]", name="B:" + part.get("id")[2:])
        if places and part not in places[0].iterancestors():
            tail, part.tail = part.tail, None
            parent = part.getparent()
            if parent is not None and tail:
                previous = part.getprevious()
                if previous is not None:
                    previous.tail = (previous.tail or "") + tail
                else:
                    parent.text = (parent.text or "") + tail
            places[0].addnext(part)


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
    if style and (_INVISIBLE_STYLE.search(style) or (_NO_WIDTH.search(style) and _NO_HEIGHT.search(style))):
        return True
    names = get("class")
    return bool(names and _FOR_SCREEN_READERS.search(names))


def drop_hidden(root: HtmlElement) -> None:
    """Take out what the page hides, unless it is most of what the page says."""
    hidden = [element for element in _CANDIDATES(root) if element.tag not in ("html", "math") and is_hidden(element)]
    if not hidden:
        return
    outermost = set(hidden)
    tops = [element for element in hidden if not any(above in outermost for above in element.iterancestors())]
    sizes = {element: _text_size(element) for element in tops}
    total = _text_size(root)
    for element in tops:
        size = sizes[element]
        if size >= _WORTH_REVEALING and size >= total * _TOO_MUCH_TO_HIDE:
            element.attrib.pop("hidden", None)
            element.attrib.pop("style", None)
            element.attrib.pop("aria-hidden", None)
            for inner in hidden:
                if inner is not element and element in inner.iterancestors():
                    drop(inner)
        elif element.tag != "body":
            drop(element)


def drop(element: HtmlElement) -> None:
    """Take an element out of its tree; the text behind it stays.

    Where text stands behind it, an empty `<wbr>` keeps its place: joining the text to what stands before would copy it, and a
    page of 100,000 hidden words would take minutes.
    """
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        element.clear(keep_tail=True)
        element.tag = "wbr"
    else:
        parent.remove(element)


def _text_size(element: HtmlElement) -> int:
    return sum(len(text.strip()) for text in element.itertext())
