"""The Run page through Streamlit's own test harness: what a run leaves on the page, without a browser."""

import asyncio
import json

import pytest
from streamlit.testing.v1 import AppTest

from components import address
from components.live import live
from tests.shared import ROOT
from webcards.contract import WebError
from webcards.library.specimens import SPECIMENS
from webcards.tools.registry import Execution


def opened(**params: str | list[str]) -> AppTest:
    """The app, freshly opened at an address."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for name, value in params.items():
        test.query_params[name] = value
    return test.run()


def until_settled(test: AppTest) -> str:
    """Lets the calls end and runs the script again, as the page's fragment does; gives all the page's HTML.

    A call that settles may start another: the next part of a page.
    """
    for _turn in range(5):
        live().submit(_calls_end()).result(timeout=60)
        test.run()
        html = "".join(str(element.body) for element in test.html)
        if 'class="wc wc-pending"' not in html:
            return html
    raise AssertionError("a call runs on")


def newest(test: AppTest) -> Execution:
    """The call that settled last."""
    execution: Execution = test.session_state["calls"][0]
    return execution


async def _calls_end() -> None:
    running = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*running, return_exceptions=True)


def test_a_fresh_page_asks_what_to_search_for() -> None:
    test = opened()
    assert not test.exception
    assert test.title[0].value == "Run"
    assert [field.label for field in test.text_input][:1] == ["Query"]


def test_an_address_reproduces_the_search() -> None:
    test = opened(tool="web_search", q="harbour dues")
    html = until_settled(test)
    assert not test.exception
    assert 'class="wc-list"' in html
    assert test.text_input(key="q1").value == "harbour dues"


def test_several_queries_in_the_address_are_one_call() -> None:
    html = until_settled(opened(tool="web_search", q=["tide", "dues"]))
    assert "tide, dues" in html


def test_an_address_reproduces_the_fetch_and_the_page_title_stands_on_the_card() -> None:
    html = until_settled(opened(tool="web_fetch", url=SPECIMENS["article"]))
    assert "HTTP 200" in html
    assert f'<p class="wc-title" dir="auto">{SPECIMENS["article"]}' not in html


def test_all_that_a_link_says_stands_in_the_form_and_in_the_call() -> None:
    test = opened(tool="web_search", q=["tide", "dues"], site="office.kittiwick.example")
    until_settled(test)
    assert [test.text_input(key=key).value for key in ("q1", "q2", "q3", "site")] == [
        "tide",
        "dues",
        "",
        "office.kittiwick.example",
    ]
    assert newest(test).args == {"queries": ["tide", "dues"], "site": "office.kittiwick.example"}


@pytest.mark.parametrize("said", ["true", "True", "1"])
def test_a_link_to_the_page_as_it_was_sent_reproduces_that(said: str) -> None:
    test = opened(tool="web_fetch", url=SPECIMENS["article"], raw=said)
    until_settled(test)
    assert test.checkbox(key="raw").value is True
    assert newest(test).args == {"url": SPECIMENS["article"], "raw": True}
    assert test.query_params["raw"] == "true"


def test_a_link_with_a_time_range_fills_it_in_and_is_asked_so() -> None:
    test = opened(tool="web_search", q="tide", time_range="w")
    assert test.selectbox(key="time_range").value == "w"
    html = until_settled(test)
    assert newest(test).args == {"query": "tide", "time_range": "w"}
    assert "no time_range" in html
    assert "Without that, the built-in library can be asked." in html


def test_what_the_engine_at_hand_lacks_is_not_offered() -> None:
    test = opened(tool="web_search", q="tide")
    until_settled(test)
    assert test.selectbox(key="time_range").disabled, "the built-in library answered, which has no time range"
    assert "Built\\-in library" in test.selectbox(key="time_range").help
    assert not test.text_input(key="site").disabled


def test_a_suggestion_fills_the_field_and_runs() -> None:
    test = opened()
    test.button_group(key="try-web_search").set_value("tide table December").run()
    html = until_settled(test)
    assert test.text_input(key="q1").value == "tide table December"
    assert newest(test).args == {"query": "tide table December"}
    assert 'class="wc-list"' in html
    assert test.button_group(key="try-web_search").value is None
    test.button_group(key="try-web_search").set_value("tide table December").run()
    until_settled(test)
    assert len(test.session_state["calls"]) == 2, "the same suggestion can be taken again"


def test_the_line_below_a_card_says_which_engine_answered_and_the_inspector_too() -> None:
    test = opened(tool="web_search", q="harbour")
    until_settled(test)
    lines = [caption.value for caption in test.caption]
    assert any(line.startswith("Built\\-in library · DuckDuckGo could not be reached · ") for line in lines), lines
    next(group for group in test.button_group if "pane" in str(group.key)).set_value("retrieval").run()
    table = next(str(html.body) for html in test.html if "Answered by" in str(html.body))
    assert '<th scope="row">Answered by</th><td dir="auto">Built-in library</td>' in table
    assert '<th scope="row">Not answered by</th><td dir="auto">DuckDuckGo could not be reached</td>' in table


def test_a_page_read_on_counts_all_its_parts_and_its_link_reproduces_them() -> None:
    test = opened(tool="web_fetch", url=SPECIMENS["long"])
    until_settled(test)
    next(button for button in test.button if button.label == "Read on").click().run()
    until_settled(test)
    link = {name: said if isinstance(said := test.query_params[name], str) else said[-1] for name in test.query_params}
    assert link == {"tool": "web_fetch", "url": SPECIMENS["long"], "parts": "2"}
    again = opened(**link)
    until_settled(again)
    for page in (test, again):
        assert [execution.args.get("start", 0) > 0 for execution in page.session_state["calls"]] == [True, False]
        lines = [caption.value.replace("\\", "") for caption in page.caption]
        assert any("316,783 of 316,783 characters · 2 parts" in line for line in lines), lines


def test_a_step_back_to_a_call_of_this_session_shows_it_first_and_does_not_make_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test = opened(tool="web_search", q="tide")
    until_settled(test)
    test.text_input(key="q1").set_value("dues")
    test.button[0].click().run()
    assert until_settled(test).index(">dues</p>") < until_settled(test).index(">tide</p>")
    test.query_params["q"] = "tide"
    monkeypatch.setattr(address, "came_back", lambda: True)
    html = until_settled(test)
    assert html.index(">tide</p>") < html.index(">dues</p>")
    assert test.text_input(key="q1").value == "tide"
    assert len(test.session_state["calls"]) == 2
    test.query_params["q"] = "wall"
    test.run()
    monkeypatch.undo()
    until_settled(test)
    assert newest(test).args == {"query": "wall"}, "what this session has not made yet is made"


def test_typing_a_query_runs_it_and_puts_it_into_the_address() -> None:
    test = opened()
    test.text_input(key="q1").set_value("lighthouse")
    test.button[0].click().run()
    html = until_settled(test)
    assert "lighthouse" in html
    assert test.query_params["q"] == "lighthouse"
    assert test.query_params["tool"] == "web_search"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (SPECIMENS["not-found"], "HTTP 404"),
        (SPECIMENS["server-error"], "HTTP 500"),
        ("http://169.254.169.254/", "WEB_BLOCKED_URL"),
        ("nonsense", "WEB_INVALID_URL"),
        (SPECIMENS["hostile"], "HTTP 200"),
    ],
)
def test_every_outcome_is_a_card(url: str, shown: str) -> None:
    test = opened(tool="web_fetch", url=url)
    html = until_settled(test)
    assert not test.exception
    assert shown in html


@pytest.mark.parametrize("pane", ["raw", "meta", "event", "retrieval"])
def test_the_inspector_shows_what_the_card_was_made_from(pane: str) -> None:
    test = opened(tool="web_fetch", url=SPECIMENS["article"])
    until_settled(test)
    next(group for group in test.button_group if "pane" in str(group.key)).set_value(pane).run()
    shown = {
        "raw": lambda: test.code[0].value.startswith(f"Fetched {SPECIMENS['article']} (HTTP 200)"),
        "meta": lambda: '"statusCode":200' in test.json[0].value.replace(" ", ""),
        "event": lambda: [json.loads(event.value)["type"] for event in test.json] == ["tool/call", "tool/result"],
        "retrieval": lambda: any("Content type" in str(html.body) for html in test.html),
    }
    assert shown[pane]()


def test_the_language_can_be_chosen_in_the_address() -> None:
    test = opened(lang="zh")
    assert not test.exception
    assert test.sidebar.selectbox[0].value == "zh"


@pytest.mark.parametrize("button", ["Read on", "Fetch all"])
def test_a_click_that_may_not_start_anything_yet_is_told_at_once(button: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = {
        "Read on": {"tool": "web_fetch", "url": SPECIMENS["long"]},
        "Fetch all": {"tool": "web_search", "q": "tide"},
    }
    test = opened(**tool[button])
    until_settled(test)

    def refused() -> str | None:
        raise WebError("WEB_RATE_LIMITED", "Too many calls. Wait a little.", retry_after=30)

    monkeypatch.setattr("components.live.permit_call", refused)
    next(one for one in test.button if one.label == button).click().run()
    assert not test.exception
    assert [warning.value for warning in test.warning] == ["Too many calls\\. Wait a little\\."]
    assert len(test.session_state["calls"]) == 1
