"""The dashboard's figures, checked against counting by hand, with and without sums of past hours."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, urlencode
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.events import DAY, HOUR, failed, fetch_call, fetched, found, record, search_call
from webcards.store import Filter, Store, figures, links, rollup
from webcards.store.calls import list_calls
from webcards.store.filters import SPANS
from webcards.store.latency import GROWTH, bounds, bucket, pack, percentile, summarise, unpack
from webcards.store.store import now_ms

NOW = 1_790_000_000_000 // HOUR * HOUR + 17 * 60_000


def _populate(store: Store, seed: int, calls: int = 160) -> list[dict[str, Any]]:
    """Records calls of all sorts over the last four days; gives what was recorded."""
    pick = random.Random(seed)
    made = []
    for number in range(calls):
        at = NOW - pick.randrange(4 * DAY)
        ms = pick.choice([0.4, 3, 12, 80, 950, 12_000])
        outcome = pick.choice(["ok", "ok", "ok", "error", "unfinished", "fell back"])
        if pick.random() < 0.5:
            host = pick.choice(["a.example", "b.example", "c.example"])
            url, status = f"https://{host}/{number % 7}", pick.choice([200, 200, 404, 503])
            call, result = fetch_call(url), fetched(url, status=status, truncated=pick.random() < 0.3)
        else:
            cited = [f"https://{pick.choice('abcd')}.example/{n}" for n in range(pick.randrange(5))]
            call, result = search_call("tide"), found(*cited, provider=pick.choice(["library", "duckduckgo"]))
        if outcome == "error":
            result = failed(pick.choice(["WEB_FETCH_TIMEOUT", "WEB_RATE_LIMITED"]))
        fallback = ("$.sources[1].url", "missing") if outcome == "fell back" else None
        made.append(record(store, call, None if outcome == "unfinished" else result, at=at, ms=ms, fallback=fallback))
    recorded = []
    for identity in made:
        kept = store.get(identity)
        assert kept is not None
        cited = (kept.result_event or {}).get("data", {}).get("meta", {}).get("sources", [])
        recorded.append({"call": kept.call, "cited": [url["url"] for url in cited]})
    return recorded


FILTERS = [
    Filter(span="all"),
    Filter(span="7d"),
    Filter(span="24h"),
    Filter(since=NOW - 3 * DAY - 1234, until=NOW - DAY + 777),
    Filter(span="7d", tool="web_fetch"),
    Filter(span="7d", provider="library", outcome="ok"),
    Filter(span="7d", outcome="error"),
    Filter(span="7d", outcome="unfinished"),
    Filter(span="7d", error_code="WEB_RATE_LIMITED"),
    Filter(span="7d", fell_back=True),
    Filter(span="7d", truncated=False),
    Filter(span="7d", status_class=4),
    Filter(span="7d", status_class=2),
    Filter(span="7d", host="b.example"),
    Filter(span="7d", words="B.EXAMPLE/3"),
    Filter(span="7d", slower=50, faster=1000),
    Filter(span="7d", cited="d.example"),
]


def _means(wanted: Filter, item: dict[str, Any]) -> bool:
    call = item["call"]
    since, until = wanted.window(NOW)
    expected = {
        "tool": call.tool, "provider": call.provider, "outcome": call.outcome, "error_code": call.error_code,
        "fell_back": call.fell_back, "truncated": call.truncated, "host": call.host,
        "status_class": call.status_code // 100 if call.status_code else None,
    }  # fmt: skip
    return (
        since <= call.started_at < until
        and all(getattr(wanted, name) in (None, value) for name, value in expected.items())
        and (wanted.words is None or wanted.words.lower() in (call.url or "") + (call.query or ""))
        and (wanted.slower is None or (call.elapsed_ms or -1) >= wanted.slower)
        and (wanted.faster is None or (call.elapsed_ms is not None and call.elapsed_ms < wanted.faster))
        and (wanted.cited is None or any(wanted.cited in url for url in item["cited"]))
    )


def _check(store: Store, recorded: list[dict[str, Any]]) -> None:
    with store.reading() as connection:
        for wanted in FILTERS:
            meant = [item["call"] for item in recorded if _means(wanted, item)]
            sums = figures.totals(connection, wanted, now=NOW)
            outcomes = Counter(call.outcome for call in meant)
            assert sums.calls == len(meant), wanted
            assert (sums.ok, sums.errors, sums.unfinished) == (
                outcomes["ok"],
                outcomes["error"],
                outcomes["unfinished"],
            ), wanted
            assert sums.fell_back == sum(call.fell_back for call in meant)
            assert sums.truncated == sum(bool(call.truncated) for call in meant)
            assert sums.bytes == sum(call.bytes or 0 for call in meant)
            assert sums.elapsed_ms == pytest.approx(sum(call.elapsed_ms or 0 for call in meant))
            assert sums.sources == sum(call.sources or 0 for call in meant)
            for dimension in ("tool", "provider", "error_code", "host", "fallback", "truncated"):
                slices = figures.by(connection, dimension, wanted, now=NOW)
                values = Counter(
                    f"{call.fallback_path}: {call.fallback_reason}".replace("[1]", "[]") if call.fell_back else None
                    for call in meant
                ) if dimension == "fallback" else Counter(getattr(call, dimension) for call in meant)  # fmt: skip
                assert {part.value: part.totals.calls for part in slices} == dict(values), (wanted, dimension)
            series = figures.over_time(connection, wanted, now=NOW)
            assert sum(step.totals.calls for step in series.steps) == len(meant), wanted
            assert figures.latency(connection, wanted, now=NOW).calls == sum(
                call.elapsed_ms is not None for call in meant
            )
            page = list_calls(connection, wanted, now=NOW, limit=500)
            assert {call.id for call in page.calls} == {call.id for call in meant}, wanted
            hosts = {host.host: host for host in figures.top_hosts(connection, wanted, now=NOW)}
            cited = Counter(url.split("/")[2] for item in recorded if _means(wanted, item) for url in item["cited"])
            assert {name: host.cited for name, host in hosts.items() if host.cited} == dict(cited), wanted
            fetches = Counter(call.host for call in meant if call.host)
            assert {name: host.fetched for name, host in hosts.items() if host.fetched} == dict(fetches), wanted


def test_every_figure_agrees_with_counting_by_hand_before_and_after_hours_are_summed(store: Store) -> None:
    recorded = _populate(store, seed=7)
    _check(store, recorded)
    rollup.refresh(store.engine, NOW)
    with store.reading() as connection:
        assert rollup.sealed_until(connection)[0] == NOW // HOUR
    _check(store, recorded)


def test_what_is_written_to_an_hour_already_summed_is_in_the_figures_again(store: Store) -> None:
    recorded = _populate(store, seed=3, calls=60)
    rollup.refresh(store.engine, NOW)
    recorded += _populate(store, seed=4, calls=40)
    for item in recorded[:10]:
        assert store.delete(item["call"].id)
    late = next(item["call"] for item in recorded[10:] if item["call"].outcome == "unfinished")
    store.settle(late.id, failed("WEB_ABORTED"), elapsed_ms=5)
    left = recorded[10:]
    for item in left:
        kept = store.get(item["call"].id)
        assert kept is not None
        item["call"] = kept.call
    rollup.refresh(store.engine, NOW)
    _check(store, left)


def test_a_host_first_seen_today_stands_beside_those_of_days_already_summed(store: Store) -> None:
    for days in (3, 2):
        record(store, search_call("q"), found("https://old.example/", "https://old.example/2"), at=NOW - days * DAY)
    rollup.refresh(store.engine, NOW)
    record(store, search_call("q"), found("https://new.example/"), at=NOW - 1000)
    record(store, fetch_call("https://old.example/"), fetched("https://old.example/", status=404), at=NOW - 1000)
    with store.reading() as connection:
        hosts = figures.top_hosts(connection, Filter(span="7d"), now=NOW)
    assert [(host.host, host.cited, host.fetched, host.failed) for host in hosts] == [
        ("old.example", 4, 1, 1),
        ("new.example", 1, 0, 0),
    ]


def test_the_period_before_is_as_long_and_ends_where_this_one_begins() -> None:
    wanted = Filter(span="24h", tool="web_search")
    before = wanted.before(NOW)
    assert before is not None
    assert before.window(NOW) == (NOW - 2 * DAY, NOW - DAY)
    assert before.tool == "web_search"
    assert Filter(span="all").before(NOW) is None


def test_days_begin_at_the_readers_midnight_even_when_the_clock_changes(store: Store) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    wanted = Filter(since=1_792_000_000_000, until=1_792_000_000_000 + 20 * DAY)
    with store.reading() as connection:
        series = figures.over_time(connection, wanted, now=NOW + 90 * DAY, zone=berlin)
    assert series.width == 6 * HOUR
    wanted = wanted.narrow(until=1_792_000_000_000 + 60 * DAY)
    with store.reading() as connection:
        series = figures.over_time(connection, wanted, now=NOW + 90 * DAY, zone=berlin)
    from datetime import datetime

    assert series.width == DAY
    assert {datetime.fromtimestamp(step.start / 1000, berlin).hour for step in series.steps} == {0}


def test_the_steps_of_a_series_leave_no_gap(store: Store) -> None:
    record(store, fetch_call("https://a.example/"), fetched("https://a.example/"), at=NOW - 5 * 60_000)
    with store.reading() as connection:
        for span in SPANS:
            series = figures.over_time(connection, Filter(span=span), now=NOW)
            starts = [step.start for step in series.steps]
            assert all(b - a == series.width for a, b in pairwise(starts))
            assert starts[-1] <= NOW - 1 < starts[-1] + series.width
            assert len(starts) <= 101


def test_calls_are_listed_page_by_page_without_gap_or_repeat_in_each_order(store: Store) -> None:
    _populate(store, seed=1, calls=45)
    wanted = Filter(span="7d")
    with store.reading() as connection:
        everything = list_calls(connection, wanted, now=NOW, limit=500).calls
        for order, key in (("newest", "started_at"), ("slowest", "elapsed_ms"), ("largest", "bytes")):
            seen, following = [], None
            while True:
                page = list_calls(connection, wanted, now=NOW, order=order, following=following, limit=7)  # type: ignore[arg-type]
                seen += page.calls
                if (following := page.following) is None:
                    break
            values = [getattr(call, key) for call in seen]
            assert values == sorted(values, reverse=True)
            assert len({call.id for call in seen}) == len(seen)
            assert len(seen) == sum(1 for call in everything if getattr(call, key))


def test_an_unknown_cursor_gives_the_first_page(store: Store) -> None:
    _populate(store, seed=1, calls=10)
    with store.reading() as connection:
        first = list_calls(connection, Filter(span="7d"), now=NOW)
        assert list_calls(connection, Filter(span="7d"), now=NOW, following="1; drop table") == first


def test_a_link_is_dead_while_its_latest_fetch_failed(store: Store) -> None:
    gone, back, slow = "https://a.example/gone", "https://a.example/back", "https://b.example/slow"
    record(store, search_call("q"), found(gone, back), at=NOW - 9 * HOUR)
    for hours in (5, 3):
        record(store, fetch_call(gone), fetched(gone, status=404), at=NOW - hours * HOUR)
        record(store, fetch_call(back), fetched(back, status=500), at=NOW - hours * HOUR)
    record(store, fetch_call(back), fetched(back), at=NOW - HOUR)
    record(store, fetch_call(slow), failed("WEB_FETCH_TIMEOUT"), at=NOW - HOUR)
    record(store, fetch_call("https://c.example/"), failed("WEB_BLOCKED_URL"), at=NOW - HOUR)
    with store.reading() as connection:
        dead = links.dead_links(connection, Filter(span="24h"), now=NOW)
    assert [(link.url, link.failures, link.cited, link.status_code, link.error_code) for link in dead] == [
        (gone, 2, 1, 404, None),
        (slow, 1, 0, None, "WEB_FETCH_TIMEOUT"),
    ]


filters = st.builds(
    Filter,
    span=st.sampled_from([*SPANS, "all"]),
    since=st.none() | st.integers(0, 10**14),
    until=st.none() | st.integers(0, 10**14),
    tool=st.none() | st.sampled_from(["web_search", "web_fetch"]),
    host=st.none() | st.text("abc.-港", min_size=1, max_size=20),
    outcome=st.none() | st.sampled_from(["ok", "error", "unfinished"]),
    status_class=st.none() | st.integers(0, 9),
    fell_back=st.none() | st.booleans(),
    truncated=st.none() | st.booleans(),
    words=st.none() | st.text("ab&=?#%+ 潮", min_size=1).map(str.strip).filter(bool),
    run=st.none() | st.integers(0, 10**9),
    slower=st.none() | st.floats(0.5, 1e6),
)


@given(filters)
def test_a_filter_comes_back_from_the_address_bar_as_it_was(wanted: Filter) -> None:
    assert Filter.from_params(dict(parse_qsl(urlencode(wanted.to_params())))) == wanted


@given(st.dictionaries(st.sampled_from([*Filter.__dataclass_fields__, "other"]), st.text() | st.lists(st.text())))
def test_any_address_gives_a_filter_that_can_be_asked(params: dict[str, Any]) -> None:
    since, until = Filter.from_params(params).window(now_ms())
    assert 0 <= since <= until or since < 0


@given(st.lists(st.floats(0.01, 3_000_000), min_size=1, max_size=300), st.sampled_from([0.5, 0.95, 0.99]))
@settings(deadline=None)
def test_a_percentile_is_right_to_a_bucket(times: list[float], share: float) -> None:
    counts = Counter(map(bucket, times))
    exact = sorted(times)[max(-(-int(share * 1000) * len(times) // 1000), 1) - 1]
    said = percentile(counts, share)
    assert said is not None
    assert exact / GROWTH - 1 <= said <= exact * GROWTH + 1


@given(st.lists(st.dictionaries(st.integers(0, 159), st.integers(1, 1 << 20), max_size=20), max_size=10))
def test_joined_counts_are_added_counts(parts: list[dict[int, int]]) -> None:
    added: Counter[int] = Counter()
    for part in parts:
        added.update(part)
    assert unpack(map(pack, parts)) == dict(added)


@given(st.dictionaries(st.integers(0, 159), st.integers(1, 1000)), st.integers(1, 40))
def test_a_histogram_holds_every_call_in_bins_without_gap(counts: dict[int, int], bins: int) -> None:
    made = summarise(counts, bins=bins)
    assert sum(part.calls for part in made.bins) == made.calls == sum(counts.values())
    assert len(made.bins) <= bins
    assert all(a.high == b.low for a, b in pairwise(made.bins))


@given(st.floats(0, 1e9))
def test_a_duration_lies_inside_its_bucket(ms: float) -> None:
    low, high = bounds(bucket(ms))
    assert low * (1 - 1e-9) <= ms
    assert ms <= high * (1 + 1e-9) or bucket(ms) == 159
