"""How long an engine asks to wait: reading Retry-After, and the words for it."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST = 366 * 86_400


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds from `now`, from a Retry-After header (RFC 9110 section 10.2.3): a number of seconds, or a date."""
    text = (value or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds()
    return min(max(seconds, 0.0), _LONGEST) if math.isfinite(seconds) else None


def when_to_retry(seconds: float | None) -> str:
    """A sentence that says when to try again."""
    if seconds is None:
        return "It does not say when it will answer again; wait a few minutes, or choose another engine."
    if seconds < 1:
        return "Try again now."
    whole = math.ceil(seconds)
    for length, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if whole >= 2 * length:
            count = math.ceil(whole / length)
            return f"Try again in {count} {unit}s."
    return f"Try again in {whole} second{'s' if whole != 1 else ''}."
