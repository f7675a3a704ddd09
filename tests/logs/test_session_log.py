"""The contract's own session logs: order, pairing, what is missing, and what is damaged."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from tests.logs.made import HEAD, SOURCE, call, fetch, line, result, search
from webcards import logs
from webcards.contract.meta import Refusal
from webcards.contract.views import WebFetchResultView, WebSearchResultView


def _read(data: bytes) -> tuple[list[logs.LoggedCall], list[logs.LogProblem]]:
    items = list(logs.read_log(data))
    calls = [item for item in items if isinstance(item, logs.LoggedCall)]
    return calls, [item for item in items if isinstance(item, logs.LogProblem)]


def test_calls_come_in_the_order_in_which_they_began_not_in_which_they_ended() -> None:
    meta = {"sources": [], "truncated": False}
    data = HEAD + call("c1") + call("c2") + result("c2", meta=meta) + result("c1", meta=meta)
    calls, _ = _read(data)
    assert [item.call_id for item in calls] == ["c1", "c2"]
    assert not any(item.unfinished for item in calls)


def test_a_reused_id_is_another_call_and_takes_nothing_from_the_first() -> None:
    calls, _ = _read(HEAD + search("c1", queries=["first"]) + search("c1", [], queries=["second"]))
    assert [logs.title_of(item) for item in calls] == ["first", "second"]
    assert [len(view.sources) for item in calls if isinstance(view := logs.view_of(item), WebSearchResultView)] == [
        1,
        0,
    ]


def test_a_second_result_for_a_settled_call_still_shows() -> None:
    calls, _ = _read(HEAD + search("c1") + result("c1", "again", {"sources": [], "truncated": False}))
    assert [item.call_id for item in calls] == ["c1", "c1"]
    assert calls[1].args is UNSET
    assert calls[1].notes


def test_calls_and_results_of_other_tools_are_no_web_calls() -> None:
    data = HEAD + call("b1", "bash", {"command": "ls"}) + result("b1", "web_search web_fetch") + fetch("c1")
    calls, problems = _read(data)
    assert [item.call_id for item in calls] == ["c1"]
    assert problems == []


def test_a_result_without_its_call_shows_and_its_meta_says_which_tool_it_was() -> None:
    meta = {"url": "https://d.example/", "statusCode": 404, "truncated": False}
    calls, _ = _read(HEAD + result("x", "body", meta) + result("y", "other words"))
    assert [item.tool for item in calls] == ["web_fetch", "unknown"]
    assert isinstance(logs.view_of(calls[0]), WebFetchResultView)
    assert [item.result.text for item in calls if item.result] == ["body", "other words"]


def test_an_error_keeps_its_name_its_code_and_its_words() -> None:
    calls, _ = _read(HEAD + call("c1") + result("c1", "Error: no network", code="WEB_PROVIDER_ERROR"))
    assert calls[0].error == logs.LoggedError("WebError", "WEB_PROVIDER_ERROR", "Error: no network")
    assert logs.explain(calls[0]) == Refusal("$.isError", "the call failed: an error has no card")


def test_a_bad_meta_says_where_it_is_bad() -> None:
    meta = {"sources": [SOURCE, {"url": 3}], "truncated": False}
    calls, _ = _read(HEAD + call("c1") + result("c1", meta=meta))
    assert logs.explain(calls[0]) == Refusal("$.sources[1].url", "expected str, got int")


def test_a_bad_line_costs_that_line_only_and_is_named_by_line_and_column() -> None:
    calls, problems = _read(HEAD + search("c1") + b'{"type": "tool/call", oops}\n' + search("c2"))
    assert [item.call_id for item in calls] == ["c1", "c2"]
    assert [(problem.line, problem.column) for problem in problems] == [(4, 23)]


def test_a_last_line_that_is_cut_off_is_said_to_be_cut_off() -> None:
    calls, problems = _read(HEAD + call("c1") + result("c1")[:-20])
    assert calls[0].unfinished
    assert "cut off" in problems[0].message
    assert problems[0].line == 3


def test_records_that_a_lost_line_break_glued_together_are_all_there() -> None:
    calls, problems = _read(HEAD + (call("c1") + result("c1", "one")).replace(b"\n", b"") + b"\n" + search("c2"))
    assert [(item.call_id, item.unfinished) for item in calls] == [("c1", False), ("c2", False)]
    assert problems == []
    assert any("one line with another record" in note for note in calls[0].notes)


def test_a_record_that_was_written_behind_half_of_another_is_there_and_the_half_is_a_problem() -> None:
    half = result("c1", "one").rstrip(b"\n")[:60]
    calls, problems = _read(HEAD + call("c1") + half + search("c2") + search("c3"))
    assert [(item.call_id, item.unfinished) for item in calls] == [("c1", True), ("c2", False), ("c3", False)]
    assert [(problem.line, "cut off" in problem.message) for problem in problems] == [(3, True)]


def test_nothing_inside_a_broken_record_passes_for_one() -> None:
    inner = b'{"type": "tool/result", "data": {"inner": {"type": "tool/call", "data": {"callId": "x", "name": "web_search"}}'
    calls, problems = _read(HEAD + inner + b"\n" + search("c2"))
    assert [item.call_id for item in calls] == ["c2"]
    assert len(problems) == 1


def test_nul_bytes_before_a_record_do_not_hide_it() -> None:
    calls, _ = _read(HEAD + b"\0" * 100 + search("c1") + b"\0" * 64 + b"\n" + search("c2"))
    assert [item.call_id for item in calls] == ["c1", "c2"]


@pytest.mark.parametrize("text", ["one\u2028two", "one\u0085two", "one\x0btwo", "one\x1ctwo"])
def test_lines_end_at_line_feeds_and_nowhere_else(text: str) -> None:
    calls, problems = _read(HEAD + call("c1") + result("c1", text))
    assert calls[0].result is not None
    assert calls[0].result.text == text
    assert problems == []


def test_windows_line_ends_change_nothing() -> None:
    calls, problems = _read((HEAD + search("c1")).replace(b"\n", b"\r\n"))
    assert [item.call_id for item in calls] == ["c1"]
    assert problems == []


def test_half_a_surrogate_pair_is_replaced_and_noted() -> None:
    data = HEAD + call("c1") + result("c1", "ab").replace(b'"ab"', b'"a\\ud83d"')
    calls, _ = _read(data)
    assert calls[0].result is not None
    assert calls[0].result.text == "a\ufffd"
    assert any("surrogate" in note for note in calls[0].notes)


def test_events_in_a_wrapper_are_read_as_they_are_without_it() -> None:
    rows = [json.loads(row) for row in (HEAD + search("c1")).splitlines()]
    data = b"".join(line({"type": "session_event", "sessionId": "s", "event": row}) for row in rows)
    calls, _ = _read(data)
    assert [item.call_id for item in calls] == ["c1"]
    assert logs.view_of(calls[0]) is not None


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (",  ", ":  ")])
def test_the_spelling_of_the_json_makes_no_difference(separators: tuple[str, str]) -> None:
    rows = [
        json.loads(row) for row in (HEAD + call("b", "bash") + result("b") + search("c1") + fetch("c2")).splitlines()
    ]
    data = "".join(json.dumps(row, separators=separators) + "\n" for row in rows).encode()
    assert [item.call_id for item in _read(data)[0]] == ["c1", "c2"]
    turned = "".join(json.dumps(dict(reversed(row.items())), separators=separators) + "\n" for row in rows).encode()
    assert [item.call_id for item in _read(HEAD + turned)[0]] == ["c1", "c2"]


def _spoken(call_id: str, kind: str) -> bytes:
    where = {"turn": 1, "step": 1}
    block = {"type": "tool-call", "id": call_id, "name": "web_search", "arguments": '{"query": "tides"}'}
    data: dict[str, Any]
    if kind == "assistant/chunk":
        data = {**where, "chunk": {"type": "block-end", "index": 0, "block": block}}
    elif kind == "assistant/message":
        data = {**where, "message": {"role": "assistant", "content": [block], "id": "m"}, "sourceEventSeqs": [1]}
    else:
        data = {**where, "index": 1, "id": call_id, "name": "web_search", "args": ['{"query":', ' "tides"}']}
    return line({"type": kind, "seq": 1, "time": 2, "data": data})


@pytest.mark.parametrize("kind", ["assistant/chunk", "assistant/message", "tool-call-chunks"])
def test_a_call_that_only_the_model_wrote_shows_as_unfinished(kind: str) -> None:
    calls, _ = _read(HEAD + _spoken("c1", kind))
    assert [(item.call_id, item.unfinished, logs.title_of(item)) for item in calls] == [("c1", True, "tides")]


def test_a_call_that_the_model_wrote_and_the_log_has_is_one_call() -> None:
    spoken = _spoken("c1", "tool-call-chunks") + _spoken("c1", "assistant/chunk") + _spoken("c1", "assistant/message")
    calls, _ = _read(HEAD + spoken + search("c1") + _spoken("c1", "assistant/message"))
    assert [item.call_id for item in calls] == ["c1"]
    assert not calls[0].unfinished


def test_the_oldest_logs_keep_content_and_id_beside_each_other() -> None:
    old = line(
        {
            "type": "tool/result",
            "data": {"callId": "c1", "isError": False, "content": [{"type": "text", "text": "old"}]},
        }
    )
    calls, _ = _read(HEAD + call("c1") + old)
    assert calls[0].result is not None
    assert calls[0].result.text == "old"


def test_a_million_waiting_calls_are_given_out_before_they_fill_the_memory() -> None:
    from webcards.logs.pairing import MAX_WAITING

    count = MAX_WAITING * 3
    data = HEAD + b"".join(call(f"c{number}") for number in range(count))
    seen = list(logs.read(data))
    assert [item.call_id for item in seen] == [f"c{number}" for number in range(count)]
    assert all(item.unfinished for item in seen)


def test_the_records_lead_back_to_the_very_bytes_of_the_call() -> None:
    data = b"\xef\xbb\xbf" + HEAD + search("ç1") + b"garbage\n" + fetch("c2")
    for item in logs.read(data):
        for position, raw in zip(item.records, item.raw, strict=True):
            assert data[position.offset : position.offset + position.length] == raw
            assert data[: position.offset].count(b"\n") + 1 == position.line


def _other(call_id: str, step: int = 1, size: int = 300) -> bytes:
    return call(call_id, "bash", {"command": "ls"}, step) + result(call_id, "x" * size, step=step)


def _large(*parts: bytes, before: bytes = b"") -> bytes:
    """The parts in the middle of a log that is long enough to be read in several blocks."""
    filler = b"".join(_other(f"b{number}") for number in range(800))
    return HEAD + filler + b"".join(parts) + filler.replace(b'"b', b'"e')


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        (b'"tool/call"', b'"tool\\/call"'),
        (b'"tool/result"', b'"tool\\/result"'),
        (b'"tool/call"', b'"tool\\u002fcall"'),
        (b'"tool/call"', b'"\\u0074ool/call"'),
        (b'"type"', b'"\\u0074ype"'),
        (b'"web_search"', b'"web\\u005fsearch"'),
        (b'"callId"', b'"call\\u0049d"'),
        (b'{"type": ', b'{ "type" :  '),
        (b'"data": {', b'"data": {"details": {"callId": "b9", "name": "bash"}, '),
    ],
)
def test_no_spelling_that_json_allows_hides_a_call_among_many_others(written: bytes, spelled: bytes) -> None:
    spelled_otherwise = search("c1").replace(written, spelled)
    assert spelled in spelled_otherwise
    for compact in (False, True):
        data = _large(spelled_otherwise, fetch("c2"))
        calls, problems = _read(data.replace(b'": ', b'":').replace(b', "', b',"') if compact else data)
        assert [(item.call_id, item.unfinished) for item in calls] == [("c1", False), ("c2", False)]
        assert problems == []


def test_an_event_with_several_results_loses_none_of_them() -> None:
    event = json.loads(result("c1", meta={"sources": [], "truncated": False}))
    part = event["data"]["message"]["content"][0]
    event["data"]["message"]["content"] = [{**part, "toolCallId": "b0"}, part]
    del event["data"]["message"]["source"]
    data = HEAD + call("b0", "bash") + call("c1") + line(event) + _other("b1") + fetch("c2")
    assert [(item.call_id, item.unfinished) for item in _read(data)[0]] == [("c1", False), ("c2", False)]


def test_an_id_of_no_letters_is_an_id() -> None:
    calls, _ = _read(HEAD + _other("b1") + search("") + fetch("c2"))
    assert [(item.call_id, item.unfinished) for item in calls] == [("", False), ("c2", False)]


def test_ids_of_other_tools_that_come_again_stay_those_of_other_tools() -> None:
    twice = call("b1", "bash") + call("b1", "bash") + result("b1") + result("b1")
    calls, _ = _read(HEAD + twice * 3 + search("c1") + twice)
    assert [item.call_id for item in calls] == ["c1"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_call_that_only_a_piece_of_a_long_log_tells_is_found_with_any_line_ends(end: bytes) -> None:
    compact = _spoken("c1", "assistant/chunk").replace(b'": ', b'":').replace(b', "', b',"')
    calls, problems = _read(_large(compact, _other("b")).replace(b"\n", end))
    assert [(item.call_id, item.unfinished) for item in calls] == [("c1", True)]
    assert problems == []


def test_a_damaged_line_of_a_long_log_is_named_by_its_number() -> None:
    data = _large(search("c1"), b'{"type":"tool/result","data":{"message":\n', fetch("c2"))
    calls, problems = _read(data)
    number = data[: data.index(b'"message":\n')].count(b"\n") + 1
    assert [item.call_id for item in calls] == ["c1", "c2"]
    assert [problem.line for problem in problems] == [number]


def test_lines_shorter_than_eight_bytes_do_not_shift_the_numbers_of_those_after_them() -> None:
    data = _large(b"\n\n{}\n\n1\n" * 50 + search("c1"))
    item = next(iter(logs.read(data)))
    assert data[: item.position.offset].count(b"\n") + 1 == item.position.line
    assert data[item.position.offset :].startswith(call("c1")[:-1])
