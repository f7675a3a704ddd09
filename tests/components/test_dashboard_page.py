"""The Dashboard page through Streamlit's own test harness, on an empty and on a full record."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.record import record as opened_store
from tests.shared import ROOT
from tests.store.events import failed, fetch_call, fetched, found, record, search_call
from webcards.settings import load_settings
from webcards.store import Store
from webcards.store.store import now_ms


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path}/calls.db"
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", url)
    load_settings.cache_clear()
    opened_store.clear()
    with Store.open(url) as opened:
        yield opened
    opened_store.clear()
    load_settings.cache_clear()


@pytest.fixture
def full(store: Store) -> list[int]:
    """A few calls of every sort, in the last hours."""
    now = now_ms()
    made = []
    for number in range(12):
        at = now - number * 600_000
        url = f"https://gazette.kittiwick.example/{number % 3}"
        made.append(record(store, fetch_call(url), fetched(url, status=200 if number % 3 else 404), at=at, ms=20))
        cited = found(url, "https://office.kittiwick.example/")
        fallback = ("$.sources[0].url", "missing") if number == 5 else None
        made.append(record(store, search_call(f"tide {number}"), cited, at=at, ms=300, fallback=fallback))
    made.append(
        record(store, fetch_call("https://slow.example/"), failed("WEB_FETCH_TIMEOUT"), at=now - 5000, ms=30_000)
    )
    made.append(record(store, search_call("lost"), None, at=now - 4000))
    return made


def opened(page: str, **params: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page(f"components/pages/{page}.py")
    for name, value in params.items():
        test.query_params[name] = value
    return test.run()


def labels(test: AppTest) -> str:
    return "\n".join(button.label for button in test.button)


def params(test: AppTest) -> dict[str, str]:
    return {name: values[0] if isinstance(values, list) else values for name, values in test.query_params.items()}


@pytest.mark.usefixtures("store")
def test_an_empty_record_says_how_to_fill_it() -> None:
    test = opened("dashboard")
    assert not test.exception
    assert "Run a search or a fetch" in test.info[0].value


@pytest.mark.usefixtures("full")
def test_the_figures_count_what_was_recorded() -> None:
    test = opened("dashboard")
    assert not test.exception
    metrics = {metric.label: metric.value for metric in test.metric}
    assert metrics["Calls"] == "26"
    assert metrics["Failed"] == "4%"
    assert metrics["Unfinished"] == "1"
    assert "gazette" in labels(test)


@pytest.mark.usefixtures("full")
def test_a_figure_leads_to_the_calls_behind_it() -> None:
    test = opened("dashboard")
    test.button(key="metric-Fell back").click().run()
    assert params(test) == {"fell_back": "yes", "show": "calls"}
    assert "Fell back" in labels(test)
    # The calls stand there alone, so that nobody has to look for them below the figures.
    assert not test.metric
    assert [words for words in labels(test).splitlines() if "**tide" in words] == ["**tide 5**  "]
    test.segmented_control(key="show-True").set_value("").run()
    assert params(test) == {"fell_back": "yes"}
    assert {metric.label: metric.value for metric in test.metric}["Calls"] == "1"


@pytest.mark.usefixtures("full")
def test_the_number_of_calls_leads_to_them_too() -> None:
    test = opened("dashboard")
    test.button(key="metric-Calls").click().run()
    assert params(test) == {"show": "calls"}
    assert "tide 0" in labels(test)


def test_a_share_that_hardly_changed_is_not_told_as_a_change(store: Store) -> None:
    now = now_ms()
    for day, calls in ((0, 100), (1, 101)):
        for number in range(calls):
            result = fetched("https://a.example/") if number else failed("WEB_FETCH_TIMEOUT")
            record(store, fetch_call("https://a.example/"), result, at=now - day * 86_400_000 - 3_600_000 - number)
    shown = next(metric for metric in opened("dashboard").metric if metric.label == "Failed")
    assert (shown.value, shown.delta) == ("1%", "")


@pytest.mark.usefixtures("full")
def test_a_filter_in_the_address_is_in_force_and_can_be_taken_back() -> None:
    test = opened("dashboard", tool="web_search", span="24h")
    assert {metric.label: metric.value for metric in test.metric}["Calls"] == "13"
    test.button(key="chip-tool").click().run()
    assert "tool" not in params(test)
    assert {metric.label: metric.value for metric in test.metric}["Calls"] == "26"


def test_a_call_opens_with_its_card_and_can_be_deleted(store: Store, full: list[int]) -> None:
    test = opened("dashboard", call=str(full[1]))
    assert not test.exception
    html = "".join(str(element.body) for element in test.html)
    assert "office.kittiwick.example" in html
    assert 'class="wc-list"' in html
    next(button for button in test.button if button.label == "Delete this call").click().run()
    assert store.get(full[1]) is None
    assert "call" not in params(test)


def test_an_unfinished_call_says_that_no_result_was_recorded(full: list[int]) -> None:
    test = opened("dashboard", call=str(full[-1]))
    assert "no result was ever recorded" in "".join(str(element.body) for element in test.html)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("call", ["999999", "1e9", "-1", "x"])
def test_an_address_of_no_call_is_no_fault(call: str) -> None:
    assert not opened("dashboard", call=call).exception


@pytest.mark.usefixtures("full")
def test_an_alert_is_saved_for_the_filter_in_force_and_shown_while_it_is_passed() -> None:
    test = opened("dashboard")
    names = {field.label: field for field in test.text_input}
    names["Name"].set_value("too many failures")
    next(box for box in test.selectbox if box.label == "What").set_value("errors")
    next(field for field in test.number_input if field.label.startswith("From how many")).set_value(1)
    next(button for button in test.button if button.label == "Save the alert").click().run()
    assert not test.exception
    assert "too many failures" in test.warning[0].value
    test.button(key="alert-show-1").click().run()
    assert params(test)["outcome"] == "error"


@pytest.mark.usefixtures("full")
def test_hostile_text_in_a_call_stays_text(store: Store) -> None:
    nasty = ":red[x] ![i](https://evil.example/i.png) <script>alert(1)</script> $x$ [a](javascript:b)"
    record(store, search_call(nasty), failed("WEB_ABORTED"), at=now_ms() - 1000)
    test = opened("dashboard", words="evil.example/i.png")
    assert not test.exception
    (label,) = [button.label for button in test.button if button.key == "call-0"]
    assert "![i]" not in label
    assert ":red[" not in label
    assert "<script>" not in label


def test_a_database_that_cannot_be_opened_is_told_in_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:1/calls?connect_timeout=2")
    load_settings.cache_clear()
    opened_store.clear()
    test = opened("dashboard")
    assert not test.exception
    assert "127" in test.error[0].value
    assert "hunter2" not in test.error[0].value
