"""How the limits of a run are shared between lanes, and whose turn is next."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.batch.options import (
    MOST_LANES,
    Options,
    OptionsError,
    lane_concurrency,
    lane_count,
    lane_limits,
    lane_of,
    read_options,
    retry_wait_ms,
)
from webcards.batch.pacing import Pacer

options = st.builds(
    Options, concurrency=st.integers(1, 500), per_host=st.integers(1, 500), delay_ms=st.sampled_from([0, 250])
)


@given(options, st.booleans(), st.text(max_size=20))
def test_the_lanes_of_a_run_together_have_its_limits_and_no_more(wanted: Options, on_workers: bool, host: str) -> None:
    lanes = lane_count(wanted, on_workers=on_workers)
    assert 1 <= lanes <= MOST_LANES
    assert sum(lane_concurrency(lane, wanted, lanes) for lane in range(lanes)) == wanted.concurrency
    assert all(lane_concurrency(lane, wanted, lanes) >= 1 for lane in range(lanes))
    assert sum(lane_limits(host, lane, wanted, lanes) for lane in range(lanes)) == wanted.per_host


@given(options, st.text(max_size=20), st.integers(1, 10_000))
def test_an_item_is_in_a_lane_that_may_ask_its_host(wanted: Options, host: str, position: int) -> None:
    lanes = lane_count(wanted, on_workers=True)
    assert lane_limits(host, lane_of(host, position, wanted, lanes), wanted, lanes) >= 1


@given(st.integers(1, 10_000))
def test_a_host_that_is_asked_with_a_delay_is_in_one_lane(position: int) -> None:
    wanted = Options(concurrency=32, per_host=8, delay_ms=100)
    assert lane_of("a.example", position, wanted, 32) == lane_of("a.example", 1, wanted, 32)


@given(options)
def test_options_are_kept_as_they_were(wanted: Options) -> None:
    assert read_options(wanted.dump()) == wanted


@pytest.mark.parametrize(
    "changes", [{"concurrency": 0}, {"per_host": 0}, {"delay_ms": -1}, {"retries": 11}, {"deadline_s": 0}]
)
def test_options_out_of_range_are_refused_in_words(changes: dict[str, int]) -> None:
    with pytest.raises(OptionsError, match="has to be"):
        Options(**changes).checked()


def test_a_server_that_says_when_to_come_again_is_believed_within_reason() -> None:
    assert retry_wait_ms(1, {"retryAfter": 7}) == 7000
    assert retry_wait_ms(1, {}) == 2000
    assert retry_wait_ms(3, None) == 8000
    assert retry_wait_ms(1, {"retryAfter": 1e9}) == 15 * 60_000


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50)), max_size=40),
    st.integers(1, 3),
    st.sampled_from([0, 10]),
    st.randoms(use_true_random=False),
)
def test_every_item_has_its_turn_once_within_its_hosts_limits(
    items: list[tuple[str, int]], limit: int, delay: int, pick: object
) -> None:
    pacer = Pacer(lambda _: limit, delay)
    for position, (host, due) in enumerate(items):
        pacer.add(position, host, due)
    taken: list[int] = []
    active: list[str] = []
    last: dict[str, int] = {}
    now = 0
    while len(taken) < len(items):
        while found := pacer.take(now):
            position, host = found
            assert items[position] == (host, items[position][1])
            assert items[position][1] <= now
            assert now >= last.get(host, -delay) + delay
            last[host] = now
            pacer.started(host, now)
            taken.append(position)
            active.append(host)
            assert max(Counter(active).values()) <= limit
        assert len(pacer) == len(items) - len(taken)
        if active and pick.random() < 0.7:  # type: ignore[attr-defined]
            pacer.done(active.pop(pick.randrange(len(active))))  # type: ignore[attr-defined]
        wake = pacer.wake_at()
        assert wake is not None or active or len(taken) == len(items)
        now = max(now + 1, wake) if wake is not None and not active else now + 1
    assert sorted(taken) == list(range(len(items)))


def test_a_delay_counts_from_the_start_of_the_call_not_from_its_turn() -> None:
    pacer = Pacer(lambda _: 2, 100)
    for position in range(2):
        pacer.add(position, "a.example")
    assert pacer.take(0) is not None
    assert pacer.take(500) is None
    pacer.started("a.example", 500)
    assert pacer.take(599) is None
    assert pacer.wake_at() == 600
    assert pacer.take(600) is not None


def test_a_host_with_many_items_does_not_keep_the_others_waiting() -> None:
    pacer = Pacer(lambda _: 2, 0)
    for position in range(100):
        pacer.add(position, "big.example")
    pacer.add(100, "small.example")
    taken = [pacer.take(0) for _ in range(3)]
    assert [found[1] for found in taken if found] == ["big.example", "small.example", "big.example"]
    assert pacer.take(0) is None
