"""The Run page through Streamlit's own test harness: what a run leaves on the page, without a browser."""

import asyncio
import json

import pytest
from streamlit.testing.v1 import AppTest

from components.live import live
from tests.shared import ROOT
from webcards.library.specimens import SPECIMENS


def opened(**params: str | list[str]) -> AppTest:
    """The app, freshly opened at an address."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for name, value in params.items():
        test.query_params[name] = value
    return test.run()


def until_settled(test: AppTest) -> str:
    """Lets the calls end and runs the script again, as the page's fragment does; gives all the page's HTML."""
    live().submit(_calls_end()).result(timeout=60)
    test.run()
    html = "".join(str(element.body) for element in test.html)
    assert 'class="wc wc-pending"' not in html
    return html


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
        "retrieval": lambda: any("Content type" in text.value for text in test.markdown),
    }
    assert shown[pane]()


def test_the_language_can_be_chosen_in_the_address() -> None:
    test = opened(lang="zh")
    assert not test.exception
    assert test.sidebar.selectbox[0].value == "zh"
