"""The door of the app through Streamlit's own test harness: who enters, what they may do there, and how much of it."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import access
from components.batches.service import batch_service
from components.live import live
from components.record import record
from tests.shared import ROOT
from webcards import __version__
from webcards.settings import load_settings
from webcards.store import Filter, Store
from webcards.store.calls import Call, list_calls
from webcards.store.marks import Mark, list_marks, set_mark
from webcards.store.store import now_ms

AUTH = {
    "redirect_uri": "http://127.0.0.1:8501/oauth2callback",
    "cookie_secret": "a cookie secret for the tests alone",
    "client_id": "webcards",
    "client_secret": "only-for-the-tests",
    "server_metadata_url": "http://127.0.0.1:9/.well-known/openid-configuration",
}
ADA, REA = "ada@kittiwick.example", "rea@kittiwick.example"


@pytest.fixture(autouse=True)
def team(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A team of one domain with a reader, few calls a minute, and a record of its own."""
    monkeypatch.setenv("WEBCARDS_ALLOWED_DOMAINS", "kittiwick.example")
    monkeypatch.setenv("WEBCARDS_READERS", REA)
    monkeypatch.setenv("WEBCARDS_CALLS_PER_MINUTE", "2")
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", f"sqlite:///{tmp_path}/calls.db")
    load_settings.cache_clear()
    record.clear()
    access._limiter.cache_clear()
    yield
    # What a page may have left running works on this record.
    batch_service.clear()
    record.clear()
    load_settings.cache_clear()
    access._limiter.cache_clear()


def door(email: str | None = None, *, auth: dict[str, Any] | None = AUTH, **params: str) -> AppTest:
    """The app, opened by somebody who has signed in with an address, or has not."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if auth is not None:
        test.secrets = {"auth": auth}
    signed_in = {"is_logged_in": True, "email": email, "email_verified": True, "iat": time.time()}
    test.user = signed_in if email else {"is_logged_in": False}
    for name, value in params.items():
        test.query_params[name] = value
    return test


def until_settled(test: AppTest) -> None:
    """Lets the calls end and runs the script again, as the page's fragment does."""
    live().submit(_calls_end()).result(timeout=60)
    test.run()


async def _calls_end() -> None:
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)


def html(test: AppTest) -> str:
    return "".join(str(element.body) for element in test.html)


def recorded(store: Store | None = None) -> list[Call]:
    opened = store or record()
    with opened.reading() as connection:
        return list_calls(connection, Filter(), now=now_ms() + 1).calls


def buttons(test: AppTest) -> list[str]:
    return [button.label for button in test.button]


def test_without_sign_in_the_app_opens_and_nobody_is_named() -> None:
    test = door(auth=None).run()
    assert test.title[0].value == "Run"
    assert not {"Sign in", "Sign out"} & set(buttons(test))
    assert "Signed in" not in html(test)


def test_who_has_not_signed_in_stands_before_the_door_and_runs_nothing() -> None:
    test = door(tool="web_search", q="harbour dues").run()
    assert not test.exception
    assert buttons(test) == ["Sign in"]
    assert not test.title
    assert recorded() == []


def test_each_sign_in_service_has_its_button() -> None:
    shared = {name: AUTH[name] for name in ("redirect_uri", "cookie_secret")}
    own = {name: AUTH[name] for name in ("client_id", "client_secret", "server_metadata_url")}
    assert buttons(door(auth={**shared, "our-idp": own, "google": own}).run()) == [
        "Sign in with Our Idp",
        "Sign in with Google",
    ]
    assert buttons(door(auth={**AUTH, "google": own}).run()) == ["Sign in", "Sign in with Google"]


@pytest.mark.parametrize("auth", [{}, {"client_id": "half of it"}])
def test_sign_in_that_is_set_up_by_half_lets_nobody_in(auth: dict[str, Any]) -> None:
    test = door(auth=auth).run()
    assert buttons(test) == ["Sign in"]
    test.button[0].click().run()
    assert not test.exception
    assert "is not set up as it should be" in test.error[0].value


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"email": "eve@other.example"}, "not among those that may enter"),
        ({"email_verified": False}, "does not vouch for this address"),
        ({"email": None}, "did not say which e-mail address"),
        ({"iat": 0}, "It is a while since you signed in"),
    ],
)
def test_who_may_not_enter_is_told_why(claims: dict[str, Any], said: str) -> None:
    test = door(ADA, tool="web_search", q="harbour dues")
    test.user = {**test.user, **claims}
    test.run()
    assert not test.exception
    assert said in html(test)
    assert "Sign out" in buttons(test)
    assert not test.title
    assert recorded() == []


def test_an_address_at_the_door_is_text() -> None:
    test = door("<b>eve</b>@other.example").run()
    assert "&lt;b&gt;eve&lt;/b&gt;@other.example" in html(test)


def test_nobody_enters_before_somebody_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBCARDS_ALLOWED_DOMAINS")
    load_settings.cache_clear()
    assert "WEBCARDS_ALLOWED_EMAILS" in html(door(ADA).run())


def test_a_runner_is_named_and_their_calls_are_recorded_as_theirs() -> None:
    test = door("Ada@Kittiwick.example", tool="web_search", q="harbour dues").run()
    until_settled(test)
    assert not test.exception
    assert f"Signed in as {ADA} (runner)" in html(test)
    (call,) = recorded()
    assert (call.person, call.source, call.outcome) == (ADA, "app", "ok")


