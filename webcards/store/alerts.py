"""Alerts: thresholds that somebody saved, and which of them are passed now ("fell back > 1 % in the last
hour").
"""

import json
from typing import Literal, get_args

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select

from webcards.store import figures
from webcards.store.filters import Filter
from webcards.store.schema import alerts

Measure = Literal["errors", "fell_back", "truncated", "unfinished", "p50", "p95", "p99", "calls"]
SHARES = frozenset({"errors", "fell_back", "truncated", "unfinished"})
MEASURES: tuple[Measure, ...] = get_args(Measure)


class Alert(Struct, frozen=True):
    """`above` is a share (0 to 1), milliseconds, or a number of calls, as the measure has it.

    `at_least` is how many calls there must be before a share or a percentile says anything.
    """

    id: int
    name: str
    measure: Measure
    above: float
    filter: Filter
    at_least: int


class Raised(Struct, frozen=True):
    """An alert that is passed: the value that passed it, of how many calls, and the filter that lists
    those.
    """

    alert: Alert
    value: float
    calls: int
    behind: Filter


def save_alert(
    connection: Connection, *, name: str, measure: Measure, above: float, wanted: Filter, at_least: int, now: int
) -> int:
    """Saves a threshold; gives its id. Raises ValueError, in words for people, if it makes no sense."""
    if measure not in MEASURES:
        msg = f"an alert cannot watch {measure!r}; it can watch {', '.join(MEASURES)}"
        raise ValueError(msg)
    if not 0 <= above < float("inf") or (measure in SHARES and above > 1):
        msg = "the threshold of a share is between 0 and 1, of anything else 0 or more"
        raise ValueError(msg)
    row = {
        "name": name.strip() or measure,
        "measure": measure,
        "above": above,
        "filter": json.dumps(wanted.to_params()),
        "at_least": max(at_least, 1),
        "created_at": now,
    }
    identity = connection.execute(insert(alerts), row).inserted_primary_key
    assert identity is not None
    return int(identity[0])


def delete_alert(connection: Connection, alert: int) -> bool:
    """Forgets a threshold. False if there is none of that id."""
    return bool(connection.execute(delete(alerts).where(alerts.c.id == alert)).rowcount)


def list_alerts(connection: Connection) -> list[Alert]:
    """All saved thresholds, oldest first."""
    rows = connection.execute(select(alerts).order_by(alerts.c.id))
    return [
        Alert(row.id, row.name, row.measure, row.above, Filter.from_params(json.loads(row.filter)), row.at_least)
        for row in rows
    ]


def raised(connection: Connection, *, now: int) -> list[Raised]:
    """The thresholds that are passed now."""
    return [found for alert in list_alerts(connection) if (found := _raised(connection, alert, now))]


def _raised(connection: Connection, alert: Alert, now: int) -> Raised | None:
    sums = figures.totals(connection, alert.filter, now=now)
    behind = alert.filter
    match alert.measure:
        case "calls":
            value, number = float(sums.calls), sums.calls
        case "p50" | "p95" | "p99":
            times = figures.latency(connection, alert.filter, now=now)
            value, number = getattr(times, alert.measure) or 0.0, times.calls
            behind = behind.narrow(slower=alert.above)
        case "unfinished":
            value, number = sums.unfinished / max(sums.calls, 1), sums.calls
            behind = behind.narrow(outcome="unfinished")
        case "errors":
            value, number = sums.share(sums.errors) or 0.0, sums.settled
            behind = behind.narrow(outcome="error")
        case "fell_back":
            value, number = sums.share(sums.fell_back) or 0.0, sums.settled
            behind = behind.narrow(fell_back=True)
        case "truncated":
            value, number = sums.share(sums.truncated) or 0.0, sums.settled
            behind = behind.narrow(truncated=True)
    if number < alert.at_least or value <= alert.above:
        return None
    return Raised(alert, value, number, behind)
