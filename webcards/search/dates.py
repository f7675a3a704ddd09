"""When a page was published, as ISO 8601, where an engine's words for it leave no doubt.

Never a guess: 03/04/2025 may be March or April, "2 weeks ago" may be any of several days, so neither is a date. A time
is never shifted to another zone, and no zone is added that was not given.
"""

import re
from datetime import date, datetime, timedelta
from unicodedata import normalize

from webcards.search.months import month_number, weekday_number

_LONGEST = 80
_EARLIEST_YEAR = 1450
"""Before printing nothing was published."""
_FILLERS = ("1970-01-01T00:00:00", "1970-01-01")
"""What software writes that has no date."""

_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?(?:\s?(?P<half>[apAP])\.?[mM]\.?)?"
_ZONE = r"(?P<zone>Z|UTC|GMT|UT|(?:UTC|GMT)?[+-]\d\d(?::?\d\d)?)(?: \([A-Z]{2,5}\))?"
_OTHER_ZONE = r"(?P<elsewhere>[A-Z]{2,5})"
_AFTER = rf"(?:,?(?:\s|\s?T|\sat\s|\s-\s|\s\|\s|\sum\s|\sà\s){_TIME}(?:\s?{_ZONE}|\s?{_OTHER_ZONE})?)?"
_WORD = r"[^\W\d_]+\.?"

_ISO = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?:[T ]{_TIME}(?:\s?{_ZONE})?)?", re.IGNORECASE)
_BASIC = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?:T(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)(?P<zone>Z)?)?"
)
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?:[/.-]|[年년]\s?|\.\s)(?P<month>\d{{1,2}})(?:[/.-]|[月월]\s?|\.\s)(?P<day>\d{{1,2}})[日일.]?{_AFTER}"
)
_NAMED = (
    re.compile(
        rf"(?:(?P<weekday>{_WORD}),?\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?[\s-](?:of\s|de\s)?(?P<name>{_WORD}),?"
        rf"[\s-](?:de\s)?(?P<year>\d{{4}}){_AFTER}"
    ),
    re.compile(
        rf"(?:(?P<weekday>{_WORD}),?\s)?(?P<name>{_WORD})\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}}){_AFTER}"
    ),
    re.compile(rf"(?P<year>\d{{4}})\.?[\s-](?P<name>{_WORD})[\s-](?P<day>\d{{1,2}})\.?{_AFTER}"),
    # asctime, as C writes it.
    re.compile(
        rf"(?P<weekday>{_WORD})\s(?P<name>{_WORD})\s(?P<day>\d{{1,2}})\s{_TIME}(?:\s{_ZONE})?\s(?P<year>\d{{4}})"
    ),
)
_NUMERIC = re.compile(rf"(?P<first>\d{{1,2}})(?P<mark>[/.-])(?P<second_>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){_AFTER}")


def parse_date(text: str, now: datetime) -> str | None:
    """The date in ISO 8601, or None where it is not certain. `now` (with its zone) is the time of the call.

    Days are as exact as they were said: "3 days ago" is a day, "10 hours ago" an hour in the zone of `now`; a date with
    the name of a zone whose distance from UTC is not certain ("ET") keeps its day and loses its time.
    """
    said = " ".join(normalize("NFKC", text[: 2 * _LONGEST]).split())
    if not said or len(said) > _LONGEST:
        return None
    for pattern in (_ISO, _BASIC, _YEAR_FIRST):
        if found := pattern.fullmatch(said):
            return _iso(found, int(found["month"]), now)
    for pattern in _NAMED:
        if (found := pattern.fullmatch(said)) and (month := month_number(found["name"])):
            return _iso(found, month, now) if _weekday_fits(found, month) else None
    if found := _NUMERIC.fullmatch(said):
        return _numeric(found, now)
    return _relative(said.casefold(), now)


def _iso(found: re.Match[str], month: int, now: datetime, day: int | None = None) -> str | None:
    part = found.groupdict()
    try:
        when = date(int(part["year"]), month, day or int(part["day"]))
        time = _time(part)
    except ValueError:
        return None
    said = when.isoformat() + time
    if said.removesuffix("Z").removesuffix("+00:00") in _FILLERS or not _EARLIEST_YEAR <= when.year <= now.year + 1:
        return None
    return said