def test_without_sign_in_a_call_is_recorded_as_nobody_s() -> None:
    until_settled(door(auth=None, tool="web_search", q="harbour dues").run())
    assert [call.person for call in recorded()] == [None]


@pytest.mark.parametrize("demo", ["0", "1"], ids=["run", "demo"])
def test_a_reader_is_told_so_where_something_would_run(demo: str) -> None:
    test = door(REA, tool="web_search", q="harbour dues", demo=demo).run()
    assert not test.exception
    assert "Your role is reader" in test.info[0].value
    assert recorded() == []


def test_a_reader_looks_at_the_other_pages() -> None:
    test = door(REA).run()
    test.switch_page("components/pages/compare.py").run()
    assert "Your role is reader" in test.info[0].value
    test.switch_page("components/pages/gallery.py").run()
    assert not test.exception
    assert test.title[0].value == "Gallery"
    assert not test.info


def test_the_third_call_of_a_minute_is_refused_and_told_when_to_come_again() -> None:
    test = door(ADA, tool="web_search", q="harbour dues").run()
    until_settled(test)
    for query in ("lighthouse", "tide"):
        test.text_input(key="q1").set_value(query)
        test.button(key="FormSubmitter:search-Search").click().run()
        until_settled(test)
    (said,) = [warning.value for warning in test.warning]
    assert "2 calls within a minute" in said
    assert "Try again in" in said
    assert [call.query for call in recorded()] == ["lighthouse", "harbour dues"]
    assert test.query_params["q"] == "lighthouse", "an address is reproduced by who opens it: it names what was run"


def test_the_calls_of_another_process_count_too() -> None:
    from webcards.contract.events import call_event

    for number in range(2):
        record().start(call_event(f"c{number}", "web_search", {"query": "dues"}), source="app", user=ADA)
    test = door(ADA, tool="web_search", q="harbour dues").run()
    assert "2 calls within a minute" in test.warning[0].value
    assert len(recorded()) == 2


def test_the_limits_hold_where_calls_are_made_without_the_run_page() -> None:
    def script() -> None:
        import streamlit as st

        from components.live import live
        from webcards.contract import WebError

        async def search() -> str:
            return "found"

        for _number in range(3):
            try:
                st.text(live().ask(search()).result(timeout=60))
            except WebError as error:
                st.text(error.code)

    test = AppTest.from_function(script, default_timeout=60)
    test.secrets, test.user = {"auth": AUTH}, door(ADA).user
    test.run()
    assert [text.value for text in test.text] == ["found", "found", "WEB_RATE_LIMITED"]
    reader = AppTest.from_function(script, default_timeout=60)
    reader.secrets, reader.user = {"auth": AUTH}, door(REA).user
    reader.run()
    assert [text.value for text in reader.text] == ["WEB_TOOL_DISABLED"] * 3


def test_a_comparison_counts_as_the_two_calls_that_it_is() -> None:
    def compare(query: str) -> AppTest:
        test = door(ADA, q=query, left="library", right="auto")
        return test.switch_page("components/pages/compare.py").run()

    assert not compare("harbour dues").error
    assert "2 calls within a minute" in compare("lighthouse").error[0].value


def test_on_this_machine_alone_there_is_no_limit() -> None:
    live()
    test = door(auth=None).run()
    for query in ("dues", "tide", "storm"):
        test.text_input(key="q1").set_value(query)
        test.button(key="FormSubmitter:search-Search").click().run()
        until_settled(test)
    assert not test.warning
    assert len(recorded()) == 3


def test_an_app_that_is_open_to_everyone_counts_them_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_SERVE_OPEN", "1")
    load_settings.cache_clear()
    test = door(auth=None).run()
    for query in ("dues", "tide", "storm"):
        test.text_input(key="q1").set_value(query)
        test.button(key="FormSubmitter:search-Search").click().run()
        until_settled(test)
    assert "2 calls within a minute" in test.warning[0].value
    assert [call.person for call in recorded()] == [None, None]


def test_who_comes_through_a_proxy_finds_no_app_that_is_for_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(st.context), "ip_address", property(lambda _: "203.0.113.7"))
    test = door(auth=None, tool="web_search", q="tide").run()
    assert "You came by a proxy" in html(test)
    assert not test.title
    assert recorded() == []


def test_the_door_speaks_chinese() -> None:
    assert buttons(door(lang="zh").run()) == ["登录"]


def test_a_reader_sees_the_marks_of_the_gallery_and_sets_none() -> None:
    with record().writing() as connection:
        set_mark(connection, Mark("sources-1", __version__, "fail", "the date is cut", ADA, 1))
    test = door(REA, view="checklist")
    test.switch_page("components/pages/gallery.py").run()
    assert not test.exception
    assert "the date is cut" in html(test)
    assert any("Your role is reader" in info.value for info in test.info)
    assert not {"Pass", "Fail", "Skip", "Begin anew"} & set(buttons(test))


def test_a_mark_of_somebody_who_became_a_reader_meanwhile_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    test = door(ADA, view="checklist")
    test.switch_page("components/pages/gallery.py").run()
    passed = next(button for button in test.button if button.label == "Pass")
    monkeypatch.setenv("WEBCARDS_READERS", f"{REA},{ADA}")
    load_settings.cache_clear()
    passed.click().run()
    assert not test.exception
    with record().reading() as connection:
        assert list_marks(connection, __version__) == {}
