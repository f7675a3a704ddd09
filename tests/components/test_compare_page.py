"""The Compare page through Streamlit's own test harness."""

from streamlit.testing.v1 import AppTest

from tests.shared import ROOT


def opened(**params: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in params.items():
        test.query_params[name] = value
    return test.switch_page("components/pages/compare.py").run()


def test_a_fresh_page_offers_the_engines_that_can_be_used() -> None:
    test = opened()
    assert not test.exception
    for box in test.main.selectbox:
        assert {"DuckDuckGo", "the built-in library"} <= set(box.options)


def test_an_address_reproduces_the_comparison_and_an_engine_that_fails_says_so() -> None:
    test = opened(q="harbour dues", left="library", right="duckduckgo")
    html = "".join(str(element.body) for element in test.html)
    assert not test.exception
    assert 'class="wc-list"' in html
    assert "WEB_PROVIDER_UNAVAILABLE" in html


def test_two_answers_are_aligned() -> None:
    test = opened(q="harbour dues", left="library", right="auto")
    assert [metric.value for metric in test.metric][1:3] == ["0", "0"]
    assert any("| 1 | 1 | ＝ |" in table.value for table in test.markdown)
