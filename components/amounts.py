"""Numbers, dates, times and sizes as the reader's locale writes them. Not for a card's date, which stays as recorded."""

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from components.i18n import _, ngettext, reader_locale

if TYPE_CHECKING:
    from babel import Locale


@lru_cache(maxsize=64)
def _locale(name: str) -> "Locale":
    """The locale of a browser's tag; British English, as our texts are, for one that is unknown or says only "en"."""
    from babel import Locale, UnknownLocaleError

    if name == "en":
        return Locale("en", "GB")
    for wanted in (name, name.split("-")[0]):
        try:
            return Locale.parse(wanted, sep="-")
        except (ValueError, UnknownLocaleError):
            continue
    return Locale("en", "GB")


def number(value: float, digits: int = 0) -> str:
    """A number with its thousands grouped, and at most so many digits after the decimal sign."""
    from babel.numbers import format_decimal

    pattern = "#,##0." + "#" * digits if digits else "#,##0"
    return str(format_decimal(value, format=pattern, locale=_locale(reader_locale())))


def calls_in_words(count: int) -> str:
    """How many calls there are."""
    return ngettext("%(n)s call", "%(n)s calls", count) % {"n": number(count)}


def percent(share: float) -> str:
    """A share (0 to 1) in per cent, with one digit after the decimal sign below ten."""
    from babel.numbers import format_percent

    rounded = round(share, 3 if abs(share) < 0.0995 else 2)
    return str(format_percent(rounded, decimal_quantization=False, locale=_locale(reader_locale())))


def day(moment: datetime) -> str:
    """A day, its month as a word."""
    from babel.dates import format_date

    return str(format_date(moment, format="medium", locale=_locale(reader_locale())))


def day_and_time(ms: float, timezone: str | None = None) -> str:
    """An instant, in milliseconds since the epoch, by the clock of the reader's time zone; UTC if it is unknown."""
    from babel.dates import format_datetime

    moment = datetime.fromtimestamp(ms / 1000, _zone(timezone))
    return str(format_datetime(moment, format="medium", locale=_locale(reader_locale())))


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def duration(ms: float) -> str:
    """A time taken, given in milliseconds, in the unit that suits it."""
    if abs(ms) < 999.5:
        return _("%(n)s ms") % {"n": number(ms)}
    if abs(ms) < 60_000:
        return _("%(n)s s") % {"n": number(ms / 1_000, 1)}
    return _("%(n)s min") % {"n": number(ms / 60_000, 1)}


def size(octets: float) -> str:
    """A size, given in bytes, in the decimal unit that suits it."""
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if abs(octets) >= factor:
            return f"{number(octets / factor, 1)} {unit}"
    return ngettext("%(n)s byte", "%(n)s bytes", round(octets)) % {"n": number(octets)}
