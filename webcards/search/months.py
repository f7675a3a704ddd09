"""Names of months and weekdays in the languages that search engines date their results in (CLDR, through babel).

English is known without loading anything; a name that means two months in two languages means none.
"""

from functools import cache

_LANGUAGES = (
    "ar",
    "cs",
    "da",
    "de",
    "es",
    "fi",
    "fr",
    "hu",
    "id",
    "it",
    "nb",
    "nl",
    "pl",
    "pt",
    "ro",
    "ru",
    "sv",
    "tr",
    "uk",
)

_ENGLISH_MONTHS = "january february march april may june july august september october november december"
_ENGLISH_DAYS = "monday tuesday wednesday thursday friday saturday sunday"


def _english(names: str, first: int) -> dict[str, int]:
    """Each name and its first three letters."""
    numbered = list(enumerate(names.split(), first))
    return {name: number for number, name in numbered} | {name[:3]: number for number, name in numbered}


MONTHS = _english(_ENGLISH_MONTHS, 1) | {"sept": 9}
DAYS = _english(_ENGLISH_DAYS, 0) | {"tues": 1, "thur": 3, "thurs": 3}


def month_number(name: str) -> int | None:
    """1 to 12, or None for a word that is no month's name in any language known, or several months'."""
    word = _bare(name)
    return MONTHS.get(word) or _other_months().get(word)


def weekday_number(name: str) -> int | None:
    """0 (Monday) to 6, or None for a word that is no weekday's name, or several weekdays'."""
    word = _bare(name)
    return DAYS[word] if word in DAYS else _other_days().get(word)


@cache
def _other_months() -> dict[str, int]:
    from babel import Locale

    named: list[tuple[str, int]] = []
    for language in _LANGUAGES:
        months = Locale(language).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                named += [(name, number) for number, name in months[context][width].items()]
    return _certain(named)


@cache
def _other_days() -> dict[str, int]:
    from babel import Locale

    named: list[tuple[str, int]] = []
    for language in _LANGUAGES:
        days = Locale(language).days
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                named += [(name, number) for number, name in days[context][width].items()]
    return _certain(named)


def _certain(named: list[tuple[str, int]]) -> dict[str, int]:
    meanings: dict[str, set[int]] = {}
    for name, number in named:
        meanings.setdefault(_bare(name), set()).add(number)
    return {name: numbers.pop() for name, numbers in meanings.items() if len(numbers) == 1}


def _bare(name: str) -> str:
    return name.casefold().rstrip(".")
