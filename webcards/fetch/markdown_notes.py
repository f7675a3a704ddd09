"""Footnotes: which links on a page point to a note on the same page, and where the note is."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

MAX_NOTES = 2_000
_NOTE_TAGS = frozenset(["li", "p", "div", "dd", "aside", "section", "td", "span"])
_NOTE_NAME = re.compile(
    r"(?:^|[\s_:.-])(?:fn|foot-?notes?|end-?notes?|note|cite[_-]note|ref|reference)s?(?=$|[\s_:.\d-])", re.IGNORECASE
)
_LABEL = re.compile(r"[\w*†‡§.-]{1,40}")
_BACK_SIGNS = frozenset(["↩", "↩︎", "⤴", "⤴︎", "↑", "↵", "^", "⏎", "return", "back"])


class Notes(NamedTuple):
    """The links that refer to notes, and the elements that are notes, each with its label."""

    references: dict[HtmlElement, str]
    definitions: dict[HtmlElement, str]


def find_notes(root: HtmlElement) -> Notes:
    """The footnotes of a content tree. A reference whose note is not in the tree stays a link."""
    references: dict[HtmlElement, str] = {}
    definitions: dict[HtmlElement, str] = {}
    wanted = [link for link in root.iter("a") if (link.get("href") or "").startswith("#") and _refers(link)]
    if not wanted:
        return Notes(references, definitions)
    targets: dict[str, HtmlElement] = {}
    for element in root.iter():
        identity = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if identity and identity not in targets:
            targets[identity] = element
    labels: dict[HtmlElement, str] = {}
    for link in wanted[:MAX_NOTES]:
        target = _note_box(targets.get(link.get("href")[1:]))
        if target is None or target in link.iterancestors():
            continue
        label = labels.get(target)
        if label is None:
            label = _label(link, labels)
            labels[target] = label
            definitions[target] = label
        references[link] = label
    return Notes(references, definitions)


def is_back_link(link: HtmlElement) -> bool:
    """Whether a link leads from a note back to its reference."""
    said = f"{link.get('role') or ''} {link.get('class') or ''} {link.get('rev') or ''}".lower()
    if "backlink" in said or "backref" in said or "footnote-back" in said or "reversefootnote" in said:
        return True
    return (link.get("href") or "").startswith("#") and "".join(link.itertext()).strip().lower() in _BACK_SIGNS


def _refers(link: HtmlElement) -> bool:
    said = (
        f"{link.get('role') or ''} {link.get('class') or ''} {link.get('type') or ''} {link.get('rel') or ''}".lower()
    )
    if is_back_link(link):
        return False
    if "noteref" in said or "footnote-ref" in said or "footnoteref" in said:
        return True
    text = "".join(link.itertext()).strip()
    if not text or len(text) > 12:
        return False
    parent = link.getparent()
    raised = (parent is not None and parent.tag == "sup") or (
        len(link) == 1 and link[0].tag == "sup" and not (link.text or "").strip()
    )
    return raised and bool(_NOTE_NAME.search(link.get("href")[1:]) or text.strip("[]()").isdigit() or len(text) <= 2)


def _note_box(target: HtmlElement | None) -> HtmlElement | None:
    """The element that holds the note's text: the target, or the box that it is an anchor in."""
    steps = 0
    while target is not None and steps < 4:
        if (
            target.tag in _NOTE_TAGS
            and target.tag != "span"
            and "".join(target.itertext()).strip(" \n\t[]().0123456789^↩")
        ):
            return target
        target = target.getparent()
        steps += 1
    return None


def _label(link: HtmlElement, taken: dict[HtmlElement, str]) -> str:
    text = "".join("".join(link.itertext()).split()).strip("[]()")
    used = set(taken.values())
    if _LABEL.fullmatch(text) and text not in used:
        return text
    number = len(used) + 1
    while str(number) in used:
        number += 1
    return str(number)
