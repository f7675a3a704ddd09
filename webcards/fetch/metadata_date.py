"""When a page was published, as ISO 8601, by what the page says: structured data, meta elements, `<time>`, its address."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from lxml import etree
from lxml.html import HtmlElement

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
    "article:modified_time",
    "og:updated_time",
    "datemodified",
)
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
_MAIL_DATE = re.compile(r"(?:[A-Za-z]{3,9},\s*)?\d{1,2}\s[A-Za-z]{3}\s\d{4}\s\d{1,2}:\d\d")
_COMPACT = re.compile(r"^(20\d{2}|19\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?(?:Z)?$")
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier januar enero janeiro gennaio januari",
            "february feb février fevrier februar febrero fevereiro febbraio februari",
            "march mar mars märz maerz marzo março marco maart",
            "april apr avril abril aprile",
            "may mai mayo maio maggio mei",
            "june jun juin juni junio junho giugno",
            "july jul juillet juli julio julho luglio",
            "august aug août aout agosto augustus",
            "september sep sept septembre septiembre setembro settembre",
            "october oct okt octobre oktober octubre outubro ottobre",
            "november nov novembre noviembre novembro",
            "december dec dez déc décembre decembre dezember diciembre dezembro dicembre desember",
        ),
        1,
    )
    for name in names.split()
}
_DAY_MONTH = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?(\d{4})", re.IGNORECASE
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)
_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:[/-]|$)|[/-]((?:19|20)\d{2})(\d{2})(\d{2})(?:[/._-]|$)"
)
_TIMES = etree.XPath("//time | //*[@itemprop or @pubdate] | //*[@class='published' or @class='date published']")
_DATED_TAGS = ("span", "div", "p", "li", "small", "td", "h3", "h4", "h5", "h6", "em", "header")
_DATE_NAMES = re.compile(
    r"date|time|publish|posted|byline|meta|created|entry-?info|dateline|timestamp|updated", re.IGNORECASE
)
_MAX_LOOKED_AT = 400
_MAX_ELEMENTS = 20_000


def find_published(root: HtmlElement, metas: dict[str, str], data: StructuredData, url: str) -> str | None:
    """The date of publication (of the last change, if that is all there is), ISO 8601 as far as it is known, or None."""
    declared = [data.text("datePublished", "dateCreated", "uploadDate")]
    declared += [metas.get(name) for name in _NAMES[:-3]]
    for value in declared:
        if value and (found := iso_date(value)):
            return found
    if found := _in_time_elements(root):
        return found
    if match := _IN_ADDRESS.search(url):
        year, month, day = (int(part) for part in match.groups() if part is not None)
        if found := _checked(year, month, day):
            return found
    for value in (data.text("dateModified"), *(metas.get(name) for name in _NAMES[-3:])):
        if value and (found := iso_date(value)):
            return found
    return _in_marked_text(root)


def iso_date(text: str) -> str | None:
    """A date (and time, if given) written in one of the usual ways, as ISO 8601; None for anything else."""
    value = " ".join(text[:200].split())
    if match := _ISO.search(value):
        return _with_time(match)
    if _MAIL_DATE.match(value):
        return _mail_date(value)
    if match := _COMPACT.match(value):
        return _checked(int(match[1]), int(match[2]), int(match[3]))
    if value.isdigit() and len(value) in (10, 13):
        seconds = int(value) / (1000 if len(value) == 13 else 1)
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    for pattern in (_SLASHED, _EAST_ASIAN):
        if match := pattern.search(value):
            return _checked(int(match[1]), int(match[2]), int(match[3]))
    if (match := _DAY_MONTH.search(value)) and (month := _MONTHS.get(match[2].lower())):
        return _checked(int(match[3]), month, int(match[1]))
    if (match := _MONTH_DAY.search(value)) and (month := _MONTHS.get(match[1].lower())):
        return _checked(int(match[3]), month, int(match[2]))
    return None


def _mail_date(value: str) -> str | None:
    """A date as mail headers and RSS write it (RFC 5322 §3.3)."""
    try:
        return parsedate_to_datetime(value).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _with_time(match: re.Match[str]) -> str | None:
    day = _checked(int(match[1]), int(match[2]), int(match[3]))
    if day is None or match[4] is None:
        return day
    hour, minute, second = int(match[4]), int(match[5]), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return day
    zone = (match[8] or "").upper()
    if zone in ("Z", "UTC", "GMT"):
        zone = "Z"
    elif zone and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    return f"{day}T{hour:02}:{minute:02}:{second:02}{zone}"


def _checked(year: int, month: int, day: int) -> str | None:
    """The date, if there is such a day and a page could have been published on it."""
    try:
        return date(year, month, day).isoformat() if 1990 <= year <= 2100 else None
    except ValueError:
        return None


def _in_time_elements(root: HtmlElement) -> str | None:
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
        found = iso_date(value) if value else None
        if found and published:
            return found
        first = first or found
    return first


def _in_marked_text(root: HtmlElement) -> str | None:
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
        if len(text) < 200 and any(character.isdigit() for character in text) and (found := iso_date(text)):
            return found
    return None
