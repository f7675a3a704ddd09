"""What a page folds away for readers to open: accordions and tabs. Their texts are shown, each under what opens it."""

from __future__ import annotations

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.extract_nodes import words_of

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"])
_LEVELS = 3
_TABS = etree.XPath("//*[@role='tab']")
_PANELS = etree.XPath("//*[@role='tabpanel']")
_OUTSIDE = frozenset(["nav", "header", "footer", "form", "dialog", "menu", "aside"])
_MOST_CHARS_OF_A_NAME = 200


def unfold(root: HtmlElement) -> None:
    """Show what can be opened, and make the words of the buttons that open it part of the text."""
    headings: dict[HtmlElement, str] = {}
    for button in list(root.iter("button")):
        if button.get("aria-expanded") is not None and button.get("aria-controls"):
            _unfold_below(button)
        heading = _heading_around(button)
        if heading is None:
            continue
        if heading not in headings:
            headings[heading] = words_of(heading)
        if headings[heading] == words_of(button):
            # Not one that copies a link to the heading: the words of the heading itself.
            button.tag = "span"


def show_tabs(root: HtmlElement) -> None:
    """Show the panels of a page's tabs, if it has any tabs to choose them by, each under its tab's words."""
    tabs = _TABS(root)
    named = {tab.get("id"): tab for tab in tabs if tab.get("id")}
    for panel in _PANELS(root) if tabs else ():
        show(panel)
        _name(panel, named.get(panel.get("aria-labelledby")))


def show(element: HtmlElement) -> None:
    """Take from an element what hides it."""
    for name in ("hidden", "style", "aria-hidden"):
        element.attrib.pop(name, None)


def _unfold_below(opener: HtmlElement) -> None:
    """Show the box just below an opener. What it controls elsewhere on the page is a menu, a dialog or the like."""
    if opener.get("aria-haspopup") is not None or any(above.tag in _OUTSIDE for above in opener.iterancestors()):
        return
    wanted = (opener.get("aria-controls") or "").split()
    line = opener
    for _ in range(_LEVELS):
        below = line.getnext()
        if below is not None:
            if below.get("id") in wanted and below.tag not in _OUTSIDE:
                show(below)
                opener.tag = "summary"
            return
        parent = line.getparent()
        if parent is None:
            return
        line = parent


def _heading_around(button: HtmlElement) -> HtmlElement | None:
    around = zip(button.iterancestors(), range(_LEVELS), strict=False)
    return next((box for box, _ in around if box.tag in _HEADINGS), None)


def _name(panel: HtmlElement, tab: HtmlElement | None) -> None:
    """Put a tab's words above its panel."""
    words = words_of(tab) if tab is not None else ""
    if 0 < len(words) <= _MOST_CHARS_OF_A_NAME:
        name = etree.SubElement(panel, "summary")
        name.text = words
        name.tail, panel.text = panel.text, None
        panel.insert(0, name)
