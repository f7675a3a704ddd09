"""The Batch page through Streamlit's own test harness: a batch typed, run, looked at, and run again."""

from collections.abc import Iterator

import pytest

from components.batches.service import batch_service
from components.live import live
from tests.components.test_dashboard_page import opened, params, store
from webcards.batch import batches
from webcards.batch.items import read_items
from webcards.batch.lane import run_here
from webcards.batch.options import Options
from webcards.library.specimens import SPECIMENS
from webcards.store import Store

__all__ = ["store"]


@pytest.fixture(autouse=True)
def no_service(store: Store) -> Iterator[None]:
    """A service of this test's own: the page starts one for the store of the test."""
    batch_service.clear()
    yield
    batch_service.clear()


def start(store: Store, *lines: str) -> int:
    items = read_items("\n".join(lines).encode()).items
    return batches.start_run(store, batches.create(store, "harbour", items, Options()))


def run(store: Store, number: int) -> None:
    """Runs it as the service does, in the app's own loop."""
    ending = live().submit(run_here(store, live().registry, number)).result(timeout=60)
    assert ending in {"done", "taken"}


def test_an_empty_page_says_how_to_begin() -> None:
    test = opened("batch")
    assert not test.exception
    assert any("No batch yet" in caption.value for caption in test.caption)


def test_a_typed_list_becomes_a_run_with_what_cannot_be_used_told(store: Store) -> None:
    test = opened("batch")
    test.text_area[0].set_value("harbour dues\nharbour dues\nftp://a.example/\n")
    next(button for button in test.button if button.label == "Run the batch").click().run()
    assert not test.exception
    (made,) = batches.list_runs(store)
    assert params(test)["run"] == str(made.id)
    assert [result.subject for result in batches.results(store, made.id)] == ["harbour dues"]


def test_an_empty_list_is_refused_in_words(store: Store) -> None:
    test = opened("batch")
    next(button for button in test.button if button.label == "Run the batch").click().run()
    assert "empty" in test.error[0].value
    assert batches.list_batches(store) == []


def test_a_run_shows_its_results_and_each_leads_to_its_call(store: Store) -> None:
    number = start(store, SPECIMENS["article"], SPECIMENS["not-found"])
    run(store, number)
    test = opened("batch", run=str(number))
    assert not test.exception
    labels = {button.key: button.label for button in test.button}
    assert "HTTP 200" in labels["result-0"]
    assert "HTTP 404" in labels["result-1"]
    test.button(key="result-0").click().run()
    assert not test.exception
    assert "HTTP 200" in "".join(str(element.body) for element in test.html)
    next(button for button in test.button if button.label == "Back to the run").click().run()
    assert params(test) == {"run": str(number)}


def test_a_paused_run_can_be_gone_on_with(store: Store) -> None:
    number = start(store, "harbour dues")
    batches.pause(store, number)
    test = opened("batch", run=str(number))
    next(button for button in test.button if button.label == "Go on").click().run()
    found = batches.get_run(store, number)
    assert found is not None
    assert found.state in {"running", "done"}


def test_what_changed_since_the_run_before_is_listed(store: Store) -> None:
    first = start(store, SPECIMENS["article"], SPECIMENS["not-found"])
    run(store, first)
    second = batches.start_run(store, batches.list_batches(store)[0].id)
    run(store, second)
    test = opened("batch", run=str(second))
    next(group for group in test.button_group if group.key == "run-view").set_value("changes").run()
    assert not test.exception
    options = [option for group in test.button_group for option in group.options]
    assert any("The same (2)" in str(option) for option in options)


@pytest.mark.parametrize("number", ["999", "x", "-1"])
def test_an_address_of_no_run_is_no_fault(number: str) -> None:
    assert not opened("batch", run=number).exception


def test_a_batch_can_be_run_every_night_and_a_wrong_time_is_told(store: Store) -> None:
    start(store, "harbour dues")
    test = opened("batch")
    field = next(field for field in test.text_input if field.label == "At")
    field.set_value("25:99")
    test.button(key="daily-1").click().run()
    assert any("no time of day" in error.value for error in test.error)
    next(field for field in test.text_input if field.label == "At").set_value("03:15")
    test.button(key="daily-1").click().run()
    kept = batches.get_batch(store, 1)
    assert kept is not None
    assert kept.daily_at == "03:15"
