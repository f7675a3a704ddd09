"""How much one person may run: by the clock of this process, and by the record that all processes share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.events import search_call
from webcards.serving.limits import DAY, MINUTE, Limit, Limiter, TooMany, limits_of, nth_newest_recorded
from webcards.store import Store

NOW = 1_796_000_000.0
ADA, BOB = "ada@kittiwick.example", "bob@kittiwick.example"


def test_the_call_after_the_last_that_is_allowed_is_told_when_it_may_come() -> None:
    limiter = Limiter([Limit(2, MINUTE)])
    assert limiter.take(ADA, now=NOW) is None
    assert limiter.take(ADA, now=NOW + 10) is None
    assert limiter.take(ADA, now=NOW + 20) == TooMany(Limit(2, MINUTE), NOW + 60)
    assert limiter.take(ADA, now=NOW + 59.9) is not None
    assert limiter.take(ADA, now=NOW + 60) is None


def test_a_refused_call_does_not_count() -> None:
    limiter = Limiter([Limit(1, MINUTE)])
    limiter.take(ADA, now=NOW)
    for second in range(1, 60):
        assert limiter.take(ADA, now=NOW + second) is not None
    assert limiter.take(ADA, now=NOW + 60) is None


def test_each_person_has_limits_of_their_own() -> None:
    limiter = Limiter([Limit(1, MINUTE)])
    assert limiter.take(ADA, now=NOW) is None
    assert limiter.take(BOB, now=NOW) is None
    assert limiter.take(ADA, now=NOW + 1) is not None


def test_of_two_limits_the_one_that_lasts_longer_is_told() -> None:
    limiter = Limiter(limits_of(1, 2))
    limiter.take(ADA, now=NOW)
    limiter.take(ADA, now=NOW + 100)
    assert limiter.take(ADA, now=NOW + 110) == TooMany(Limit(2, DAY), NOW + DAY)


def test_nought_sets_no_limit() -> None:
    assert limits_of(0, 0) == ()
    limiter = Limiter(limits_of(0, 0))
    assert [limiter.take(ADA, now=NOW) for _ in range(1000)] == [None] * 1000


@given(st.lists(st.floats(0, 30, allow_nan=False), max_size=60), st.integers(1, 6))
def test_no_stretch_of_a_minute_holds_more_calls_than_allowed(waits: list[float], most: int) -> None:
    limiter, now, started = Limiter([Limit(most, MINUTE)]), NOW, []
    for wait in waits:
        now += wait
        if limiter.take(ADA, now=now) is None:
            started.append(now)
        else:
            assert sum(now - MINUTE < earlier for earlier in started) >= most
    for moment in started:
        assert sum(moment - MINUTE < earlier <= moment for earlier in started) <= most


def test_the_calls_of_other_processes_count_as_well(store: Store) -> None:
    recorded = nth_newest_recorded(store)
    for second in (0, 5):
        store.start(search_call("dues"), source="app", user=ADA, started_at=int((NOW + second) * 1000))
    limiter = Limiter([Limit(2, MINUTE)])
    assert limiter.take(ADA, now=NOW + 10, recorded=recorded) == TooMany(Limit(2, MINUTE), NOW + 60)
    assert limiter.take(ADA, now=NOW + 61, recorded=recorded) is None


@pytest.mark.parametrize(("source", "user"), [("import", ADA), ("mcp", ADA), ("app", BOB), ("app", None)])
def test_what_a_person_did_not_start_here_does_not_count(store: Store, source: str, user: str | None) -> None:
    store.start(search_call("dues"), source=source, user=user, started_at=int(NOW * 1000))  # type: ignore[arg-type]
    assert Limiter([Limit(1, MINUTE)]).take(ADA, now=NOW + 1, recorded=nth_newest_recorded(store)) is None


def test_the_calls_of_a_person_s_batches_count_as_well(store: Store) -> None:
    store.start(search_call("dues"), source="batch", user=ADA, started_at=int(NOW * 1000))
    late = Limiter([Limit(1, MINUTE)]).take(ADA, now=NOW + 1, recorded=nth_newest_recorded(store))
    assert late == TooMany(Limit(1, MINUTE), NOW + MINUTE)


def test_two_processes_share_one_limit_through_the_record(store: Store) -> None:
    one, other = Limiter([Limit(3, MINUTE)]), Limiter([Limit(3, MINUTE)])
    started = 0
    for number in range(8):
        limiter = (one, other)[number % 2]
        if limiter.take(ADA, now=NOW + number, recorded=nth_newest_recorded(store)) is None:
            store.start(search_call("dues"), source="app", user=ADA, started_at=int((NOW + number) * 1000))
            started += 1
    assert started == 3
