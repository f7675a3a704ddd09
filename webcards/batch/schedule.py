"""Runs at a time of day: which batches are due, and that each is started once, whoever looks.

A night that the machine slept through is made up for once, not once a night.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select, update

from webcards.batch import batches
from webcards.batch.schema import batches as table
from webcards.batch.schema import runs
from webcards.store import Store


class ScheduleError(ValueError):
    """A time of day or a zone that there is not; the message says what would be right."""


def next_time(daily_at: str, zone: str, after_ms: int) -> int:
    """When the clock of the zone next shows `daily_at` ("02:30"), in milliseconds since the epoch.

    A time that the clock skips that night (summer time begins) is the moment after the gap; one that it
    shows twice is
    the first. Raises ScheduleError.
    """
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", daily_at.strip())
    if not found:
        msg = f"{daily_at!r} is no time of day; write it as 02:30"
        raise ScheduleError(msg)
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        msg = f"there is no time zone {zone!r}; write it as Europe/Berlin or UTC"
        raise ScheduleError(msg) from None
    today = datetime.fromtimestamp(after_ms / 1000, place).date()
    for day in range(3):
        date = today + timedelta(days=day)
        local = datetime(date.year, date.month, date.day, int(found[1]), int(found[2]), tzinfo=place)
        moment = int(local.astimezone(UTC).timestamp() * 1000)
        if moment > after_ms:
            return moment
    raise AssertionError


def set_schedule(store: Store, batch: int, daily_at: str | None, *, zone: str = "UTC", now: int) -> int | None:
    """Lets a batch run each day at a time, or no more (None); gives when next. Raises ScheduleError."""
    next_at = None if daily_at is None else next_time(daily_at, zone, now)
    values = {"daily_at": daily_at, "zone": zone if daily_at else None, "next_at": next_at}
    with store.writing() as connection:
        connection.execute(update(table).where(table.c.id == batch).values(values))
    return next_at


def start_due(store: Store, *, now: int, on_workers: bool = False) -> list[int]:
    """Starts a run of each batch that is due; gives the runs. Of many processes that look at once, one
    starts it.

    A batch whose last run still runs is left for its next time.
    """
    with store.reading() as connection:
        due = connection.execute(
            select(table.c.id, table.c.daily_at, table.c.zone, table.c.next_at, table.c.person).where(
                table.c.next_at <= now
            )
        ).all()
    started = []
    for row in due:
        following = next_time(row.daily_at, row.zone, now)
        with store.writing() as connection:
            mine = connection.execute(
                update(table).where(table.c.id == row.id, table.c.next_at == row.next_at).values(next_at=following)
            ).rowcount
            busy = connection.execute(
                select(runs.c.id).where(runs.c.batch == row.id, runs.c.state == "running").limit(1)
            ).first()
        if mine and not busy:
            started.append(batches.start_run(store, row.id, on_workers=on_workers, person=row.person))
    return started
