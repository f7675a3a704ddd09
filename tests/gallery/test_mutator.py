"""The malformed metas around a good one: each is refused where it was changed, the harmless ones are drawn, nothing raises."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.gallery.breaking import grid, how_in_words, origins
from components.gallery.catalogue import states
from components.gallery.mutator import Verdict, expected_to_fall_back, mutations, verdicts
from components.gallery.state import State

GOOD = [pytest.param(state, id=state.id) for state in states().values() if state.expect.get("card") == "web"]
SOURCE = {"url": "https://a.example/", "title": "A", "snippet": "S", "publishedAt": "2026-11-12"}
META = {"sources": [SOURCE, SOURCE, SOURCE], "truncated": False, "answer": "Yes."}


def changed(tool: str = "web_search", meta: Any = META) -> list[Verdict]:
    return verdicts(tool, None, {"content": [], "isError": False, "meta": meta})


@pytest.mark.parametrize("state", GOOD)
def test_every_change_of_a_good_state_ends_as_the_contract_says(state: State) -> None:
    found = verdicts(state.tool, state.args, state.result)
    assert len(found) > 20
    wrong = [
        (verdict.mutation.how, verdict.mutation.path, str(verdict.refusal))
        for verdict in found
        if (expected := expected_to_fall_back(state.tool, verdict.mutation)) is not None
        and expected != (verdict.refusal is not None)
    ]
    assert wrong == []


def test_a_refusal_names_the_very_place_that_was_changed() -> None:
    for verdict in changed():
        if verdict.mutation.how in ("removed", "null", "type") and verdict.refusal is not None:
            assert verdict.refusal.path == verdict.mutation.path


def test_each_field_is_removed_nulled_and_given_each_wrong_type() -> None:
    seen = {(verdict.mutation.how, verdict.mutation.path) for verdict in changed()}
    for field in ("url", "title", "snippet", "publishedAt"):
        for how in ("removed", "null", "type", "deep", "huge"):
            assert (how, f"$.sources[0].{field}") in seen
    for field in ("sources", "truncated", "answer"):
        assert {how for how, path in seen if path == f"$.{field}"} >= {"removed", "null", "type", "deep"}
    assert {how for how, _path in seen} == {"removed", "null", "type", "extra", "deep", "huge", "whole"}


def test_of_a_long_list_the_first_and_the_last_source_are_changed() -> None:
    meta = {"sources": [SOURCE] * 50, "truncated": False}
    paths = {mutation.path for mutation in mutations(meta)}
    assert "$.sources[0].url" in paths
    assert "$.sources[49].url" in paths
    assert "$.sources[7].url" not in paths


def test_the_meta_itself_is_left_as_it_was() -> None:
    before = {"sources": [dict(SOURCE)], "truncated": False}
    list(mutations(before))
    assert before == {"sources": [SOURCE], "truncated": False}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["sources", "url", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=40)
@given(JSON)
def test_any_meta_can_be_broken_further_without_a_fault(meta: Any) -> None:
    for tool in ("web_search", "web_fetch", "unknown"):
        for verdict in changed(tool, meta):
            assert how_in_words(verdict.mutation)


def test_the_grid_has_a_row_for_each_change_and_shows_it_as_text() -> None:
    meta = {"sources": [{"url": "https://a.example/", "<b>x</b>": 1}], "truncated": False}
    found = changed(meta=meta)
    html = grid(origins()["sources-3"], list(enumerate(found)))
    assert html.count("<tr>") == len(found) + 1
    assert "<b>x</b>" not in html
    assert "$.sources[0].&lt;b&gt;x&lt;/b&gt;" in html
