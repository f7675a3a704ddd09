"""The tide at Kittiwick: a small harmonic model, so that every table of the demo web agrees with every other.

Two constituents (the moon's M2 and the sun's S2) make springs and neaps. Heights are metres above chart
datum, times UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from math import cos, tau
from typing import Literal, NamedTuple

MEAN_LEVEL = 4.2
MOON, SUN = 2.7, 1.0
"""Amplitudes of M2 and S2 in metres: springs range over 7.4 m, neaps over 3.4 m."""
_MOON_HOURS, _SUN_HOURS = 12.4206012, 12.0
_ALIGNED = datetime(2026, 11, 26, 6, 30, tzinfo=UTC)
"""A high water at which moon and sun pull together, a day and a half after a full moon."""
_MINUTE = timedelta(minutes=1)
_COARSE = 60


class Turn(NamedTuple):
    """A high or a low water."""

    at: datetime
    height: float
    kind: Literal["HW", "LW"]


def height(at: datetime) -> float:
    """The height of the tide at a moment, in metres."""
    hours = (at - _ALIGNED).total_seconds() / 3600
    return MEAN_LEVEL + MOON * cos(tau * hours / _MOON_HOURS) + SUN * cos(tau * hours / _SUN_HOURS)


def turns(day: date) -> list[Turn]:
    """The high and low waters of a day, to the minute, in order."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    found = []
    for number in range(0, 24 * 60, _COARSE):
        # The tide turns at the first minute after which it no longer goes the way it went.
        here = midnight + (number - 1) * _MINUTE
        rising = _rises(here)
        if _rises(here + _COARSE * _MINUTE) != rising:
            at = next(t for t in (here + step * _MINUTE for step in range(1, _COARSE + 1)) if _rises(t) != rising)
            found.append(Turn(at, height(at), "HW" if rising else "LW"))
    return found


def _rises(at: datetime) -> bool:
    return height(at + _MINUTE) > height(at)
