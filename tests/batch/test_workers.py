"""Workers on PostgreSQL: several processes share a run, and one that is killed costs it nothing."""

import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from tests.batch.killable import serving_pages
from tests.store.databases import Cluster
from webcards.batch import batches, workers
from webcards.batch.items import read_items
from webcards.batch.options import Options
from webcards.batch.seen import workers_seen
from webcards.settings import read_settings
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.location import DatabaseError
from webcards.store.store import now_ms
from webcards.tools.opening import open_registry

pytestmark = pytest.mark.database


def work(url: str, port: int) -> None:
    """A worker process: `python -m webcards worker`, with a page server on loopback allowed."""
    settings = read_settings(fetch_allow=(f"127.0.0.1:{port}",), tools=("web_fetch",))
    workers.DEAD_AFTER_SECONDS = 3.0
    workers.HEARTBEAT_SECONDS = 1.0
    workers.SLICE_SECONDS = 1.0
    with Store.open(url) as store:
        asyncio.run(workers.work(store, lambda: open_registry(settings), lanes_at_once=4))


@pytest.mark.timeout(120)
def test_two_workers_share_a_run_and_the_death_of_one_loses_and_repeats_nothing(postgres: Cluster) -> None:
    url = postgres.new_database()
    spawn = multiprocessing.get_context("forkserver")
    spawn.set_forkserver_preload(["tests.batch.test_workers"])
    with serving_pages(0.05) as pages, Store.open(url) as store:
        lines = "\n".join(f"http://127.0.0.1:{pages.port}/{number}" for number in range(300))
        limits = Options(concurrency=8, per_host=8)
        run = batches.start_run(
            store, batches.create(store, "b", read_items(lines.encode()).items, limits), on_workers=True
        )
        assert workers_seen(store) == 0
        processes = [spawn.Process(target=work, args=(url, pages.port)) for _ in range(2)]
        for process in processes:
            process.start()
        try:
            assert _until(lambda: batches.progress(store, run).settled >= 100)
            assert workers_seen(store) == 2
            processes[0].kill()
            assert _until(lambda: (found := batches.get_run(store, run)) is not None and found.state == "done")
        finally:
            for process in processes:
                process.terminate()
                process.join(20)
        assert processes[1].exitcode == 0
        assert batches.progress(store, run).settled == 300
        with store.reading() as connection:
            calls = list_calls(connection, Filter(run=run, span="all"), now=now_ms() + 1, limit=1000).calls
        assert Counter(call.url for call in calls if call.outcome == "ok").most_common(1)[0][1] == 1
        assert sum(pages.requests.values()) <= 300 + 8


def test_a_worker_without_postgresql_says_what_it_needs(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/calls.db") as store:
        assert workers_seen(store) == 0
        with pytest.raises(DatabaseError, match="WEBCARDS_DATABASE_URL"):
            asyncio.run(workers.work(store, _nothing))


def _nothing() -> NoReturn:
    raise AssertionError


def _until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
