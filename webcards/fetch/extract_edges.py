"""What stands at the edges of an article inside its own box: the byline and date before it, the links after it."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from webcards.fetch.extract_labels import leads_elsewhere
from webcards.fetch.extract_measure import Measures
from webcards.fetch.extract_nodes import drop, words_of
from webcards.fetch.metadata_iso import iso_date

_LINES = ("p", "div", "span", "li", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "time", "small")
_BLOCKS_BEFORE = 16
_FIRST_PROSE = 120
_MOST_FACTS = 140
_READING_TIME = re.compile(
    r"\b\d{1,3}\s*(?:min(?:ute)?s?|хв|мин)\b.{0,8}(?:read|lesen|lecture|lectura|leitura)?|分钟", re.IGNORECASE
)
_SIGNED = re.compile(
    r"^\W*(?:by|von|por|par|di|door|av|od|автор:?|от|文[/:：]|作者[:：]?|publicado\s+por|posted\s+by|written\s+by)\s+\S",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORDS = re.compile(r"\w+")


def drop_facts_before(content: HtmlElement, measures: Measures, *, title: str | None, byline: str | None) -> None:
    """Drop the lines before the first paragraph that only repeat the title, the author or the date."""
    known = {key for fact in (title, byline) if (key := _key(fact or ""))}
    looked = 0
    for element in list(content.iter(*_LINES)):
        size = measures[element]
        if not size.chars or (len(element) and any(child.tag in _LINES for child in element)):
            continue
        if size.chars >= _FIRST_PROSE and size.link_density < 0.5:
            return
        looked += 1
        if looked > _BLOCKS_BEFORE:
            return
        text = words_of(element)
        if _key(text) in known or (len(text) <= _MOST_FACTS and _is_fact(text)):
            drop(element)


def drop_links_after(content: HtmlElement, measures: Measures) -> None:
    """Drop a list of links with which an article ends, unless a heading or a line before it says what it is."""
    last = _last_block(content, measures)
    if last is None or last.tag not in ("ul", "ol") or measures[last].link_density < 0.9:
        return
    before = last.getprevious()
    if before is None or before.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        return
    said = words_of(before)
    if said.endswith((":", "：")) and not leads_elsewhere(said):
        return
    drop(last)


def _is_fact(text: str) -> bool:
    if _READING_TIME.search(text) and len(text) < 60:
        return True
    dated = _DIGIT.search(text) is not None and iso_date(text) is not None
    # A sentence may begin with a date; a dateline is no sentence.
    return (dated or bool(_SIGNED.match(text) and len(text) < 60)) and not text.endswith((".", "!", "?", "。", ":"))


def _last_block(content: HtmlElement, measures: Measures) -> HtmlElement | None:
    """The last element with text, as deep as a list or a paragraph."""
    element = content
    while True:
        children = [child for child in element if measures[child].chars]
        if not children:
            return None
        element = children[-1]
        if element.tag in ("ul", "ol", "p", "table", "blockquote", "pre") or (
            element.tail and not element.tail.isspace()
        ):
            return element


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text)).casefold()
