"""Dates that are certain come out as ISO 8601, and every other text as no date at all."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.search.dates import parse_date

NOW = datetime(2026, 12, 1, 21, 20, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("2025-04-30", "2025-04-30"),
        ("2025-07-28T16:22:20+00:00", "2025-07-28T16:22:20+00:00"),
        ("2025-11-06T12:27:04.000Z", "2025-11-06T12:27:04Z"),
        ("2024-06-24T00:00:00.0000000", "2024-06-24T00:00:00"),
        ("2025-07-28 16:22", "2025-07-28T16:22"),
        ("2025-07-28T16:22:20-0700", "2025-07-28T16:22:20-07:00"),
        ("20250430", "2025-04-30"),
        ("20250430T120000Z", "2025-04-30T12:00:00Z"),
        ("2025/4/30", "2025-04-30"),
        ("2025.04.30", "2025-04-30"),
        ("Apr 30, 2025", "2025-04-30"),
        ("Sept. 5, 2025", "2025-09-05"),
        ("April 30 2025", "2025-04-30"),
        ("30 Apr 2025", "2025-04-30"),
        ("30-Apr-2025", "2025-04-30"),
        ("30th of April 2025", "2025-04-30"),
        ("Wed, Apr 30, 2025", "2025-04-30"),
        ("July 28th, 2025 at 4:22 PM", "2025-07-28T16:22"),
        ("Jul 28, 2025, 12:05 am", "2025-07-28T00:05"),
        ("Mon, 28 Jul 2025 16:22:20 +0900", "2025-07-28T16:22:20+09:00"),
        ("Mon, 28 Jul 2025 16:22:20 GMT", "2025-07-28T16:22:20Z"),
        ("Mon Jul 28 16:22:20 2025", "2025-07-28T16:22:20"),
        ("30/04/2025", "2025-04-30"),
        ("04/30/2025", "2025-04-30"),
        ("05/05/2025", "2025-05-05"),
        ("30.04.2025", "2025-04-30"),
    ],
)
def test_a_certain_date_is_iso(said: str, iso: str) -> None:
    assert parse_date(said, NOW) == iso


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("2024年5月1日", "2024-05-01"),
        ("２０２４年５月１日", "2024-05-01"),
        ("2024年5月1日 12:30", "2024-05-01T12:30"),
        ("2024년 5월 1일", "2024-05-01"),
        ("2024. 5. 1.", "2024-05-01"),
        ("30. April 2025", "2025-04-30"),
        ("mercredi 30 avril 2025", "2025-04-30"),
        ("1er mai 2025", "2025-05-01"),
        ("30 de abril de 2025", "2025-04-30"),
        ("30 апреля 2025", "2025-04-30"),
        ("12 Aralık 2025", "2025-12-12"),
        ("30 أبريل 2025", "2025-04-30"),
    ],
)
def test_dates_in_other_languages_are_read(said: str, iso: str) -> None:
    assert parse_date(said, NOW) == iso


@pytest.mark.parametrize(
    "said",
    [
        "03/04/2025",  # March or April
        "3.4.2025",
        "12/11/10",
        "May 2025",
        "2025",
        "2025-05",
        "2025-02-30",
        "2025-13-01",
        "Thu, Apr 30, 2025",  # it was a Wednesday
        "25:00 Apr 30, 2025",
        "Apr 30, 2025 25:00",
        "Apr 30, 2025 13:00 PM",
        "2025-07-28T16:22:20+25:00",
        "1970-01-01T00:00:00Z",  # no date, as software writes it
        "0001-01-01T00:00:00",
        "2099-12-31",
        "yesterday-ish",
        "recently",
        "2 weeks ago",
        "1 month ago",
        "over a year ago",
        "Updated Apr 30, 2025",
        "1714521600",
        "N/A",
        "",
        "   ",
        "x" * 10_000,
    ],
)
def test_what_leaves_a_doubt_is_no_date(said: str) -> None:
    assert parse_date(said, NOW) is None


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("3 days ago", "2026-11-28"),
        ("1 day ago", "2026-11-30"),
        ("a day ago", "2026-11-30"),
        ("yesterday", "2026-11-30"),
        ("Today", "2026-12-01"),
        ("10 hours ago", "2026-12-01T11:00Z"),
        ("22 hours ago", "2026-11-30T23:00Z"),
        ("an hour ago", "2026-12-01T20:00Z"),
        ("5 mins ago", "2026-12-01T21:15Z"),
        ("3天前", "2026-11-28"),
        ("2 小时前", "2026-12-01T19:00Z"),
        ("昨天", "2026-11-30"),
        ("3日前", "2026-11-28"),
        ("3일 전", "2026-11-28"),
        ("vor 3 Tagen", "2026-11-28"),
        ("il y a 3 jours", "2026-11-28"),
        ("hace 3 días", "2026-11-28"),
        ("3 дня назад", "2026-11-28"),
    ],
)
def test_a_relative_date_counts_from_the_call_as_exactly_as_it_was_said(said: str, iso: str) -> None:
    assert parse_date(said, NOW) == iso


def test_a_relative_date_is_in_the_zone_of_the_call() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=8)))
    assert parse_date("yesterday", there) == "2026-12-01"
    assert parse_date("2 hours ago", there) == "2026-12-02T03:00+08:00"


def test_a_zone_whose_distance_is_not_certain_costs_the_time_and_not_the_day() -> None:
    assert parse_date("Apr. 27, 2025 6:02 AM ET", NOW) == "2025-04-27"


@given(st.dates(date(1900, 1, 1), date(2026, 12, 31)))
def test_every_day_is_read_back_from_how_engines_write_it(day: date) -> None:
    for form in ("%Y-%m-%d", "%b %d, %Y", "%d %B %Y", "%a, %d %b %Y", "%Y年%m月%d日", "%Y/%m/%d"):
        said = day.strftime(form)
        assert parse_date(said, NOW) in (day.isoformat(), None)
        assert (parse_date(said, NOW) is None) == (day == date(1970, 1, 1))


@given(st.datetimes(datetime(1990, 1, 1), datetime(2026, 12, 31), timezones=st.timezones()))  # noqa: DTZ001 - bounds
def test_a_time_with_its_zone_is_the_same_moment_afterwards(when: datetime) -> None:
    said = when.replace(microsecond=0).isoformat()
    offset = when.utcoffset()
    if offset is None or offset.seconds % 60:
        return
    read = parse_date(said, NOW)
    assert read is not None
    assert datetime.fromisoformat(read) == datetime.fromisoformat(said)


@given(st.text(alphabet="0123456789-/.: TZ年月日AprMayJulago,days+"))
def test_any_text_gives_a_whole_date_or_none(text: str) -> None:
    read = parse_date(text, NOW)
    if read is not None:
        assert re.match(r"\d{4}-\d\d-\d\d", read)
        datetime.fromisoformat(read)
