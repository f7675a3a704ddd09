"""The Gallery page through Streamlit's own test harness: each view on an empty and on a full store, and what a click changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.gallery.catalogue import GROUPS, states
from components.gallery.marks import StoreMarks, new_mark
from components.record import record
from tests.shared import ROOT
from webcards.settings import load_settings
from webcards.store import Store


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A database of the test's own."""
    path = tmp_path / "calls.db"
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", f"sqlite:///{path}")
    load_settings.cache_clear()
    record.clear()
    yield path
    record.clear()
    load_settings.cache_clear()


def opened(**params: str) -> AppTest:
    """The Gallery, freshly opened at an address."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page("components/pages/gallery.py")
    for name, value in params.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception, test.exception
    return test


def html_of(test: AppTest) -> str:
    return "".join(str(element.body) for element in test.html)


def labels(test: AppTest, *kinds: str) -> list[str]:
    """The labels of the elements of these kinds."""
    found = [str(getattr(element, "label", "")) for kind in kinds for element in test.get(kind)]
    return [label for label in found if label]


def shown_cards(test: AppTest) -> int:
    return sum('class="wc' in str(element.body) for element in test.html)


@pytest.mark.parametrize("group", [pytest.param(group, id=group.id) for group in GROUPS])
def test_a_group_shows_each_of_its_states_with_its_sentence_and_its_link(group: Any) -> None:
    test = opened(group=group.id)
    html = html_of(test)
    assert shown_cards(test) == len(group.states)
    for state in group.states:
        assert f'href="?view=state&amp;state={state.id}"' in html
        assert f'id="s-{state.id}"' in html
    assert html.count('class="gallery-verdict"') == len(group.states)


def test_a_word_finds_states_in_every_group() -> None:
    test = opened()
    test.text_input(key="gallery-word").set_value("bidi").run()
    html = html_of(test)
    assert 'id="s-script-bidi-override"' in html
    assert 'id="s-address-bidi-override"' in html
    assert shown_cards(test) == 2


def test_a_word_that_finds_nothing_says_what_to_do() -> None:
    test = opened()
    test.text_input(key="gallery-word").set_value("zzzz").run()
    assert "Try a shorter one" in test.info[0].value
    assert shown_cards(test) == 0


def test_open_leads_to_the_workbench_and_the_address_follows() -> None:
    test = opened(group="titles")
    test.button(key="open-title-empty").click().run()
    assert not test.exception
    assert test.selectbox(key="gallery-state").value == "title-empty"
    assert test.query_params["state"] == "title-empty"
    assert test.query_params["view"] == "state"


@pytest.mark.parametrize(
    "name", ["sources-1000", "page-7-million-characters", "deep-meta", "running-long", "error-empty"]
)
def test_an_address_opens_any_state(name: str) -> None:
    test = opened(state=name)
    assert test.selectbox(key="gallery-state").value == name
    assert 'id="card"' in html_of(test)


def test_an_unknown_state_in_the_address_opens_the_first() -> None:
    assert opened(state="no-such-state").selectbox(key="gallery-state").value == next(iter(states()))


@pytest.mark.parametrize("state", [pytest.param(state, id=state.id) for state in list(states().values())[::9]])
def test_each_pane_of_a_state_is_drawn(state: Any) -> None:
    test = opened(state=state.id)
    for pane in ("fallback", "view", "event", "case", "schema", "checks"):
        test.session_state["gallery-pane"] = pane
        test.run()
        assert not test.exception, pane


def test_next_and_previous_walk_over_the_borders_of_groups() -> None:
    test = opened(state=GROUPS[0].states[-1].id)
    test.button(key="gallery-next").click().run()
    assert test.selectbox(key="gallery-state").value == GROUPS[1].states[0].id
    test.button(key="gallery-previous").click().run()
    assert test.selectbox(key="gallery-state").value == GROUPS[0].states[-1].id
    assert opened(state=next(iter(states()))).button(key="gallery-previous").disabled


def test_the_frame_is_in_the_address_and_around_the_card() -> None:
    test = opened(state="sources-3", width="390", theme="dark", dir="rtl", cardlang="zh")
    html = html_of(test)
    assert "max-width:390px" in html
    assert "color-scheme:dark" in html
    assert 'dir="rtl"' in html
    assert "3 个来源" in html
    test.selectbox(key="gallery-width").set_value("full").run()
    assert "max-width:390px" not in html_of(test)
    assert "width" not in test.query_params


def test_two_states_stand_side_by_side() -> None:
    test = opened(state="sources-3", **{"with": "sources-0"})
    html = html_of(test)
    assert 'id="card"' in html
    assert 'id="other"' in html
    assert "No results found" in html


def test_an_error_flag_takes_the_card_away_and_undo_brings_it_back() -> None:
    test = opened(state="sources-3")
    test.toggle(key="gallery-failed-sources-3-0").set_value(True).run()
    assert 'class="wc-list"' not in html_of(test)
    test.button(key="gallery-undo").click().run()
    assert 'class="wc-list"' in html_of(test)


def test_a_tool_that_nobody_knows_has_no_card() -> None:
    test = opened(state="sources-3")
    test.selectbox(key="gallery-tool-sources-3-0").set_value("web_fetch").run()
    assert "$.url" in html_of(test)


def test_the_grid_leads_to_each_change_on_the_workbench() -> None:
    test = opened(view="break", state="page-plain")
    html = html_of(test)
    assert 'href="?view=state&amp;state=page-plain&amp;change=0"' in html
    assert "as the contract says" in test.success[0].value
    changed = opened(view="state", state="page-plain", change="20")
    assert any("Changed at" in caption.value for caption in changed.caption)


def test_a_change_beyond_the_last_is_the_state_itself() -> None:
    assert 'id="card"' in html_of(opened(view="state", state="page-plain", change="999999999"))


@pytest.mark.parametrize(
    "pasted",
    [
        '{"url": "https://a.example/", "statusCode": 200, "truncated": false}',
        '{"content": [], "isError": false, "meta": {"url": "https://a.example/", "statusCode": 200, "truncated": false}}',
        '{"type": "tool/result", "data": {"meta": {"url": "https://a.example/", "statusCode": 200, "truncated": false}}}',
    ],
)
def test_a_pasted_result_can_be_broken(pasted: str) -> None:
    test = opened(view="break")
    test.selectbox(key="gallery-origin").set_value("paste").run()
    test.selectbox(key="gallery-pasted-tool").set_value("web_fetch").run()
    test.text_area(key="gallery-pasted").set_value(pasted).run()
    assert not test.exception
    assert "$.statusCode" in html_of(test)


@pytest.mark.parametrize(
    ("pasted", "words"), [("{", "Line 1"), ('{"url": 1}', "not good to begin with"), ("[" * 9_999, "deep")]
)
def test_a_pasted_text_that_is_no_good_result_says_so(pasted: str, words: str) -> None:
    test = opened(view="break")
    test.selectbox(key="gallery-origin").set_value("paste").run()
    test.text_area(key="gallery-pasted").set_value(pasted).run()
    assert words in test.warning[0].value.replace("\\", "")


def test_marks_are_kept_in_the_store_and_the_next_state_follows(database: Path) -> None:
    test = opened(view="checklist")
    first, second = list(states())[:2]
    test.text_input(key=f"note-{first}").set_value("the badge is missing").run()
    test.button(key="mark-fail").click().run()
    assert not test.exception
    assert f"note-{second}" in {field.key for field in test.text_input}
    with Store.open(f"sqlite:///{database}") as store:
        mark = StoreMarks(store).all()[first]
    assert (mark.mark, mark.note) == ("fail", "the badge is missing")


def test_on_a_full_store_the_progress_is_whole_and_the_report_offers_both_forms(database: Path) -> None:
    with Store.open(f"sqlite:///{database}") as store:
        kept = StoreMarks(store)
        for name in states():
            kept.put(new_mark(name, "pass", "", "Ada"))
    test = opened(view="checklist")
    assert "Every state of this choice is marked." in test.success[0].value
    test.button(key="checklist-report").click().run()
    assert not test.exception
    assert labels(test, "download_button") == ["Markdown", "JSON"]


def test_all_marks_go_only_when_one_is_sure(database: Path) -> None:
    with Store.open(f"sqlite:///{database}") as store:
        StoreMarks(store).put(new_mark("sources-0", "skip", "", ""))
    test = opened(view="checklist")
    assert test.button(key="checklist-clear").disabled
    test.checkbox(key="checklist-sure").set_value(True).run()
    test.button(key="checklist-clear").click().run()
    with Store.open(f"sqlite:///{database}") as store:
        assert StoreMarks(store).all() == {}


def test_without_a_store_marks_last_as_long_as_the_tab_and_the_page_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", "mysql://somewhere/else")
    load_settings.cache_clear()
    record.clear()
    test = opened(view="checklist")
    assert any("this tab only" in caption.value for caption in test.caption)
    first = next(iter(states()))
    test.button(key="mark-pass").click().run()
    assert not test.exception
    assert f"note-{first}" not in {field.key for field in test.text_input}


@pytest.mark.parametrize("view", ["browse", "state", "break", "checklist"])
def test_each_view_speaks_chinese(view: str) -> None:
    test = opened(view=view, lang="zh")
    assert test.title[0].value == "图库"
    shown = labels(test, "selectbox", "button", "text_input", "button_group", "toggle", "checkbox")
    assert len(shown) > 2
    assert [label for label in shown if label.isascii()] == []
