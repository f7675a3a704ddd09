"""A batch from start to end: limits, retries, pause, resume, stop, deadline, and what is written down."""

import asyncio
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update

from tests.batch.stand_in import Answer, StandIn, error, page
from webcards.batch import batches
from webcards.batch.items import Item, read_items
from webcards.batch.journal import Journal
from webcards.batch.lane import run_here, run_lane
from webcards.batch.options import Options, OptionsError
from webcards.batch.schema import runs
from webcards.batch.service import Service
from webcards.serving.limits import limits_of
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.store import now_ms


def _urls(number: int, hosts: int = 3) -> list[Item]:
    lines = "\n".join(f"https://h{n % hosts}.example/{n}" for n in range(number))
    return read_items(lines.encode()).items


def _run(store: Store, number: int, *, hosts: int = 3, on_workers: bool = False, **limits: Any) -> int:
    batch = batches.create(store, "a batch", _urls(number, hosts), Options(**limits))
    return batches.start_run(store, batch, on_workers=on_workers)


async def test_each_item_is_called_once_recorded_and_settled(store: Store) -> None:
    run = _run(store, 25)
    tools = StandIn()
    assert await run_here(store, tools, run) == "done"
    assert set(tools.made.values()) == {1}
    assert len(tools.made) == 25
    progress = batches.progress(store, run)
    assert (progress.total, progress.settled, progress.errors, progress.waiting) == (25, 25, 0, 0)
    found = batches.get_run(store, run)
    assert found is not None
    assert found.state == "done"
    results = batches.results(store, run, limit=100)
    assert [result.position for result in results] == list(range(1, 26))
    for result in results:
        kept = store.get(result.record or 0)
        assert kept is not None
        assert (kept.call.url, kept.call.run_id, kept.call.source) == (result.subject, run, "batch")


async def test_no_more_calls_are_made_at_once_than_allowed_overall_and_to_a_host(store: Store) -> None:
    run = _run(store, 60, concurrency=5, per_host=2, hosts=4)
    tools = StandIn(seconds=0.01)
    tools.gate.clear()
    working = asyncio.create_task(run_here(store, tools, run))
    await tools.busy(5)
    tools.gate.set()
    await working
    assert tools.most["all"] == 5
    assert max(tools.most[f"h{n}.example"] for n in range(4)) == 2


async def test_between_two_calls_to_one_host_lies_the_delay(store: Store) -> None:
    run = _run(store, 6, concurrency=6, per_host=6, delay_ms=100, hosts=2)
    await run_here(store, StandIn(), run)
    for host in ("h0.example", "h1.example"):
        with store.reading() as connection:
            found = list_calls(connection, Filter(run=run, host=host), now=now_ms() + 1).calls
        started = sorted(call.started_at for call in found)
        assert len(started) == 3
        # A start is written down before the call, and the next may only come the delay after the call: never less.
        assert all(later - earlier >= 100 for earlier, later in pairwise(started))


async def test_a_call_that_failed_for_the_moment_is_tried_again_and_each_try_is_recorded(store: Store) -> None:
    def answer(call: Any, url: str, attempt: int) -> Any:
        if url.endswith("/0") and attempt < 3:
            return error(call, "WEB_RATE_LIMITED", retryAfter=0.01)
        if url.endswith("/1"):
            return error(call, "WEB_FETCH_TIMEOUT", retryAfter=0.01)
        return error(call, "WEB_BLOCKED_URL") if url.endswith("/2") else page(call, url)

    tools = StandIn(answer)
    run = _run(store, 4, retries=2)
    assert await run_here(store, tools, run) == "done"
    assert [tools.made[f"https://h{n % 3}.example/{n}"] for n in range(4)] == [3, 3, 1, 1]
    results = batches.results(store, run)
    assert [(result.outcome, result.error_code, result.attempts) for result in results] == [
        ("ok", None, 3),
        ("error", "WEB_FETCH_TIMEOUT", 3),
        ("error", "WEB_BLOCKED_URL", 1),
        ("ok", None, 1),
    ]
    with store.reading() as connection:
        recorded = list_calls(connection, Filter(run=run), now=now_ms() + 1).calls
    assert len(recorded) == 8


