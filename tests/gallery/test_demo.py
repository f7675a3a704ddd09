"""Demo mode through Streamlit's own test harness: the tour runs on the built-in library, step by step, without a network."""

import asyncio

import pytest
from streamlit.testing.v1 import AppTest

from components.demo import _library
from tests.shared import ROOT
from webcards.library.tour import TOUR


def opened(**params: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["demo"] = "1"
    for name, value in params.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


def html_of(test: AppTest) -> str:
    return "".join(str(element.body) for element in test.html if not str(element.body).startswith("<style"))


def settled(test: AppTest) -> str:
    """Runs the script until no call is pending, as the page's fragment does; gives all its HTML."""
    for _ in range(600):
        if "wc-pending" not in html_of(test):
            return html_of(test)
        _library().submit(asyncio.sleep(0.02)).result()
        test.run()
        assert not test.exception
    raise AssertionError("the call never settled")


def test_it_opens_with_what_it_is_and_one_way_on() -> None:
    test = opened()
    assert "Web Cards" in html_of(test)
    assert test.button(key="demo-back").disabled
    assert not test.button(key="demo-next").disabled
    assert test.sidebar.selectbox(key="language").label == "Language"


@pytest.mark.parametrize(
    "number",
    [pytest.param(number, id=step.title) for number, step in enumerate(TOUR, 1) if "its time" not in step.title],
)
def test_each_step_says_what_it_is_about_and_ends_with_a_card(number: int) -> None:
    html = settled(opened(step=str(number)))
    assert TOUR[number - 1].title in html
    assert f"{number} / {len(TOUR)}" in html
    assert 'class="wc' in html


def test_the_step_behind_the_shut_door_is_a_refusal_in_words() -> None:
    door = next(number for number, step in enumerate(TOUR, 1) if "169.254" in str(step.args))
    assert "WEB_BLOCKED_URL" in settled(opened(step=str(door)))


def test_a_step_back_is_there_at_once_and_anew_forgets_it() -> None:
    test = opened(step="1")
    first = settled(test)
    test.button(key="demo-next").click().run()
    settled(test)
    test.button(key="demo-back").click().run()
    assert html_of(test) == first
    test.button(key="demo-again").click().run()
    assert "demo-start" in html_of(test)
    assert "step" not in test.query_params


@pytest.mark.parametrize("step", ["99", "-1", "x", "١"])
def test_a_step_that_does_not_exist_is_no_fault(step: str) -> None:
    test = opened(step=step)
    assert not test.exception


def test_it_speaks_chinese() -> None:
    test = opened(step="7", lang="zh")
    html = settled(test)
    assert "不存在的页面" in html
    assert test.button(key="demo-next").label == "下一个"
