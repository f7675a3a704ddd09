"""When a page was published, as ISO 8601, by what the page says: structured data, meta elements, `<time>`, addresses, words.

How a date is read is metadata_iso.py's part; here is where one is looked for, the surest place first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from webcards.fetch.metadata_iso import checked_date, iso_date
from webcards.fetch.metadata_jsonld import StructuredData

_NAMES = (
    "article:published_time",
    "article:published",
    "og:published_time",
    "og:article:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "published_time",
    "publish_date",
    "publish-date",
    "publishdate",
    "published",
    "pubdate",
    "publication_date",
    "dc:date:issued",
    "dc:date:created",
    "dcterms:issued",
    "dcterms:created",
    "dcterms:date",
    "dc:date",
    "dc:created",
    "citation_publication_date",
    "citation_date",
    "citation_online_date",
    "bt:pubdate",
    "displaydate",
    "rnews:datepublished",
    "article:created",
    "article_date_original",
    "originalpublicationdate",
    "cxenseparse:recs:publishtime",
    "shareaholic:article_published_time",
    "ptime",
    "date",
    "weibo:article:create_at",
)
_CHANGED_NAMES = ("article:modified_time", "og:updated_time", "datemodified")
_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:[/-]|$)|[/-]((?:19|20)\d{2})(\d{2})(\d{2})(?:[/._-]|$)"
)
_IN_SCRIPT = re.compile(
    r"[\"'](?:datePublished|date_published|publishedDate|publishDate|publish_date|published_at|publishedAt|content_publishDate)[\"']"
    r"\s*:\s*[\"']([^\"']{8,40})[\"']"
)
# One selection, since XPath compares each with each to join two; so it does to put texts in order, which are walked instead.
_TIMES = etree.XPath("//*[self::time or @itemprop or @pubdate or @class='published' or @class='date published']")
_UNSEEN_TAGS = {"script", "style", "noscript"}
_DATED_TAGS = ("span", "div", "p", "li", "small", "td", "h3", "h4", "h5", "h6", "em", "header")
_DATE_NAMES = re.compile(
    r"date|time|publish|posted|byline|meta|created|entry-?info|dateline|timestamp|updated", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_RIGHTS = re.compile(r"©|copyright|\(c\)", re.IGNORECASE)
_MAX_LOOKED_AT = 400
_MAX_ELEMENTS = 20_000
_MAX_SCRIPT_CHARS = 400_000
# A line of this length that has a date in it is a dateline; a longer one tells a story.
_DATELINE_CHARS = 70


def find_published(
    root: HtmlElement, metas: dict[str, str], data: StructuredData, url: str, lang: str | None
) -> str | None:
    """The date of publication (of the last change, if that is all there is), ISO 8601 as far as it is known, or None."""
    month_first = (lang or "").lower() in ("en", "en-us")
    for value in (data.text("datePublished", "dateCreated", "uploadDate"), *map(metas.get, _NAMES)):
        if value and (found := iso_date(value, month_first=month_first)):
            return found
    return next((found for found in _guesses(root, metas, data, url, month_first) if found), None)


def _guesses(
    root: HtmlElement, metas: dict[str, str], data: StructuredData, url: str, month_first: bool
) -> Iterator[str | None]:
    """What else tells a page's date, the surest first."""
    yield _in_time_elements(root, month_first)
    own = next((link.get("href") for link in root.iter("link") if (link.get("rel") or "").lower() == "canonical"), None)
    for address in (url, own, metas.get("og:url")):
        yield _in_address(address)
    for value in (data.text("dateModified"), *map(metas.get, _CHANGED_NAMES)):
        yield iso_date(value, month_first=month_first) if value else None
    yield _in_scripts(root)
    yield _in_marked_text(root, month_first)
    yield _in_short_lines(root, month_first)
    yield _in_address(metas.get("og:image"))


def _in_address(address: str | None) -> str | None:
    match = _IN_ADDRESS.search(address or "")
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups() if part is not None)
    return checked_date(year, month, day)


def _in_scripts(root: HtmlElement) -> str | None:
    """A date under a telling name in a script's data, as in structured data that is not well formed."""
    left = _MAX_SCRIPT_CHARS
    for script in root.iter("script"):
        text = script.text or ""
        left -= len(text)
        if left < 0:
            return None
        match = _IN_SCRIPT.search(text)
        if match and (found := iso_date(match[1])):
            return found
    return None


def _in_time_elements(root: HtmlElement, month_first: bool) -> str | None:
    """The first `<time>` that says it is the date of publication, else the first with a date at all."""
    first: str | None = None
    for element in _TIMES(root)[:_MAX_ELEMENTS]:
        role = (element.get("itemprop") or "").lower()
        published = (
            "datepublished" in role
            or element.get("pubdate") is not None
            or "published" in (element.get("class") or "").split()
        )
        if element.tag != "time" and not published:
            continue
        value = (
            element.get("datetime")
            or element.get("content")
            or element.get("title")
            or ("".join(element.itertext()) if published else "")
        )
        found = iso_date(value, month_first=month_first) if value else None
        if found and published:
            return found
        first = first or found
    return first


def _texts(root: HtmlElement) -> Iterator[str]:
    """The texts of the body in their order, but for those that are not shown."""
    body = root.find("body")
    if body is None:
        return
    walk = etree.iterwalk(body, events=("start", "end", "comment"))
    for event, element in walk:
        if event != "start":
            text = element.tail if element is not body else None
        elif element.tag in _UNSEEN_TAGS:
            walk.skip_subtree()
            continue
        else:
            text = element.text
        if text:
            yield text


def _in_marked_text(root: HtmlElement, month_first: bool) -> str | None:
    """A date in a short text whose box is called after dates."""
    looked = 0
    for element, _ in zip(root.iter(*_DATED_TAGS), range(_MAX_ELEMENTS), strict=False):
        classes, identity = element.get("class"), element.get("id")
        if not ((classes and _DATE_NAMES.search(classes[:300])) or (identity and _DATE_NAMES.search(identity[:300]))):
            continue
        looked += 1
        if looked > _MAX_LOOKED_AT:
            return None
        text = "".join(element.itertext())
        if len(text) < 200 and _DIGIT.search(text) and (found := iso_date(text, month_first=month_first)):
            return found
    return None


def _in_short_lines(root: HtmlElement, month_first: bool) -> str | None:
    """A date in a line that says little else; years in the small print of rights tell nothing."""
    for text in islice(_texts(root), _MAX_ELEMENTS):
        if not 8 <= len(text) <= 4 * _DATELINE_CHARS or not _DIGIT.search(text) or text.strip().isdigit():
            continue
        line = " ".join(text.split())
        if (
            len(line) <= _DATELINE_CHARS
            and not _RIGHTS.search(line)
            and (found := iso_date(line, month_first=month_first))
        ):
            return found
    return None
