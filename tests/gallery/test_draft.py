"""A result that is edited: every state survives becoming a draft, and a draft becomes a test case that the suite takes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from components.gallery.case_file import case_file
from components.gallery.catalogue import states
from components.gallery.draft import Draft, draft_of, draft_of_state, outcome, read_draft, refused_line, wire_events
from components.gallery.json_text import Fault
from components.gallery.state import State
from tests.components.test_cases_card_render import Drawn, check
from tests.shared import ROOT
from webcards.contract import Refusal, ToolResult, WebSearchResultView, args_of_event, result_of_event
from webcards.tools.presenters import explain

SETTLED = [pytest.param(state, id=state.id) for state in states().values() if state.build is not None]
GOOD = states()["sources-3"]


@pytest.mark.parametrize("state", SETTLED)
def test_a_state_means_the_same_as_a_draft(state: State) -> None:
    draft = draft_of_state(state)
    reading = read_draft(draft)
    assert reading.faults == {}
    assert outcome(draft, reading) == explain(state.tool, state.args, state.result)


@pytest.mark.parametrize("state", SETTLED)
def test_the_wire_events_of_a_state_carry_its_args_and_its_result(state: State) -> None:
    draft = draft_of_state(state)
    reading = read_draft(draft)
    call, settled = wire_events(draft, reading)
    assert args_of_event(call) == state.args
    read_back = result_of_event(settled)
    if isinstance(state.result, dict):
        assert read_back.text == ToolResult.from_json(state.result).text
    assert explain(state.tool, state.args, read_back) == explain(state.tool, state.args, state.result)


def test_a_running_call_has_one_event_and_no_outcome() -> None:
    draft = draft_of_state(states()["running-search"])
    reading = read_draft(draft)
    assert [event["type"] for event in wire_events(draft, reading)] == ["tool/call"]
    assert outcome(draft, reading) is None
    assert case_file("x", "", draft, reading, None) is None


def test_an_empty_meta_is_no_meta_and_null_is_null() -> None:
    draft = draft_of_state(GOOD)
    without = msgspec.structs.replace(draft, meta="  ")
    assert "meta" not in read_draft(without).result
    assert str(outcome(without, read_draft(without))).startswith("$.meta: absent")
    null = msgspec.structs.replace(draft, meta="null")
    assert read_draft(null).result["meta"] is None


def test_a_part_that_is_no_json_is_named_and_nothing_is_drawn() -> None:
    draft = msgspec.structs.replace(draft_of_state(GOOD), meta='{"sources": [', args="[")
    reading = read_draft(draft)
    assert set(reading.faults) == {"meta", "args"}
    assert all(isinstance(fault, Fault) for fault in reading.faults.values())
    assert outcome(draft, reading) is None


def test_the_line_of_a_refused_field_is_found_in_the_text() -> None:
    draft = draft_of_state(states()["search-meta-source-title-number"])
    refusal = outcome(draft, read_draft(draft))
    assert isinstance(refusal, Refusal)
    line = refused_line(draft, refusal)
    assert draft.meta.splitlines()[line - 1].strip() == '"title": 2026'


def test_an_error_is_not_blamed_on_a_line_of_the_meta() -> None:
    draft = draft_of_state(states()["error-with-good-meta"])
    refusal = outcome(draft, read_draft(draft))
    assert isinstance(refusal, Refusal)
    assert refused_line(draft, refusal) == 0


def test_a_flag_makes_an_error_of_a_good_result() -> None:
    draft = msgspec.structs.replace(draft_of_state(GOOD), failed=True, error="WEB_ABORTED")
    reading = read_draft(draft)
    assert reading.result["error"]["code"] == "WEB_ABORTED"
    assert isinstance(outcome(draft, reading), Refusal)


@pytest.mark.parametrize("state", SETTLED)
def test_the_facts_taken_from_a_card_hold_for_that_card(state: State) -> None:
    draft = draft_of_state(state)
    case = case_file("x", "", draft, read_draft(draft), None)
    assert case is not None
    drawn = Drawn(case["input"])
    for fact, value in case["expect"].items():
        check(drawn, fact, value)


def run_cases(folder: Path) -> subprocess.CompletedProcess[str]:
    """The suite's own run of a folder of cases."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/components/test_cases_card_render.py",
    ]
    env = {**os.environ, "WEBCARDS_CASES": str(folder)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=150)


def downloaded(case: dict[str, Any] | None) -> bytes:
    """A case as the file that the page offers."""
    return json.dumps(case, indent=1).encode()


def test_the_suite_takes_the_cases_as_they_are_and_fails_one_that_promises_too_much(tmp_path: Path) -> None:
    for name in (
        "sources-3",
        "search-meta-source-title-number",
        "script-lone-surrogate",
        "error-hostile",
        "page-truncated",
    ):
        state = states()[name]
        draft = draft_of_state(state)
        case = case_file(state.id, state.look, draft, read_draft(draft), state)
        (tmp_path / f"{name}.json").write_bytes(downloaded(case))
    run = run_cases(tmp_path)
    assert "5 passed" in run.stdout, run.stdout

    changed = draft_of("web_search", {"query": "dues"}, {**GOOD.result, "meta": {"sources": [], "truncated": False}})
    case = case_file("changed", "", changed, read_draft(changed), None)
    assert case is not None
    case["expect"]["numbers"] = [1]
    (tmp_path / "changed.json").write_bytes(downloaded(case))
    run = run_cases(tmp_path)
    assert "1 failed, 5 passed" in run.stdout, run.stdout


def test_a_result_that_is_no_object_is_content_as_it_is() -> None:
    draft = draft_of("web_fetch", None, 42)
    assert draft == Draft("web_fetch", "", content="42")
    assert Drawn({"tool": "web_fetch", "args": None, "result": read_draft(draft).result}).text.count("42") == 1


def test_a_view_that_is_refused_after_a_change_is_drawn_again_after_the_next() -> None:
    draft = draft_of_state(GOOD)
    broken = msgspec.structs.replace(draft, meta=draft.meta.replace('"truncated": false', '"truncated": 0'))
    assert str(outcome(broken, read_draft(broken))) == "$.truncated: expected bool, got int"
    assert isinstance(outcome(draft, read_draft(draft)), WebSearchResultView)