def _time(part: dict[str, str | None]) -> str:
    """`T…` with the zone that was given, or "". Raises ValueError for a time that does not exist."""
    if part.get("hour") is None or part.get("elsewhere"):
        return ""
    hour = int(part["hour"] or 0)
    if half := part.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    second = part.get("second")
    clock = datetime(2000, 1, 1, hour, int(part["minute"] or 0), int(second or 0))  # noqa: DTZ001 - a clock face
    return f"T{clock:%H:%M:%S}{_zone(part.get('zone'))}" if second else f"T{clock:%H:%M}{_zone(part.get('zone'))}"


def _zone(zone: str | None) -> str:
    if not zone:
        return ""
    offset = zone.upper().removeprefix("UTC").removeprefix("GMT").replace(":", "")
    if offset in ("", "Z", "UT"):
        return "Z"
    if offset == "-0000":  # RFC 5322 section 3.3: the time is UTC, and nothing is said of where the sender was
        return "Z"
    hours, minutes = int(offset[1:3]), int(offset[3:5] or 0)
    if hours > 14 or minutes > 59:
        raise ValueError(zone)
    return f"{offset[0]}{hours:02d}:{minutes:02d}"


def _weekday_fits(found: re.Match[str], month: int) -> bool:
    """A weekday that the date does not have, or a word that is no weekday, leaves doubt."""
    name = found.groupdict().get("weekday")
    if not name:
        return True
    try:
        return date(int(found["year"]), month, int(found["day"])).weekday() == weekday_number(name)
    except ValueError:
        return False


def _numeric(found: re.Match[str], now: datetime) -> str | None:
    """Certain only if one of the numbers cannot be a month, or both are the same."""
    first, second = int(found["first"]), int(found["second_"])
    if first > 12 or first == second:
        return _iso(found, second, now, first)
    return _iso(found, first, now, second) if second > 12 else None


_UNIT_WORDS = {
    1: "second seconds sec secs s sekunde sekunden seconde secondes segundo segundos secondo secondi"
    " секунд секунду секунды 秒 秒钟 秒鐘 초",
    60: "minute minutes min mins m minuten minuto minutos minuti минут минуту минуты 分 分钟 分鐘 분",
    3_600: "hour hours hr hrs h stunde stunden heure heures hora horas ora ore час часа часов"
    " 小时 小時 个小时 個小時 時間 시간",
    86_400: "day days d tag tagen jour jours día días dia dias giorno giorni день дня дней 天 日 일",
}
_UNITS = {word: seconds for seconds, words in _UNIT_WORDS.items() for word in words.split()}
_ONES = "a an one ein eine einem einer un une una uno um uma"
_ONE = frozenset(_ONES.split())
_COUNT = rf"(?P<count>\d{{1,4}}|{_ONES.replace(' ', '|')})"
_AGO = (
    re.compile(rf"{_COUNT}\s?(?P<unit>[^\W\d_]+)\.?\s(?:ago|fa|atrás|назад)"),
    re.compile(rf"(?:vor|il y a|hace|há)\s{_COUNT}\s?(?P<unit>[^\W\d_]+)\.?"),
    re.compile(r"(?P<count>\d{1,4})\s?(?P<unit>[^\W\d_]+?)\s?[前전]"),
)
_DAYS_AGO = {
    **dict.fromkeys(("today", "heute", "aujourd'hui", "hoy", "oggi", "hoje", "сегодня", "今天", "今日", "오늘"), 0),
    **dict.fromkeys(("yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "вчера", "昨天", "昨日", "어제"), 1),
    **dict.fromkeys(("vorgestern", "avant-hier", "anteayer", "позавчера", "前天", "一昨日", "그저께"), 2),
}


def _relative(said: str, now: datetime) -> str | None:
    if said in _DAYS_AGO:
        return (now.date() - timedelta(days=_DAYS_AGO[said])).isoformat()
    for pattern in _AGO:
        found = pattern.fullmatch(said)
        unit = _UNITS.get(found["unit"]) if found else None
        if not found or unit is None:
            continue
        count = 1 if found["count"] in _ONE else int(found["count"])
        when = now - timedelta(seconds=count * unit)
        if unit == 86_400:
            return when.date().isoformat()
        exact = when.replace(second=0, microsecond=0) if unit <= 60 else when.replace(minute=0, second=0, microsecond=0)
        return exact.isoformat(timespec="minutes").replace("+00:00", "Z")
    return None
