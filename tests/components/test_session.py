"""The calls of a session: the log they make reads back to the same views, and a page read in parts is one page."""

import json
from collections.abc import Iterator

import pytest
import streamlit as st

from components.session import add_call, calls, joined_details, joined_text, read_ons, session_log
from webcards import logs
from webcards.library.specimens import SPECIMENS
from webcards.settings import read_settings
from webcards.tools.opening import open_registry
from webcards.tools.registry import Execution


@pytest.fixture(autouse=True)
def fresh_session() -> Iterator[None]:
    """Each test has the session, which outside of an app is one for the process, to itself."""
    st.session_state.clear()
    yield
    st.session_state.clear()


async def executed(*asked: tuple[str, object]) -> list[Execution]:
    settings = read_settings(search_provider="library", fetch_max_chars=2_000)
    async with open_registry(settings) as registry:
        return [await registry.execute(tool, args) for tool, args in asked]


async def test_the_session_log_reads_back_to_the_same_calls_and_views() -> None:
    made = await executed(
        ("web_search", {"query": "harbour dues"}),
        ("web_search", {"queries": ["潮汐", "الميناء"], "site": "wiki.kittiwick.example"}),
        ("web_fetch", {"url": SPECIMENS["long"]}),
        ("web_fetch", {"url": SPECIMENS["hostile"]}),
        ("web_fetch", {"url": SPECIMENS["not-found"]}),
        ("web_fetch", {"url": "http://169.254.169.254/"}),
        ("web_search", {"query": "half an emoji \ud83d"}),
        ("web_fetch", "no object"),
    )
    for execution in made:
        add_call(execution)
    written = session_log()()
    read = list(logs.read(written))
    assert [call.call_id for call in read] == [execution.call.data.call_id for execution in made]
    assert [logs.view_of(call) for call in read] == [execution.view for execution in made]
    assert [call.result.text for call in read if call.result] == [execution.tool_result.text for execution in made]
    assert [call.result.is_error for call in read if call.result] == [False] * 5 + [True, False, True]
    head = json.loads(written.splitlines()[0])
    assert head["type"] == "session"
    assert head["createdAt"] > 1_700_000_000_000


async def test_a_session_without_calls_is_a_log_without_calls() -> None:
    assert list(logs.read(session_log()())) == []


async def test_a_page_read_in_parts_has_the_characters_and_the_time_of_all_its_parts() -> None:
    url = SPECIMENS["article"]
    (first,) = await executed(("web_fetch", {"url": url}))
    start = first.result.data.details["charactersKept"]
    (second,) = await executed(("web_fetch", {"url": url, "start": start}))
    for execution in (first, second):
        add_call(execution)
    assert read_ons() == {first.call.data.call_id: [second]}
    assert len(calls()) == 2
    joined = joined_details([first, second])
    parts = [execution.result.data.details for execution in (first, second)]
    assert all(isinstance(part, dict) for part in parts)
    assert joined["charactersKept"] == sum(part["charactersKept"] for part in parts)
    assert joined["charactersKept"] + joined["charactersCut"] == joined["characters"]
    assert len(joined_text([first, second])) > len(first.tool_result.text)
    assert joined_details([first]) == parts[0]
