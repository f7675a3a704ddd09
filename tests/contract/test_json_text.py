"""What is written as JSON is read by every reader of JSON: strictly, and as UTF-8."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given

from tests.contract.json_values import any_json
from webcards.contract import args_of_event, call_event, json_text, present_fields, sound_json


@given(any_json)
def test_any_json_is_written_so_that_a_strict_reader_takes_it(value: Any) -> None:
    text = json_text(value)
    text.encode("utf-8")
    assert "\n" not in text
    json.loads(text, parse_constant=pytest.fail)
    msgspec.json.decode(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 2.5, None, True, "港"]}, '{"a":[1,2.5,null,true,"港"]}'),
        ({"a\ud83d": "\udc00x", "n": [float("nan"), float("inf")]}, '{"a\ufffd":"\ufffdx","n":[null,null]}'),
        (
            {"a": "\ud83d", "n": 10**30, "f": float("-inf")},
            '{"a":"\ufffd","n":1000000000000000000000000000000,"f":null}',
        ),
        ({1: "\ud83d", "t": ("x",)}, '{"1":"\ufffd","t":["x"]}'),
        ({"a": object}, '{"a":"<class \'object\'>"}'),
    ],
)
def test_what_json_cannot_hold_is_replaced_and_nothing_else(value: Any, text: str) -> None:
    assert json_text(value) == text


def test_what_is_nested_beyond_reach_is_left_out() -> None:
    value: Any = "end"
    for _ in range(100_000):
        value = [value]
    assert json_text(value) == "[" * 300 + "null" + "]" * 300
    assert sound_json({"a": {"b": {"c": 1}}}, 2) == {"a": {"b": None}}


def test_a_call_s_arguments_are_sound_json_whatever_the_args_hold() -> None:
    event = present_fields(call_event("c", "web_search", {"query": "x\ud83d", "max_results": float("nan")}))
    assert event["data"]["arguments"] == '{"query": "x\ufffd", "max_results": null}'  # type: ignore[index]
    assert args_of_event(event) == {"query": "x\ufffd", "max_results": None}
