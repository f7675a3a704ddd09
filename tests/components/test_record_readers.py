"""A reader on the Batch page and the Dashboard: looks at everything, starts, changes and deletes nothing."""

from tests.components.test_access import ADA, REA, buttons, door, team
from tests.store.events import fetch_call, fetched
from tests.store.events import record as recorded_call
from webcards.batch import batches
from webcards.batch.items import read_items
from webcards.batch.options import Options
from webcards.settings import load_settings
from webcards.store.opening import open_store
from webcards.store.store import now_ms

__all__ = ["team"]

CHANGES = {"Run the batch", "Run again", "Delete the batch", "Run it every day", "Pause", "Stop", "Go on"}


def _filled() -> tuple[int, int]:
    with open_store(load_settings()) as store:
        batch = batches.create(store, "harbour", read_items(b"harbour dues").items, Options())
        run = batches.start_run(store, batch)
        batches.pause(store, run)
        url = "https://a.example/"
        return run, recorded_call(store, fetch_call(url), fetched(url), at=now_ms() - 1000)


def test_a_reader_sees_batches_and_runs_and_has_no_button_that_changes_them() -> None:
    run, _ = _filled()
    for number in ("", str(run)):
        test = door(REA, run=number).run()
        test.switch_page("components/pages/batch.py").run()
        assert not test.exception
        assert not CHANGES & set(buttons(test))


def test_a_runner_has_those_buttons() -> None:
    _filled()
    test = door(ADA).run()
    test.switch_page("components/pages/batch.py").run()
    assert {"Run the batch", "Run again", "Delete the batch", "Run it every day"} <= set(buttons(test))


def test_a_reader_sees_a_recorded_call_and_cannot_delete_it_nor_save_an_alert() -> None:
    _, call = _filled()
    for params, label in (({"call": str(call)}, "Delete this call"), ({}, "Save the alert")):
        for person, may in ((REA, False), (ADA, True)):
            test = door(person).run()
            test.switch_page("components/pages/dashboard.py").run()
            for name, value in params.items():
                test.query_params[name] = value
            test.run()
            assert not test.exception
            assert (label in buttons(test)) is may
