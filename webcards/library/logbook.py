"""The harbour logbook of 2025: a page of more than 300 KB, written out from a small stock of sentences.

The same on every machine: the dealing draws on nothing but a seeded generator and the tide model.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from html import escape
from typing import Final

import msgspec

from webcards.library.catalogue import read_file
from webcards.library.tides import turns

_FILE: Final = "office.kittiwick.example/logbook.toml"
_SHELL: Final = "office.kittiwick.example/logbook.html"
_SLOT: Final = re.compile(r"\{(\w+)\}")
_MARK: Final = "<!-- entries -->"
_SEASONS: Final = (
    "winter",
    "winter",
    "spring",
    "spring",
    "spring",
    "summer",
    "summer",
    "summer",
    "autumn",
    "autumn",
    "autumn",
    "winter",
)
_YEAR: Final = 2025


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stock of sentences, by what they tell of; `fill` has the words for their slots, `days` the days of note."""

    winter: list[str]
    spring: list[str]
    summer: list[str]
    autumn: list[str]
    movements: list[str]
    works: list[str]
    people: list[str]
    creatures: list[str]
    night: list[str]
    fill: dict[str, list[str]]
    days: dict[str, str]


class _Dealer:
    """Deals from each list without repeating until it is used up."""

    def __init__(self, seed: str, fill: dict[str, list[str]]) -> None:
        self._random = random.Random(seed)  # noqa: S311  (the same book for everyone is the point)
        self._fill = fill
        self._hands: dict[str, list[str]] = {}

    def sentence(self, name: str, stock: list[str]) -> str:
        """The next sentence of a list, its slots filled."""
        return _SLOT.sub(lambda slot: self._draw(slot[1], self._fill[slot[1]]), self._draw(name, stock))

    def chance(self, of: float) -> bool:
        """True in a share `of` of the cases."""
        return self._random.random() < of

    def _draw(self, name: str, stock: list[str]) -> str:
        hand = self._hands.get(name)
        if not hand:
            hand = self._hands[name] = sorted(stock, key=lambda _: self._random.random())
        return hand.pop()


@cache
def logbook_html() -> str:
    """The whole page: the office's page shell with an entry for each day of the year."""
    words = msgspec.toml.decode(read_file(_FILE), type=Words)
    return read_file(_SHELL).decode().replace(_MARK, "\n".join(_months(words)))


def _months(words: Words) -> Iterator[str]:
    dealer = _Dealer(f"kittiwick {_YEAR}", words.fill)
    day = date(_YEAR, 1, 1)
    month = 0
    while day.year == _YEAR:
        if day.month != month:
            month = day.month
            yield f'<h2 id="month-{month}">{day:%B}</h2>'
        yield _entry(day, words, dealer)
        day += timedelta(days=1)


def _entry(day: date, words: Words, dealer: _Dealer) -> str:
    season = _SEASONS[day.month - 1]
    weather = {"winter": words.winter, "spring": words.spring, "summer": words.summer, "autumn": words.autumn}[season]
    deal = dealer.sentence
    lines = [deal(season, weather)]
    lines += (deal("movements", words.movements) for _ in range(3))
    lines += (deal("works", words.works) for _ in range(2))
    lines.append(deal("people", words.people))
    if dealer.chance(0.6):
        lines.append(deal("creatures", words.creatures))
    lines.append(deal("night", words.night))
    special = words.days.get(day.isoformat())
    if special:
        lines.insert(1, special)
    tides = ", ".join(f"{turn.kind} {turn.at:%H:%M} {turn.height:.1f} m" for turn in turns(day))
    return f"<h3>{day:%A}, {day.day} {day:%B}</h3>\n<p><b>{tides}.</b> {escape(' '.join(lines), quote=False)}</p>"
