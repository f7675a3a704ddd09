"""The Compare page through Streamlit's own test harness."""

import asyncio
import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from components import address
from components.live import live
from tests.shared import ROOT
from webcards.contract import WebError, WebSearchResult, WebSource
from webcards.search.provider import SearchProvider, SearchRequest


class Engine:
    """An engine that the test leads: it answers, fails as a plug-in may, or waits until it is cancelled."""

    options: frozenset[str] = frozenset()

    def __init__(self, id_: str, outcome: WebSearchResult | Exception | None) -> None:
        self.id = id_
        self.asked = 0
        self.cancelled = 0
        self._outcome = outcome

    def available(self) -> str | None:
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        self.asked += 1
        if isinstance(self._outcome, Exception):
            raise self._outcome
        if self._outcome is None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        assert self._outcome is not None
        return self._outcome


@pytest.fixture
def engines() -> Iterator[list[SearchProvider]]:
    """The app's engines, to which a test may add its own."""
    kept = list(live().engines)
    yield live().engines
    live().engines[:] = kept


def opened(**params: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in params.items():
        test.query_params[name] = value
    return test.switch_page("components/pages/compare.py").run()


def until_settled(test: AppTest) -> str:
    """Lets the engines answer and draws the page again, as its fragment does; gives all the page's HTML."""

    async def answered() -> None:
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    live().submit(answered()).result(timeout=60)
    test.run()
    assert not test.exception
    return html_of(test)


def html_of(test: AppTest) -> str:
    return "".join(str(element.body) for element in test.html)


def ids_of(html: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', html)


def found(*names: str) -> WebSearchResult:
    return WebSearchResult([WebSource(f"https://{name}.example/", name) for name in names])


def test_a_fresh_page_offers_the_engines_that_can_be_used_and_a_pair_that_differs() -> None:
    test = opened()
    assert not test.exception
    for box in test.main.selectbox:
        assert {"DuckDuckGo", "Built-in library", "auto (DuckDuckGo → Built-in library)"} <= set(box.options)
    assert [box.value for box in test.main.selectbox] == ["duckduckgo", "library"]


def test_an_address_reproduces_the_comparison_and_an_engine_that_fails_leaves_the_other_s_answer() -> None:
    test = opened(q="harbour dues", left="library", right="duckduckgo")
    html = until_settled(test)
    assert [box.value for box in test.main.selectbox] == ["library", "duckduckgo"]
    assert 'class="wc-list"' in html
    assert "WEB_PROVIDER_UNAVAILABLE" in html


def test_two_answers_are_aligned() -> None:
    html = until_settled(opened(q="harbour dues", left="library", right="auto"))
    assert "<dt>Only left</dt><dd>0</dd>" in html
    assert '<td class="wca-n">1</td><td class="wca-n">1</td><td class="wca-n">＝</td>' in html


def test_one_engine_on_both_sides_makes_two_cards_of_different_ids() -> None:
    html = until_settled(opened(q="harbour dues", left="library", right="library"))
    ids = ids_of(html)
    assert {"compare-left", "compare-right"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_a_plug_in_that_breaks_leaves_the_page_and_the_other_answer(engines: list[SearchProvider]) -> None:
    engines += [Engine("pond", found("a", "b")), Engine("broken", TypeError("odd"))]
    html = until_settled(opened(q="tide", left="broken", right="pond"))
    assert "broken failed because of a fault of its own (TypeError)" in html
    assert "https://a.example/" in html


def test_an_answer_is_drawn_while_the_other_engine_is_still_asked_and_that_can_be_cancelled(
    engines: list[SearchProvider],
) -> None:
    slow = Engine("slow", None)
    engines += [Engine("pond", found("a", "b")), slow]
    test = opened(q="tide", left="slow", right="pond")
    for _turn in range(50):
        if "https://a.example/" in html_of(test):
            break
        test.run()
    assert 'class="wc wc-pending" id="compare-left"' in html_of(test)
    test.button(key="compare-cancel").click().run()
    html = until_settled(test)
    assert "WEB_ABORTED" in html
    assert "https://a.example/" in html
    assert slow.cancelled == 1
    assert not [button for button in test.button if button.key == "compare-cancel"]


def test_a_step_back_finds_the_answers_that_were_there_and_a_click_asks_anew(
    engines: list[SearchProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    pond = Engine("pond", found("a"))
    engines += [pond, Engine("lake", found("b"))]
    test = opened(q="tide", left="pond", right="lake")
    until_settled(test)
    test.text_input(key="compare-q").set_value("dues")
    test.main.button[0].click().run()
    until_settled(test)
    assert pond.asked == 2
    test.query_params["q"] = "tide"
    monkeypatch.setattr(address, "came_back", lambda: True)
    test.run()
    monkeypatch.undo()
    assert test.text_input(key="compare-q").value == "tide"
    assert ">tide</p>" in until_settled(test)
    assert pond.asked == 2
    test.main.button[0].click().run()
    until_settled(test)
    assert pond.asked == 3


def test_where_only_one_call_is_left_it_is_made_and_the_other_side_says_why_not(
    engines: list[SearchProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [1]

    def permit() -> str | None:
        left[0] -= 1
        if left[0] < 0:
            raise WebError("WEB_RATE_LIMITED", "Too many calls.", retry_after=30)
        return None

    engines += [Engine("pond", found("a")), Engine("lake", found("b"))]
    monkeypatch.setattr("components.live.permit_call", permit)
    html = until_settled(opened(q="tide", left="pond", right="lake"))
    assert "https://a.example/" in html
    assert "WEB_RATE_LIMITED" in html
    test = opened(q="dues", left="pond", right="lake")
    assert [error.value for error in test.error] == ["Too many calls\\."]
