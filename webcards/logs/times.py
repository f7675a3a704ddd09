"""Reads the many ways in which logs and search services write a moment. What is not understood has no moment."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_FRACTION = re.compile(r"(\.\d{6})\d+")
_GLUED = re.compile(r"\s*[-–—|]\s*$")
_WORDED = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d")
# Numbers below this are seconds since 1970, above it milliseconds: the border is the year 5138, or March 1973.
_MILLISECONDS = 100_000_000_000


def moment(value: object) -> datetime | None:
    """The moment that a recorded value names, in UTC: ISO 8601, RFC 2822, "May 23, 2024", seconds or milliseconds.

    A time without a zone is taken as UTC. Relative times ("2 days ago") name no moment. Never raises.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS else value, UTC)
        return _written(value.strip()) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError, TypeError, IndexError):
        return None


def milliseconds(value: object) -> int | None:
    """The same moment in milliseconds since the epoch."""
    found = moment(value)
    return None if found is None else int(found.timestamp() * 1000)


def _written(text: str) -> datetime | None:
    if not text or len(text) > 64:
        return None
    text = _GLUED.sub("", text)
    if re.fullmatch(r"\d{9,13}", text):
        return moment(int(text))
    try:
        return _in_utc(datetime.fromisoformat(_FRACTION.sub(r"\1", text).replace("Sept ", "Sep ")))
    except ValueError:
        pass
    for worded in _WORDED:
        try:
            return datetime.strptime(text.replace(".", "", 1) if "." in text[:5] else text, worded).replace(tzinfo=UTC)
        except ValueError:
            continue
    return _in_utc(parsedate_to_datetime(text))


def _in_utc(found: datetime) -> datetime:
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
