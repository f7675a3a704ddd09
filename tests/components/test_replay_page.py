"""The Replay page through Streamlit's own test harness: what a log leaves on the page, without a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.logs.made import HEAD, call, fetch, result, search
from tests.shared import ROOT, shared_path
from webcards.settings import load_settings


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose logs the page may open."""
    monkeypatch.setenv("WEBCARDS_LOG_ROOTS", str(tmp_path))
    load_settings.cache_clear()
    yield tmp_path
    load_settings.cache_clear()


def opened(**params: str) -> AppTest:
    """The page, freshly opened at an address, after its log was read."""
    test = AppTest.from_file(str(ROOT / "components" / "pages" / "replay.py"), default_timeout=60)
    for name, value in params.items():
        test.query_params[name] = value
    return until(test.run(), lambda: not test.get("progress"))


def until(test: AppTest, done: Callable[[], bool]) -> AppTest:
    """Runs the page again, as its fragments do, until what it waits for is there."""
    for _ in range(300):
        if done():
            return test
        test.run()
    raise AssertionError("the page waited in vain")


def html_of(test: AppTest) -> str:
    """All the HTML on the page."""
    assert not test.exception, test.exception
    return "".join(str(element.body) for element in test.html)


def words_of(test: AppTest) -> str:
    """All the captions, messages and texts on the page, without the escapes."""
    parts = [*test.caption, *test.markdown, *test.error, *test.warning, *test.info, *test.code]
    return "\n".join(str(part.value) for part in parts).replace("\\", "").replace("\u2060", "")


MIXED = b"".join(
    [
        HEAD,
        search("s1", queries=["harbour dues"]),
        fetch("f1", "https://d.example/a", 404),
        call("e1") + result("e1", "Error: slow", code="WEB_FETCH_TIMEOUT"),
        b"oops\n",
        call("u1", "web_fetch", {"url": "https://e.example/"}),
    ]
)


def test_a_fresh_page_asks_for_a_log() -> None:
    test = opened()
    assert "Drop the log of any agent here" in words_of(test)


