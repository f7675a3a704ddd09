"""Dates as people and programs write them, as ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

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
# With a stroke the day or the month comes first, by country; with a dot the day does.
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)")


def iso_date(text: str, *, month_first: bool = False) -> str | None:
    """A date (and time, if given) written in one of the usual ways, as ISO 8601; None for anything else.

    `month_first`: whether 5/10/2026 is a day in May, as in the United States.
    """
    value = " ".join(text[:200].split())
    if match := _ISO.search(value):
        return _with_time(match)
    if _MAIL_DATE.match(value):
        return _mail_date(value)
    if match := _COMPACT.match(value):
        return checked_date(int(match[1]), int(match[2]), int(match[3]))
    if value.isascii() and value.isdigit() and value[0] == "1" and len(value) in (10, 13):
        seconds = int(value) / (1000 if len(value) == 13 else 1)
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    for pattern in (_SLASHED, _EAST_ASIAN):
        if match := pattern.search(value):
            return checked_date(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.search(value):
        day, month = int(match[1]), int(match[3])
        if month > 12 or (month_first and match[2] == "/" and day <= 12):
            day, month = month, day
        return checked_date(int(match[4]), month, day)
    if (match := _DAY_MONTH.search(value)) and (named := _MONTHS.get(match[2].lower())):
        return checked_date(int(match[3]), named, int(match[1]))
    if (match := _MONTH_DAY.search(value)) and (named := _MONTHS.get(match[1].lower())):
        return checked_date(int(match[3]), named, int(match[2]))
    return None


def _mail_date(value: str) -> str | None:
    """A date as mail headers and RSS write it (RFC 5322 §3.3)."""
    try:
        return parsedate_to_datetime(value).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _with_time(match: re.Match[str]) -> str | None:
    day = checked_date(int(match[1]), int(match[2]), int(match[3]))
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


def checked_date(year: int, month: int, day: int) -> str | None:
    """The date, if there is such a day and a page could have been published on it."""
    try:
        return date(year, month, day).isoformat() if 1990 <= year <= 2100 else None
    except ValueError:
        return None
