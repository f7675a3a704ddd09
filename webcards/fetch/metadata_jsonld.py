"""What a page says of itself in JSON-LD (schema.org): the first object that describes an article, or failing that the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from lxml.html import HtmlElement

MAX_CHARS = 2_000_000
MAX_OBJECTS = 2_000
_WRAPPING = re.compile(
    r"^\s*(?:<!\[CDATA\[|<!--|//<!\[CDATA\[|/\*<!\[CDATA\[\*/)\s*|\s*(?:\]\]>|-->|//\]\]>|/\*\]\]>\*/|;)\s*$"
)
_ARTICLE = re.compile(
    r"(?:\w*NewsArticle|(?:Advertiser)?(?:Content)?Article|Satirical\w*|(?:Medical)?ScholarlyArticle|TechArticle|Report|(?:Social\w*|Blog|LiveBlog|DiscussionForum)Posting|APIReference|HowTo|Recipe|Review|CreativeWork)"
)
_THREAD = frozenset(["DiscussionForumPosting", "QAPage"])
_ITEM = re.compile(
    r"Product|ProductGroup|IndividualProduct|\w*Event|JobPosting|SoftwareApplication|Course|RealEstateListing|Accommodation|Vehicle"
)
_REFERENCE = frozenset(["APIReference", "TechArticle"])


class StructuredData:
    """The JSON-LD of a page. All answers are None (or empty) where the page does not say."""

    def __init__(self, objects: list[dict[str, Any]]) -> None:
        self._kinds = {kind for item in objects for kind in _kinds(item)}
        self.article = next((item for item in objects if any(map(_ARTICLE.fullmatch, _kinds(item)))), {})

    @property
    def is_thread(self) -> bool:
        """Whether the page describes itself as a discussion."""
        return not self._kinds.isdisjoint(_THREAD)

    @property
    def is_reference(self) -> bool:
        """Whether the page describes itself as documentation."""
        return not self._kinds.isdisjoint(_REFERENCE)

    @property
    def is_item(self) -> bool:
        """Whether the page describes one thing on offer, and no article."""
        return not self.article and any(map(_ITEM.fullmatch, self._kinds))

    def text(self, *names: str) -> str | None:
        """The first of the article's properties that is a text, trimmed."""
        for name in names:
            value = self.article.get(name)
            if isinstance(value, list) and value and isinstance(value[0], str):
                value = value[0]
            if isinstance(value, str) and value.strip():
                return " ".join(value.split())
        return None

    @property
    def body(self) -> str | None:
        """The article's text, its lines kept."""
        value = self.article.get("articleBody")
        return value if isinstance(value, str) and value.strip() else None

    def names(self, name: str) -> list[str]:
        """The names of the people or organisations in a property."""
        found = self.article.get(name)
        people = found if isinstance(found, list) else [found]
        names: list[str] = []
        for person in people[:20]:
            value = person.get("name") if isinstance(person, dict) else person
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, str) and value.strip():
                names.append(" ".join(value.split()))
        return names


def structured_data(root: HtmlElement) -> StructuredData:
    """Read the JSON-LD of a parsed page, before its scripts go. Never raises."""
    objects: list[dict[str, Any]] = []
    left = MAX_CHARS
    for script in root.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        text = script.text or ""
        left -= len(text)
        if left < 0:
            break
        objects.extend(_objects(_decoded(text)))
        if len(objects) > MAX_OBJECTS:
            break
    return StructuredData(objects[:MAX_OBJECTS])


def _decoded(text: str) -> object:
    stripped = _WRAPPING.sub("", text)
    try:
        return msgspec.json.decode(stripped.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        # Many pages have raw line breaks inside strings.
        return json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return None


def _objects(value: object) -> Iterator[dict[str, Any]]:
    """The described objects: the value itself, its list, its `@graph`, and what a page says it is mainly about."""
    pending = [value]
    seen = 0
    while pending and seen < MAX_OBJECTS:
        current = pending.pop(0)
        seen += 1
        if isinstance(current, list):
            pending.extend(current[:MAX_OBJECTS])
        elif isinstance(current, dict):
            yield current
            for name in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart"):
                inner = current.get(name)
                if isinstance(inner, dict | list):
                    pending.append(inner)


def _kinds(item: dict[str, Any]) -> list[str]:
    """The schema.org types that an object names, without the vocabulary's address."""
    kind = item.get("@type")
    return [
        value.rsplit("/", 1)[-1] for value in (kind if isinstance(kind, list) else [kind]) if isinstance(value, str)
    ]