def test_every_call_of_a_log_shows_with_its_card_and_what_could_not_be_read(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(MIXED)
    test = opened(log="log.jsonl")
    html = html_of(test)
    assert "https://a.example/" in html
    assert "404" in html
    assert "WEB_FETCH_TIMEOUT" in html
    assert "Unfinished: the log holds no result." in html
    assert "line 8, column 1" in words_of(test)


def test_a_link_opens_one_call_and_the_buttons_go_on_from_there(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(MIXED)
    test = opened(log="log.jsonl", call="2")
    assert 'id="call2"' in html_of(test)
    test.button(key="replay-problem").click().run()
    assert test.query_params["call"] in ("3", ["3"])
    assert 'id="call3"' in html_of(test)
    test.button(key="replay-back").click().run()
    assert 'id="call2"' in html_of(test)
    test.button(key="replay-on").click().run()
    test.button(key="replay-on").click().run()
    assert 'id="call4"' in html_of(test)
    assert test.button(key="replay-on").disabled


def test_the_search_narrows_the_list(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(MIXED)
    test = opened(log="log.jsonl")
    test.text_input(key="replay-text").set_value("harbour").run()
    assert "1 of 4 calls" in words_of(test)
    assert html_of(test).count('class="wc" id="') == 1


def test_the_list_holds_fifty_cards_and_has_pages(logs: Path) -> None:
    (logs / "long.jsonl").write_bytes(HEAD + b"".join(fetch(f"c{n}") for n in range(120)))
    test = opened(log="long.jsonl", call="70")
    html = html_of(test)
    assert html.count('class="wc" id="listed') == 49
    assert 'id="listed51"' in html
    assert 'id="listed100"' in html


def test_a_call_that_is_found_after_the_calls_were_counted_has_its_page_all_the_same() -> None:
    def script(listed: int) -> None:
        import streamlit as st

        from components.replay.bar import page_of
        from webcards.logs.filters import Filters

        class Growing:
            @staticmethod
            def place_of(_call: int, _filters: Filters) -> int:
                return 70

        st.text(page_of(Growing(), Filters(), 70, listed))  # type: ignore[arg-type]

    for counted in (50, 120):
        test = AppTest.from_function(script, kwargs={"listed": counted}, default_timeout=60).run()
        assert test.text[0].value == "2"


def test_the_record_the_meta_and_the_reason_are_at_hand(logs: Path) -> None:
    bad = call("m1") + result("m1", "the raw words", meta={"sources": 3, "truncated": False})
    (logs / "log.jsonl").write_bytes(HEAD + bad)
    test = opened(log="log.jsonl")
    assert "the raw words" in html_of(test)
    test.segmented_control(key="replay-1-pane").set_value("why").run()
    assert "$.sources" in html_of(test)
    test.segmented_control(key="replay-1-pane").set_value("event").run()
    assert any("tool/result" in str(element.value) for element in test.json)


def test_secrets_are_hidden_with_a_note(logs: Path) -> None:
    secret = "https://u:hunter22@d.example/?sig=hunter22"
    (logs / "log.jsonl").write_bytes(HEAD + fetch("f1", secret, text="Cookie: sid=hunter22"))
    test = opened(log="log.jsonl")
    test.segmented_control(key="replay-1-pane").set_value("event").run()
    shown = html_of(test) + words_of(test) + "".join(str(element.value) for element in test.json)
    assert "hunter22" not in shown
    assert "Hidden here:" in shown
    assert not [toggle for toggle in test.toggle if toggle.key == "replay-secrets"]


def test_whoever_is_allowed_to_may_see_them(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_LOG_SHOW_SECRETS", "1")
    load_settings.cache_clear()
    (logs / "log.jsonl").write_bytes(HEAD + fetch("f1", text="Cookie: sid=hunter22"))
    test = opened(log="log.jsonl")
    assert "hunter22" not in html_of(test)
    test.toggle(key="replay-secrets").set_value(True).run()
    assert "hunter22" in html_of(test)


@pytest.mark.parametrize(
    ("asked", "words"),
    [("../outside.jsonl", "not inside"), ("nothing.jsonl", "Nothing is there"), ("upload-abc", "uploaded elsewhere")],
)
def test_what_cannot_be_opened_is_said_in_words(logs: Path, asked: str, words: str) -> None:
    (logs.parent / "outside.jsonl").write_bytes(HEAD)
    assert words in words_of(opened(log=asked))


def test_an_empty_log_and_a_text_that_is_none_are_said_in_words(logs: Path) -> None:
    (logs / "empty").write_bytes(b"")
    (logs / "other").write_bytes(b"hello")
    assert "the log is empty" in words_of(opened(log="empty"))
    assert "not JSON" in words_of(opened(log="other"))


def test_a_folder_of_recorded_logs_shows_them_all(logs: Path) -> None:
    (logs / "recorded").symlink_to(shared_path("logs"))
    assert "not inside" in words_of(opened(log="recorded"))
    for name in ("brave/01-web-search.json", "ai-sdk/02-anthropic-web-fetch-ui-message.json", "codex.jsonl"):
        target = logs / "mine" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        source = shared_path("logs") / name if "/" in name else None
        target.write_bytes(source.read_bytes() if source else MIXED)
    test = opened(log="mine")
    assert "6 calls" in words_of(test)
    assert "brave" in words_of(test)


def test_the_checks_count_and_list(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(MIXED)
    test = opened(log="log.jsonl")
    test.button(key="replay-checks").click().run()
    until(test, lambda: "Calls without a result" in words_of(test))
    assert "**1** Calls without a result" in words_of(test)


def test_a_growing_log_is_followed(logs: Path) -> None:
    path = logs / "log.jsonl"
    path.write_bytes(HEAD + search("s1"))
    test = opened(log="log.jsonl")
    assert "1 call" in words_of(test)
    with path.open("ab") as file:
        file.write(fetch("f1"))
    test.toggle(key="replay-follow").set_value(True).run()
    until(test, lambda: "2 calls" in words_of(test))


def test_all_that_the_filter_means_can_be_taken_along_in_each_form(logs: Path) -> None:
    (logs / "log.jsonl").write_bytes(MIXED)
    test = opened(log="log.jsonl")
    labels = [getattr(button, "label", None) for button in test.get("download_button")]
    assert labels == ["Report (HTML)", "Session log", "Sources (CSV)", "Sources (Markdown)", "Sources (Parquet)"]
