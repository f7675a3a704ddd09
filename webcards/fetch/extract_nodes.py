"""What is done to single nodes of a tree: taking one out, asking for text, giving text back."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

# What a character reference can put into a tree, and lxml refuses to be given.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


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


def fit(text: str | None) -> str | None:
    """A text node's text as lxml takes it back."""
    return _UNFIT.sub("", text) if text and not text.isprintable() else text


def words_of(element: HtmlElement) -> str:
    """All that an element says, on one line."""
    return " ".join("".join(element.itertext()).split())


def has_text(value: str | None) -> bool:
    """Whether a text node holds anything but white space."""
    return bool(value and not value.isspace())