async def test_a_paused_run_ends_what_is_under_way_and_goes_on_where_it_was(store: Store) -> None:
    run = _run(store, 300, concurrency=4, per_host=4)
    tools = StandIn(seconds=0.02)
    working = asyncio.create_task(run_here(store, tools, run))
    await tools.busy(1)
    assert batches.pause(store, run)
    assert not batches.pause(store, run)
    assert await working == "paused"
    progress = batches.progress(store, run)
    assert progress.running == 0
    assert progress.settled == len(tools.made)
    assert batches.resume(store, run)
    assert await run_here(store, tools, run) == "done"
    assert set(tools.made.values()) == {1}


async def test_a_stopped_run_cancels_what_is_under_way_and_records_it_as_aborted(store: Store) -> None:
    run = _run(store, 5, concurrency=2)
    tools = StandIn()
    tools.gate.clear()
    working = asyncio.create_task(run_here(store, tools, run))
    await tools.busy(2)
    assert batches.stop(store, run, reason="the list was wrong")
    assert await working == "stopped"
    found = batches.get_run(store, run)
    assert found is not None
    assert (found.state, found.reason) == ("stopped", "the list was wrong")
    with store.reading() as connection:
        aborted = list_calls(connection, Filter(run=run, error_code="WEB_ABORTED"), now=now_ms() + 1).calls
    assert len(aborted) == 2
    assert batches.progress(store, run).waiting == 5
    tools.gate.set()
    batches.resume(store, run)
    assert await run_here(store, tools, run) == "done"
    assert batches.progress(store, run).settled == 5


async def test_a_process_that_ends_in_an_orderly_way_leaves_its_calls_to_be_done_again(store: Store) -> None:
    run = _run(store, 5, concurrency=2)
    tools = StandIn()
    tools.gate.clear()
    working = asyncio.create_task(run_here(store, tools, run))
    await tools.busy(2)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert batches.progress(store, run).waiting == 5
    found = batches.get_run(store, run)
    assert found is not None
    assert found.state == "running"


async def test_a_run_past_its_deadline_stops_and_says_so(store: Store) -> None:
    def answer(call: Any, url: str, _: int) -> Any:
        if len(tools.starts) == 2:
            tools.gate.clear()
        return page(call, url)

    tools = StandIn(answer)
    run = _run(store, 5, concurrency=1, deadline_s=3600)
    working = asyncio.create_task(run_here(store, tools, run))
    await tools.busy(3)
    with store.writing() as connection:
        connection.execute(update(runs).where(runs.c.id == run).values(started_at=runs.c.started_at - 3_600_001))
    assert await working == "stopped"
    found = batches.get_run(store, run)
    assert found is not None
    assert found.reason == "the deadline of 3600 s was over"
    progress = batches.progress(store, run)
    assert (progress.settled, progress.waiting) == (2, 3)


async def test_two_at_once_do_not_work_on_one_run(store: Store, url: str) -> None:
    run = _run(store, 20)
    tools = StandIn(seconds=0.01)
    with Store.open(url) as other:
        endings = await asyncio.gather(run_here(store, tools, run), run_here(other, tools, run))
    assert sorted(endings) == ["done", "taken"]
    assert set(tools.made.values()) == {1}


async def test_many_lanes_of_one_run_keep_its_limits_together(store: Store, url: str) -> None:
    run = _run(store, 80, concurrency=6, per_host=3, on_workers=True)
    tools = StandIn(seconds=0.01)
    with Store.open(url) as other:
        journals = [Journal(store), Journal(other)]
        lanes = [
            run_lane(place, tools, run, lane, journals[lane % 2])
            for lane in range(6)
            for place in [(store, other)[lane % 2]]
        ]
        await asyncio.gather(*lanes)
    assert set(tools.made.values()) == {1}
    assert tools.most["all"] <= 6
    assert max(tools.most[f"h{n}.example"] for n in range(3)) <= 3
    found = batches.get_run(store, run)
    assert found is not None
    assert found.state == "done"


