"""Events are what stands in a log: they read back to the args and the result that they were made from."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec import UNSET

from tests.contract.json_values import any_json
from webcards.contract import (
    ErrorData,
    ToolResult,
    WebError,
    args_of_event,
    call_event,
    present_fields,
    result_event,
    result_of_event,
)


def test_a_call_event_has_its_arguments_as_json_text() -> None:
    event = present_fields(call_event("c1", "web_search", {"queries": ["港"]}, time=5))
    assert event == {
        "type": "tool/call",
        "data": {"callId": "c1", "name": "web_search", "arguments": '{"queries": ["港"]}', "turn": 1, "step": 1},
        "time": 5,
    }
    assert args_of_event(event) == {"queries": ["港"]}


def test_a_result_event_has_the_shape_of_the_wire() -> None:
    event = present_fields(result_event("c1", "text", meta={"a": 1}, details={"ms": 2}, time=7))
    assert event == {
        "type": "tool/result",
        "data": {
            "turn": 1,
            "step": 1,
            "message": {
                "role": "user",
                "source": {"kind": "tool", "callId": "c1"},
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "content": [{"type": "text", "text": "text"}],
                        "isError": False,
                    }
                ],
            },
            "meta": {"a": 1},
            "details": {"ms": 2},
        },
        "time": 7,
    }
    assert result_of_event(json.loads(json.dumps(event))) == ToolResult(
        [{"type": "text", "text": "text"}], False, {"a": 1}
    )


def test_an_error_event_carries_its_code() -> None:
    event = result_event("c1", "Error: no", error=ErrorData("WebError", "WEB_ABORTED"))
    assert event.result.is_error
    assert present_fields(event)["data"]["error"] == {"name": "WebError", "code": "WEB_ABORTED"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("data", "args"),
    [
        ({"arguments": {"url": "x"}}, {"url": "x"}),
        ({"arguments": '{"url": "x"}'}, {"url": "x"}),
        ({"arguments": '{"url": "x'}, None),
        ({"arguments": "[" * 100_000}, None),
        ({}, None),
        ([], None),
    ],
)
def test_arguments_are_read_in_every_form_that_logs_have(data: Any, args: Any) -> None:
    assert args_of_event({"type": "tool/call", "data": data}) == args


def test_the_oldest_logs_have_the_content_in_the_data_itself() -> None:
    event = {
        "type": "tool/result",
        "data": {"callId": "c", "content": [{"type": "text", "text": "old"}], "isError": True},
    }
    read = result_of_event(event)
    assert (read.text, read.is_error, read.meta) == ("old", True, UNSET)


@given(any_json)
def test_no_event_makes_a_reader_raise(event: Any) -> None:
    assert isinstance(result_of_event(event), ToolResult)
    args_of_event(event)
    args_of_event({"data": {"arguments": event}})


def test_an_error_keeps_its_code_through_another_process() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(WebError("WEB_RATE_LIMITED", "Wait.", retry_after=3.5)))
    assert (error.code, error.message, error.retry_after, str(error)) == ("WEB_RATE_LIMITED", "Wait.", 3.5, "Wait.")
