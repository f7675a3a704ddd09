"""What else the store keeps: thresholds, marks, exports; and what it lets go."""

import csv
import io
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.store.events import DAY, HOUR, failed, fetch_call, fetched, found, record, search_call
from webcards.store import Filter, Store, figures
from webcards.store.alerts import delete_alert, list_alerts, raised, save_alert
from webcards.store.export import csv_parts, write_parquet
from webcards.store.marks import Mark, clear_mark, list_marks, set_mark
from webcards.store.store import now_ms

LATER = HOUR


def test_an_alert_is_raised_once_its_threshold_is_passed_and_leads_to_the_calls(store: Store) -> None:
    now = now_ms()
    with store.writing() as connection:
        save_alert(
            connection, name="fell back", measure="fell_back", above=0.01, wanted=Filter(span="1h"), at_least=5, now=now
        )
    for number in range(6):
        fallback = ("$", "missing") if number == 0 else None
        record(store, search_call("q"), found(), at=now - 1000, fallback=fallback)
        with store.reading() as connection:
            passed = raised(connection, now=now)
        assert bool(passed) == (number >= 4)
    assert passed[0].value == pytest.approx(1 / 6)
    with store.reading() as connection:
        assert figures.totals(connection, passed[0].behind, now=now).calls == 1


def test_an_alert_on_a_percentile_looks_at_the_time_that_calls_took(store: Store) -> None:
    now = now_ms()
    for ms in [10.0] * 9 + [5000.0] * 3:
        record(store, search_call("q"), found(), at=now - 10_000, ms=ms)
    with store.writing() as connection:
        for measure, above in (("p95", 4000), ("p50", 4000), ("calls", 11)):
            save_alert(
                connection, name="", measure=measure, above=above, wanted=Filter(span="1h"), at_least=1, now=now  # type: ignore[arg-type]
            )  # fmt: skip
    with store.reading() as connection:
        assert [found.alert.measure for found in raised(connection, now=now)] == ["p95", "calls"]


def test_an_alert_that_makes_no_sense_is_refused_and_one_can_be_forgotten(store: Store) -> None:
    wanted = Filter(tool="web_fetch", span="1h")
    with store.writing() as connection:
        with pytest.raises(ValueError, match="between 0 and 1"):
            save_alert(connection, name="", measure="errors", above=2, wanted=wanted, at_least=1, now=1)
        with pytest.raises(ValueError, match="cannot watch"):
            save_alert(connection, name="", measure="mood", above=1, wanted=wanted, at_least=1, now=1)  # type: ignore[arg-type]
        kept = save_alert(connection, name="e", measure="errors", above=0.5, wanted=wanted, at_least=1, now=1)
    with store.reading() as connection:
        assert [(alert.id, alert.filter) for alert in list_alerts(connection)] == [(kept, wanted)]
    with store.writing() as connection:
        assert delete_alert(connection, kept)
        assert not delete_alert(connection, kept)


def test_a_mark_replaces_the_one_before_it_and_belongs_to_a_version(store: Store) -> None:
    with store.writing() as connection:
        set_mark(connection, Mark("search-empty", "1.0", "pass", "", "ada", 1))
        set_mark(connection, Mark("search-empty", "1.0", "fail", "cut off at 390 px", "ada", 2))
        set_mark(connection, Mark("search-empty", "1.1", "skip", "", None, 3))
    with store.reading() as connection:
        assert list_marks(connection, "1.0") == {
            "search-empty": Mark("search-empty", "1.0", "fail", "cut off at 390 px", "ada", 2)
        }
    with store.writing() as connection:
        assert clear_mark(connection, "search-empty", "1.0")
    with store.reading() as connection:
        assert list_marks(connection, "1.0") == {}
        assert list_marks(connection, "1.1")["search-empty"].mark == "skip"


def test_the_csv_holds_each_call_and_no_formula(store: Store) -> None:
    now = now_ms()
    record(store, search_call('=HYPERLINK("https://a.example")'), found("https://a.example/"), at=now - 2000)
    record(store, search_call("tide, rope\nand 潮"), None, at=now - 1000)
    text = b"".join(csv_parts(store.engine, Filter(), now=now)).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["query"] for row in rows] == ["tide, rope\nand 潮", '\'=HYPERLINK("https://a.example")']
    assert [row["outcome"] for row in rows] == ["unfinished", "ok"]
    assert rows[0]["started_at"].endswith("+00:00")


def test_the_parquet_file_holds_what_the_filter_means_with_its_types(store: Store, tmp_path: Path) -> None:
    now = now_ms()
    record(
        store, fetch_call("https://a.example/"), fetched("https://a.example/", truncated=True), at=now - 2000, ms=12.5
    )
    record(store, search_call("q"), found("https://a.example/"), at=now - 1000)
    path = tmp_path / "calls.parquet"
    assert write_parquet(store.engine, Filter(tool="web_fetch"), path, now=now) == 1
    (row,) = parquet.read_table(path).to_pylist()
    assert (row["url"], row["status_code"], row["truncated"]) == ("https://a.example/", 200, True)
    assert row["elapsed_ms"] == 12.5
    assert row["started_at"].timestamp() * 1000 == now - 2000


def _numbers(store: Store) -> tuple[int, int, int]:
    from sqlalchemy import func, select

    from webcards.store.schema import calls, payloads, sources

    with store.reading() as connection:
        tables = (calls, payloads, sources)
        counted = [connection.execute(select(func.count()).select_from(table)).scalar() for table in tables]
    return int(counted[0] or 0), int(counted[1] or 0), int(counted[2] or 0)


def test_one_call_or_all_can_be_deleted_with_all_that_belongs_to_them(store: Store) -> None:
    now = now_ms()
    made = [record(store, search_call("q"), found("https://a.example/"), at=now - 9 * DAY) for _ in range(3)]
    store.refresh()
    assert store.delete(made[0])
    assert not store.delete(made[0])
    assert store.get(made[0]) is None
    assert _numbers(store) == (2, 2, 2)
    assert store.delete_all() == 2
    assert _numbers(store) == (0, 0, 0)
    store.refresh()
    with store.reading() as connection:
        assert figures.totals(connection, Filter(span="all"), now=now) == figures.Totals()


def test_calls_past_their_age_go_and_the_figures_go_with_them(store: Store) -> None:
    now = now_ms()
    for days in (1, 5, 40, 41, 90):
        record(store, search_call("q"), found("https://a.example/"), at=now - days * DAY)
    store.refresh()
    assert store.retain(max_days=30) == 3
    store.refresh()
    assert _numbers(store) == (2, 2, 2)
    with store.reading() as connection:
        assert figures.totals(connection, Filter(span="365d"), now=now).calls == 2


def test_beyond_a_size_the_oldest_calls_go_first(store: Store) -> None:
    now = now_ms()
    made = [
        record(store, fetch_call(f"https://a.example/{n}"), failed("WEB_ABORTED"), at=now - (10 - n) * DAY)
        for n in range(8)
    ]
    from sqlalchemy import func, select

    from webcards.store.schema import calls

    with store.reading() as connection:
        size = int(connection.execute(select(func.sum(calls.c.stored))).scalar() or 0)
    assert store.retain(max_bytes=size) == 0
    assert store.retain(max_bytes=int(size * 0.6)) == 4
    assert [store.get(identity) is None for identity in made] == [True] * 4 + [False] * 4
