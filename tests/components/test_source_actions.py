"""Each click on a source's button is handled once, however many come between two runs of the page."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.source_actions import new_clicks


def told(page: str, *clicks: tuple[int, str, int]) -> str:
    return json.dumps({"page": page, "clicks": clicks})


def test_clicks_between_two_runs_are_all_there_and_none_comes_twice() -> None:
    new, handled = new_clicks(told("p", (1, "c1", 4)), ("", 0))
    assert new == [("c1", 4)]
    new, handled = new_clicks(told("p", (1, "c1", 4), (2, "c1", 5), (3, "c2", 1)), handled)
    assert new == [("c1", 5), ("c2", 1)]
    assert new_clicks(told("p", (1, "c1", 4), (2, "c1", 5), (3, "c2", 1)), handled) == ([], handled)


def test_a_page_that_is_loaded_anew_counts_anew() -> None:
    assert new_clicks(told("q", (1, "c1", 2)), ("p", 7)) == ([("c1", 2)], ("q", 1))


@pytest.mark.parametrize("said", [None, 3, "", "{}", "[1]", '{"page":"p","clicks":[[1]]}', '{"page":"p","clicks":3}'])
def test_what_is_no_click_is_none(said: object) -> None:
    assert new_clicks(said, ("p", 3)) == ([], ("p", 3))


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), max_size=8))
def test_every_click_is_handled_exactly_once(runs: list[list[int]]) -> None:
    clicks: list[tuple[int, str, int]] = []
    handled, seen = ("", 0), []
    for numbers in runs:
        clicks += [(len(clicks) + place, "c", number) for place, number in enumerate(numbers, 1)]
        new, handled = new_clicks(told("p", *clicks), handled)
        seen += [number for _card, number in new]
    assert seen == [number for _count, _card, number in clicks]
