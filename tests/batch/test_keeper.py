"""A server keeps its batches going without any page, and its record within the limits of the settings."""

import time
from collections.abc import Callable

from tests.store.events import DAY, fetch_call, fetched, record
from webcards.batch import batches
from webcards.batch.items import read_items
from webcards.batch.keeper import batches_kept_going, is_running
from webcards.batch.options import Options
from webcards.library.specimens import SPECIMENS
from webcards.settings import read_settings
from webcards.store import Store
from webcards.store.store import now_ms


def _until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_a_started_server_goes_on_with_a_run_and_deletes_what_is_past_its_limits(store: Store, url: str) -> None:
    items = read_items(SPECIMENS["article"].encode()).items
    run = batches.start_run(store, batches.create(store, "b", items, Options()))
    old = record(store, fetch_call("https://a.example/"), fetched("https://a.example/"), at=now_ms() - 40 * DAY)
    new = record(store, fetch_call("https://a.example/"), fetched("https://a.example/"), at=now_ms() - DAY)
    with batches_kept_going(read_settings(database_url=url, keep_days=30)):
        assert is_running()
        assert _until(lambda: bool(batches.list_runs(store, state="done")))
        assert _until(lambda: store.get(old) is None)
    assert not is_running()
    assert store.get(new) is not None
    (result,) = batches.results(store, run)
    assert (result.outcome, result.status_code) == ("ok", 200)


def test_a_database_that_does_not_answer_is_waited_for_and_keeps_nothing_from_ending() -> None:
    with batches_kept_going(read_settings(database_url="postgresql://ada@127.0.0.1:1/calls?connect_timeout=1")):
        assert is_running()
    assert not is_running()
