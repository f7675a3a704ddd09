"""Passing over other events undecoded finds the very calls that decoding every line finds, wherever blocks are cut."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.logs.made import HEAD, SOURCE, call, fetch, line, result, search
from webcards import logs
from webcards.contract.views import WebSearchResultView
from webcards.logs import blocks


def _events(rng: random.Random, number: int) -> list[dict[str, Any]]:
    """One step: a call of some tool with its result, its result alone, words, or another event."""
    where = {"turn": 1, "step": number}
    call_id = f"c{rng.randrange(number + 1)}"
    name = rng.choice(("bash", "read_file", "web_search", "web_fetch", "mcp__exa__web_search_exa"))
    called = {"type": "tool/call", "seq": number, "data": {**where, "callId": call_id, "name": name, "arguments": "{}"}}
    part = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": "x" * rng.randrange(400)}],
    }
    message: dict[str, Any] = {"source": {"kind": "tool", "callId": call_id}, "content": [part], "role": "user"}
    if rng.random() < 0.2:
        del message["source"]
    meta = {"meta": {"sources": [SOURCE], "truncated": False}} if rng.random() < 0.5 else {}
    answered = {"type": "tool/result", "seq": number, "data": {**where, "message": message, **meta}}
    block = {"type": "tool-call", "id": f"s{number}", "name": name, "arguments": "{}"}
    others: list[list[dict[str, Any]]] = [
        [called, answered],
        [called, answered],
        [called],
        [answered],
        [{"type": "assistant/chunk", "data": {**where, "chunk": {"type": "text-delta", "index": 1, "text": "tide"}}}],
        [{"type": "assistant/chunk", "data": {**where, "chunk": {"type": "block-end", "index": 1, "block": block}}}],
        [{"type": "assistant/message", "data": {**where, "message": {"role": "assistant", "content": [block]}}}],
        [{"type": "tool-call-chunks", "data": {**where, "id": f"s{number}", "name": name, "args": ["{", "}"]}}],
        [{"type": "session", "version": 0, "id": f"part{number}", "createdAt": 1}],
        [{"type": "session_event", "sessionId": "s", "event": called}],
        [{"type": "step/end", "data": where}],
    ]
    return rng.choice(others)


def _written(rng: random.Random, event: dict[str, Any]) -> bytes:
    """An event in one of the spellings that writers have, sometimes damaged, sometimes with nothing on a line."""
    if rng.random() < 0.1:
        event = dict(reversed(event.items()))
    separators = rng.choice(((",", ":"), (",", ":"), (", ", ": "), (",  ", ":  ")))
    text = json.dumps(event, separators=separators)
    if rng.random() < 0.1:
        text = text.replace("tool/", rng.choice(("tool\\/", "tool\\u002f", "\\u0074ool/")))
    ends = rng.choice(("\n", "\n", "\n", "\r\n", "\n\n", "\n{}\n"))
    return (text + ends).encode()


def _made(seed: int) -> bytes:
    rng = random.Random(seed)
    steps = [event for number in range(rng.randrange(1, 60)) for event in _events(rng, number)]
    data = HEAD + b"".join(_written(rng, event) for event in steps)
    return data[:-1] if rng.random() < 0.3 else data


def _told(call: logs.LoggedCall) -> Any:
    return call.call_id, call.tool, call.position, call.records, call.raw, call.unfinished, logs.explain(call)


@pytest.mark.parametrize("size", [256, 1_000, 1 << 16])
@given(seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_reading_past_other_events_gives_the_very_calls_that_reading_all_gives(size: int, seed: int) -> None:
    data = _made(seed)
    whole = [item for item in logs.read_log(data) if isinstance(item, logs.LoggedCall)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "FIRST", size)
        patch.setattr(blocks, "BLOCK", size)
        assert [_told(call) for call in logs.read(data)] == [_told(call) for call in whole]


def test_a_line_of_another_event_that_is_no_object_is_reported_and_one_damaged_inside_is_not() -> None:
    other = line({"type": "step/end", "data": {"turn": 1}})
    cut, spoilt = other[:-4] + b"\n", other.replace(b'"turn"', b"turn")
    items = list(logs.read_log(HEAD + other * 40 + cut + spoilt + other, answers=False))
    problems = [item for item in items if isinstance(item, logs.LogProblem)]
    assert [problem.line for problem in problems][:1] == [42]
    assert not any(problem.line == 43 for problem in problems)


@pytest.mark.parametrize("answers", [True, False])
def test_an_id_that_every_step_uses_anew_gives_no_call_the_result_of_another(answers: bool) -> None:
    other = call("call_0", "bash", {"command": "ls"})
    data = (
        HEAD + other + result("call_0", "files") + search("call_0", queries=["tides"]) + other + result("call_0", "ls")
    )
    data += other + search("call_0", [], queries=["dues"]) + other + fetch("call_0", "https://d.example/", 404)
    calls = [item for item in logs.read_log(data, answers=answers) if isinstance(item, logs.LoggedCall)]
    assert [(logs.title_of(item), item.unfinished) for item in calls] == [
        ("tides", False),
        ("dues", False),
        ("https://d.example/", False),
    ]
    assert [len(view.sources) for item in calls if isinstance(view := logs.view_of(item), WebSearchResultView)] == [
        1,
        0,
    ]
    assert calls[2].result is not None
    assert calls[2].result.text == "Fetched https://d.example/ (HTTP 404)\n\nHi"
