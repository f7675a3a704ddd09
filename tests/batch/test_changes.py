"""Two runs compared, and runs that come each night."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.batch.stand_in import StandIn, error, page
from webcards.batch import batches
from webcards.batch.changes import compare, counts, run_before
from webcards.batch.items import read_items
from webcards.batch.lane import run_here
from webcards.batch.options import Options
from webcards.batch.schedule import ScheduleError, next_time, set_schedule, start_due
from webcards.store import Store

DAY = 86_400_000


async def test_a_later_run_shows_what_is_new_gone_and_different(store: Store) -> None:
    def before(call: Any, url: str, _: int) -> Any:
        return page(call, url, title="Old" if url.endswith("title") else "Same", text="as it was")

    def after(call: Any, url: str, _: int) -> Any:
        match url.rpartition("/")[2]:
            case "status":
                return page(call, url, status=404, title="Same", text="as it was")
            case "error":
                return error(call, "WEB_BLOCKED_URL")
            case "text":
                return page(call, url, title="Same", text="as it is")
            case "title":
                return page(call, url, title="New", text="and other words")
            case _:
                return page(call, url, title="Same", text="as it was")

    runs = []
    for names, answer in (("status error text title same gone", before), ("same new status error text title", after)):
        lines = "\n".join(f"https://a.example/{name}" for name in names.split())
        batch = batches.create(store, "pages", read_items(lines.encode()).items, Options())
        runs.append(batches.start_run(store, batch))
        await run_here(store, StandIn(answer), runs[-1])
    changes = compare(store, *runs)
    assert {change.args.rpartition("/")[2].rstrip('"}'): change.kinds for change in changes} == {
        "same": ("same",),
        "new": ("new",),
        "status": ("status",),
        "error": ("status",),
        "text": ("text",),
        "title": ("title", "text"),
        "gone": ("gone",),
    }
    assert counts(changes) == {"new": 1, "gone": 1, "status": 2, "title": 1, "text": 2, "same": 1, "not settled": 0}
    changed = next(change for change in changes if change.kinds == ("title", "text"))
    assert changed.before is not None
    assert changed.after is not None
    assert (changed.before.title, changed.after.title) == ("Old", "New")
    assert store.get(changed.after.record or 0) is not None


async def test_the_run_before_is_the_latest_of_the_same_batch_that_is_done(store: Store) -> None:
    batch = batches.create(store, "b", read_items(b"https://a.example/").items, Options())
    runs = [batches.start_run(store, batch) for _ in range(4)]
    await run_here(store, StandIn(), runs[1])
    batches.stop(store, runs[2])
    assert run_before(store, runs[3]) == runs[1]
    assert run_before(store, runs[1]) is None


@given(
    st.integers(1_600_000_000_000, 2_200_000_000_000),
    st.times(),
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York"]),
)
def test_the_next_time_is_within_a_day_and_shows_the_wanted_hour(after: int, at: Any, zone: str) -> None:
    moment = next_time(f"{at:%H:%M}", zone, after)
    assert after < moment <= after + DAY + 2 * 3_600_000
    shown = datetime.fromtimestamp(moment / 1000, ZoneInfo(zone))
    assert (shown.hour, shown.minute) == (at.hour, at.minute) or shown.dst() is not None


def test_at_night_the_clock_of_the_zone_counts_in_summer_and_winter() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for month in (1, 7):
        noon = int(datetime(2026, month, 10, 12, tzinfo=berlin).timestamp() * 1000)
        assert next_time("02:30", "Europe/Berlin", noon) == int(
            datetime(2026, month, 11, 2, 30, tzinfo=berlin).timestamp() * 1000
        )


@pytest.mark.parametrize(
    ("at", "zone"), [("25:00", "UTC"), ("2", "UTC"), ("", "UTC"), ("02:30", "Mars/Olympus"), ("02:30", "../etc")]
)
def test_a_time_or_zone_that_there_is_not_is_refused_in_words(at: str, zone: str) -> None:
    with pytest.raises(ScheduleError, match="write it as"):
        next_time(at, zone, 0)


def test_a_due_batch_is_started_once_whoever_looks_and_once_for_many_missed_nights(store: Store, url: str) -> None:
    now = 1_790_000_000_000
    batch = batches.create(store, "b", read_items(b"rope").items, Options())
    next_at = set_schedule(store, batch, "03:00", now=now)
    assert next_at is not None
    assert start_due(store, now=next_at - 1) == []
    late = next_at + 5 * DAY + 1
    with Store.open(url) as other:
        started = start_due(store, now=late) + start_due(other, now=late)
    assert len(started) == 1
    kept = batches.get_batch(store, batch)
    assert kept is not None
    assert kept.next_at is not None
    assert late < kept.next_at <= late + DAY
    assert set_schedule(store, batch, None, now=late) is None
    assert start_due(store, now=late + 9 * DAY) == []


def test_a_batch_whose_last_run_still_runs_waits_for_its_next_night(store: Store) -> None:
    now = 1_790_000_000_000
    batch = batches.create(store, "b", read_items(b"rope").items, Options())
    set_schedule(store, batch, "03:00", now=now)
    batches.start_run(store, batch)
    assert start_due(store, now=now + DAY) == []
    assert start_due(store, now=now + DAY) == []
