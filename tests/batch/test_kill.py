"""A batch whose process is killed at any moment loses nothing, and does nothing again that had settled.

    BATCH_KILLS=200 python -m pytest tests/batch/test_kill.py

kills it 200 times on each database, which takes some minutes; without, a few times, so that a build is not kept waiting.
"""

import multiprocessing
import os
import random
from collections import Counter

import pytest
from sqlalchemy import select

from tests.batch.killable import run_batch, serving_pages
from webcards.batch import batches
from webcards.batch.items import read_items
from webcards.batch.options import Options
from webcards.batch.schema import run_items
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.store import now_ms

# No name of the settings' kind: the tests' set-up clears those away.
KILLS = int(os.environ.get("BATCH_KILLS", "6"))


def _settled(store: Store, run: int) -> dict[int, int]:
    with store.reading() as connection:
        rows = connection.execute(
            select(run_items.c.position, run_items.c.record).where(
                run_items.c.run == run, run_items.c.state == "settled"
            )
        )
        return {row.position: row.record for row in rows}


@pytest.mark.timeout(180 + KILLS * 10)
def test_killed_at_random_moments_a_batch_loses_nothing_and_repeats_nothing_that_had_settled(
    store: Store, url: str
) -> None:
    items = KILLS * 30 + 40
    pick = random.Random(20261201)
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["tests.batch.killable"])
    with serving_pages(0.05) as pages:
        lines = "\n".join(f"http://127.0.0.1:{pages.port}/{number}" for number in range(1, items + 1))
        batch = batches.create(store, "b", read_items(lines.encode()).items, Options(concurrency=4, per_host=4))
        run = batches.start_run(store, batch)
        killed = 0
        while True:
            before = _settled(store, run)
            asked = Counter(pages.requests)
            process = forks.Process(target=run_batch, args=(url, run, pages.port))
            process.start()
            # Some die while they open the database, some in the middle of their calls, the last not at all.
            process.join(pick.uniform(0.05, 0.6) if killed < KILLS else None)
            if process.is_alive():
                assert process.pid is not None
                process.kill()
                process.join()
                killed += 1
            after = _settled(store, run)
            assert before.items() <= after.items()
            assert all(pages.requests[f"/{number}"] == asked[f"/{number}"] for number in before)
            if len(after) == items:
                break
        with store.reading() as connection:
            calls = list_calls(connection, Filter(run=run, span="all"), now=now_ms() + 1, limit=20_000).calls
    assert killed == KILLS
    recorded = Counter(call.url for call in calls if call.outcome == "ok")
    assert set(recorded.values()) == {1}
    assert len(recorded) == items
    assert {call.id for call in calls if call.outcome == "ok"} == set(after.values())
    left_unfinished = len(calls) - items
    assert left_unfinished <= killed * 4
    assert sum(pages.requests.values()) <= items + left_unfinished
    found = batches.get_run(store, run)
    assert found is not None
    assert (found.state, batches.progress(store, run).settled) == ("done", items)
