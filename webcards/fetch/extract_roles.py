"""Boxes that say by their role what they are (WAI-ARIA 1.2): headings, lists, tables and quotes become elements of the kind."""

from __future__ import annotations

from lxml import etree
from lxml.html import HtmlElement

# Only what is nothing else: a role on a link or a button does not take that from it.
_CALLED = etree.XPath("//*[(self::div or self::p or self::span or self::section) and @role]")
_NAMES = {
    "table": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "cell": "td",
    "gridcell": "td",
    "columnheader": "th",
    "rowheader": "th",
    "list": "ul",
    "listitem": "li",
    "blockquote": "blockquote",
}
_INSIDE = {
    "tbody": frozenset(["table"]),
    "tr": frozenset(["table", "tbody"]),
    "td": frozenset(["tr"]),
    "th": frozenset(["tr"]),
    "li": frozenset(["ul"]),
}
# Boxes that may stand between a part and what it is a part of.
_BETWEEN = 3


def name_by_role(root: HtmlElement, source: str) -> None:
    """Give boxes the element of their role. A part (row, cell, item) is one only inside what it is a part of."""
    # A grid is for working in (a calendar, a list of letters), unless its columns have headings.
    grids = "columnheader" in source
    for element in _CALLED(root):
        role = (element.get("role") or "").strip().lower()
        if role == "heading":
            level = element.get("aria-level") or ""
            if level in ("1", "2", "3", "4", "5", "6"):
                element.tag = f"h{level}"
            continue
        if grids and role in ("grid", "treegrid"):
            role = "table"
        name = _NAMES.get(role)
        if name is None or (name in _INSIDE and not _is_inside(element, _INSIDE[name])):
            continue
        element.tag = name
        if name in ("td", "th"):
            for span in ("colspan", "rowspan"):
                if value := element.get(f"aria-{span}"):
                    element.set(span, value)


def _is_inside(element: HtmlElement, names: frozenset[str]) -> bool:
    return any(above.tag in names for above, _ in zip(element.iterancestors(), range(_BETWEEN), strict=False))
