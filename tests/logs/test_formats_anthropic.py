"""Claude Code sessions and Anthropic messages, in shapes that no recording beside the project has."""

import json
from typing import Any

from tests.logs.told import A, B, read_rows, told
from webcards import logs
from webcards.contract.views import WebSearchResultView


def _claude(kind: str, content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    role = "assistant" if kind == "assistant" else "user"
    return {
        "type": kind,
        "sessionId": "s",
        "uuid": "u",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": role, "content": content},
        **more,
    }


def test_claude_code_keeps_results_beside_the_text_and_words_between_them_are_the_answer() -> None:
    use = _claude("assistant", [{"type": "tool_use", "id": "t1", "name": "WebSearch", "input": {"query": "tides"}}])
    text = f'Web search results for query: "tides"\n\nLinks: [{{"title":"A","url":"{A}"}}]\n\nHigh at noon.\n\nREMINDER: You MUST include it.'
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    kept = {
        "query": "tides",
        "results": [{"tool_use_id": "x", "content": [{"title": "A", "url": A}]}, "High at noon."],
        "durationSeconds": 1,
    }
    native = read_rows(use, _claude("user", [block], toolUseResult=kept))
    streamed = read_rows(use, _claude("user", [block]))
    for calls in (native, streamed):
        assert [told(call) for call in calls] == [([A], "High at noon.")]
    assert native[0].time == "2026-01-01T00:00:00Z"


def test_claude_code_fetches_have_a_status_only_where_it_was_recorded() -> None:
    use = _claude(
        "assistant", [{"type": "tool_use", "id": "t1", "name": "WebFetch", "input": {"url": A, "prompt": "p"}}]
    )
    failed = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "Request failed with status code 404",
        "is_error": True,
    }
    fine = {"type": "tool_result", "tool_use_id": "t1", "content": "text"}
    kept = {"bytes": 1, "code": 200, "codeText": "OK", "result": "text", "durationMs": 2, "url": A}
    assert told(read_rows(use, _claude("user", [fine], toolUseResult=kept))[0]) == (A, 200)
    assert told(read_rows(use, _claude("user", [fine]))[0]) == (A, None)
    assert told(read_rows(use, _claude("user", [failed]))[0]) == "error"


def test_anthropic_results_switch_between_list_and_object_and_answers_follow_one_search_only() -> None:
    def use(call_id: str) -> dict[str, Any]:
        return {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {"query": call_id}}

    def found(call_id: str, *urls: str) -> dict[str, Any]:
        rows = [
            {"type": "web_search_result", "url": url, "title": "T", "page_age": None, "encrypted_content": "x" * 50}
            for url in urls
        ]
        return {"type": "web_search_tool_result", "tool_use_id": call_id, "content": rows}

    failed = {
        "type": "web_search_tool_result",
        "tool_use_id": "2",
        "content": {"type": "web_search_tool_result_error", "error_code": "too_many_requests"},
    }
    said = {
        "type": "text",
        "text": "So.",
        "citations": [{"type": "web_search_result_location", "url": A, "cited_text": "quoted"}],
    }
    one = read_rows(
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use("1"), found("1", A, B), said]}
    )
    assert [told(call) for call in one] == [([A, B], "So.")]
    two = read_rows({"role": "assistant", "content": [use("1"), found("1", A), use("2"), failed, use("3"), said]})
    assert [told(call) for call in two] == [([A], None), "error", "unfinished"]
    assert two[1].error == logs.LoggedError(code="too_many_requests")
    view = logs.view_of(two[0])
    assert isinstance(view, WebSearchResultView)
    assert view.sources[0].snippet == "quoted"
    assert b"x" * 50 not in json.dumps(two[0].result.content if two[0].result else "").encode()


def test_a_pdf_labelled_as_text_is_left_out_of_the_text() -> None:
    source = {"type": "base64", "media_type": "text/plain", "data": "JVBERi0xLjQK" * 50}
    page = {"type": "web_fetch_result", "url": A, "content": {"type": "document", "title": None, "source": source}}
    block = {"type": "web_fetch_tool_result", "tool_use_id": "f", "content": page}
    call = read_rows({"role": "assistant", "content": [block]})[0]
    assert told(call) == (A, None)
    assert call.result is not None
    assert "JVBERi0" not in call.result.text
    assert call.notes