async def test_a_lane_hands_itself_back_when_its_slice_is_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr("webcards.batch.lane.time", SimpleNamespace(monotonic=lambda: clock.seconds))

    def answer(call: Any, url: str, _: int) -> Any:
        if len(tools.starts) == 3:
            clock.seconds = 11
        return page(call, url)

    tools = StandIn(answer)
    run = _run(store, 50, concurrency=1)
    assert await run_lane(store, tools, run, 0, Journal(store), slice_s=10) == "slice over"
    progress = batches.progress(store, run)
    assert (progress.settled, progress.running) == (3, 0)


async def test_a_batch_counts_against_the_limits_of_whose_run_it_is_and_waits_its_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batches.create(store, "a batch", _urls(5), Options(concurrency=5, per_host=5))
    run = batches.start_run(store, batch, person="ada@kittiwick.example")
    tools = StandIn()
    limits = limits_of(3, 0)
    working = asyncio.create_task(run_lane(store, tools, run, 0, Journal(store), limits=limits))
    await tools.busy(3)
    assert batches.pause(store, run)
    assert await working == "paused"
    assert len(tools.starts) == 3
    assert batches.progress(store, run).waiting == 2
    monkeypatch.setattr("webcards.batch.lane.now_ms", lambda: now_ms() + 61_000)
    batches.resume(store, run)
    assert await run_lane(store, tools, run, 0, Journal(store), limits=limits) == "done"
    assert set(tools.made.values()) == {1}


async def test_a_batch_of_nobody_is_not_held_back(store: Store) -> None:
    run = _run(store, 5)
    assert await run_here(store, StandIn(), run, limits=limits_of(1, 1)) == "done"


async def test_a_fault_of_the_database_ends_the_lane_and_is_not_taken_for_an_answer(store: Store) -> None:
    class Broken(StandIn):
        def start(self, name: str, args: object, /) -> Any:
            raise OSError("disk full")

    run = _run(store, 3)
    with pytest.raises(OSError, match="disk full"):
        await run_here(store, Broken(), run)
    assert batches.progress(store, run).waiting == 3


async def test_the_service_takes_up_runs_that_a_restart_broke_off(store: Store) -> None:
    runs = [_run(store, 3), _run(store, 3)]
    paused = _run(store, 3)
    batches.pause(store, paused)
    service = Service(store, StandIn())
    await service.look()
    await service.settled()
    assert {run.id for run in batches.list_runs(store, state="done")} == set(runs)
    assert batches.progress(store, paused).settled == 0


def test_an_empty_or_senseless_batch_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="empty"):
        batches.create(store, "", [], Options())
    with pytest.raises(OptionsError):
        batches.create(store, "", _urls(1), Options(concurrency=0))
    with pytest.raises(LookupError):
        batches.start_run(store, 999)


async def test_a_deleted_batch_takes_its_runs_with_it_and_leaves_the_recorded_calls(store: Store) -> None:
    run = _run(store, 3)
    await run_here(store, StandIn(), run)
    (batch,) = batches.list_batches(store)
    assert batches.delete_batch(store, batch.id)
    assert batches.get_run(store, run) is None
    with store.reading() as connection:
        assert len(list_calls(connection, Filter(run=run), now=now_ms() + 1).calls) == 3


async def test_results_come_page_by_page_and_by_outcome(store: Store) -> None:
    answer: Answer = lambda call, url, _: error(call, "WEB_BLOCKED_URL") if url.endswith("5") else page(call, url)  # noqa: E731
    run = _run(store, 20)
    await run_here(store, StandIn(answer), run)
    first = batches.results(store, run, limit=7)
    rest = batches.results(store, run, after=first[-1].position, limit=100)
    assert [result.position for result in first + rest] == list(range(1, 21))
    assert [result.subject[-2:] for result in batches.results(store, run, outcome="error")] == ["/5", "15"]
