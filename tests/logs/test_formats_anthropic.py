"""Claude Code sessions and Anthropic messages, in shapes that no recording beside the project has."""

import json
from typing import Any

from tests.logs.told import A, B, read_rows, rows_of, told
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


def test_claude_code_shows_the_results_of_the_servers_own_tools() -> None:
    row = {"type": "web_search_result", "url": A, "title": "T", "page_age": "2 days ago", "encrypted_content": "zz"}
    use = {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "x", "content": [row]}
    error = {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    calls = read_rows(
        _claude("assistant", [use]),
        _claude("assistant", [found]),
        _claude("assistant", [{"type": "server_tool_use", "id": "y", "name": "web_fetch", "input": {"url": B}}]),
        _claude("assistant", [{"type": "web_fetch_tool_result", "tool_use_id": "y", "content": error}]),
    )
    assert [(call.call_id, call.time, told(call)) for call in calls] == [
        ("x", "2026-01-01T00:00:00Z", ([A], None)),
        ("y", "2026-01-01T00:00:00Z", "error"),
    ]
    assert calls[1].error == logs.LoggedError(code="url_not_accessible")


def test_a_tool_of_an_mcp_server_stands_in_one_message_with_its_result() -> None:
    use = {"type": "mcp_tool_use", "id": "m", "name": "web_search_exa", "server_name": "exa", "input": {"query": "q"}}
    content = [{"type": "text", "text": json.dumps(rows_of(A))}]
    fine = {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": content}
    failed = {**fine, "is_error": True, "content": [{"type": "text", "text": "no"}]}
    said = {"type": "text", "text": "So."}
    for result, wanted in ((fine, ([A], "So.")), (failed, "error")):
        calls = read_rows({"type": "message", "role": "assistant", "content": [use, result, said]})
        assert [(call.call_id, call.tool_name, told(call)) for call in calls] == [("m", "web_search_exa", wanted)]


def test_search_results_as_content_blocks_are_sources() -> None:
    block = {"type": "search_result", "source": A, "title": "T", "content": [{"type": "text", "text": "words"}]}
    messages = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "web_search", "input": {"query": "q"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [block]}]},
    ]
    view = logs.view_of(read_rows({"messages": messages})[0])
    assert isinstance(view, WebSearchResultView)
    assert [(source.url, source.title, source.snippet) for source in view.sources] == [(A, "T", "words")]


def test_several_results_in_one_message_go_each_to_its_own_call() -> None:
    uses = [
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "q"}},
        {"type": "tool_use", "id": "t2", "name": "web_fetch", "input": {"url": B}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t2", "content": "page"},
        {"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(rows_of(A))},
    ]
    calls = read_rows({"messages": [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]})
    assert [(call.call_id, told(call)) for call in calls] == [("t1", ([A], None)), ("t2", (B, None))]


def test_a_streamed_call_that_the_client_is_to_make_is_unfinished() -> None:
    def delta(part: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": part}}

    use = {"type": "tool_use", "id": "t", "name": "web_search", "input": {}}
    calls = read_rows(
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": use},
        delta('{"query": '),
        delta('"q"}'),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    )
    assert [(call.call_id, call.args, told(call)) for call in calls] == [("t", {"query": "q"}, "unfinished")]


def test_the_clients_tools_beside_the_servers_get_their_results_from_the_next_message() -> None:
    row = {"type": "web_search_result", "url": A, "title": "T"}
    mixed = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [row]},
        {"type": "tool_use", "id": "c", "name": "web_fetch", "input": {"url": B}},
        {"type": "tool_use", "id": "d", "name": "web_fetch", "input": {"url": A}},
    ]
    result = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "page"}]}
    calls = read_rows({"messages": [{"role": "assistant", "content": mixed}, {"role": "user", "content": [result]}]})
    assert [(call.call_id, told(call)) for call in calls] == [("s", ([A], None)), ("c", (B, None)), ("d", "unfinished")]
    assert calls[1].result is not None
    assert calls[1].result.text == "page"
