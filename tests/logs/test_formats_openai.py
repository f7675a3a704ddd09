"""Responses, chat completions, messages and Codex sessions, in shapes that no recording beside the project has."""

import json
from typing import Any

from msgspec import UNSET

from tests.logs.told import A, B, read_rows, rows_of, told
from webcards import logs
from webcards.contract.views import WebSearchResultView


def test_a_codex_search_is_one_call_though_two_kinds_of_rows_tell_of_it() -> None:
    def item(payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    def event(payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:01Z", "type": "event_msg", "payload": payload}

    rows = [
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
        event({"type": "user_message", "message": "tides?"}),
        event({"type": "web_search_begin", "call_id": "ws1"}),
        event(
            {
                "type": "web_search_end",
                "call_id": "ws1",
                "query": "tides",
                "action": {"type": "search", "query": "tides"},
            }
        ),
        item(
            {
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": "tides", "queries": ["tides"]},
            }
        ),
        item({"type": "web_search_call", "status": "completed", "action": {"type": "open_page", "url": A}}),
        event({"type": "agent_message", "message": "High at noon."}),
        item({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "High at noon."}]}),
    ]
    calls = read_rows(*rows)
    assert [(call.tool, logs.title_of(call), told(call)) for call in calls] == [
        ("web_search", "tides", ([], "High at noon.")),
        ("web_fetch", A, (A, None)),
    ]
    assert len(calls[0].records) == 4


def test_codex_searches_without_sources_and_answer_of_their_own_have_no_card_that_says_no_results() -> None:
    def done(number: int) -> dict[str, Any]:
        action = {"type": "search", "query": f"q{number}"}
        return {
            "type": "item.completed",
            "item": {"id": f"item_{number}", "type": "web_search", "query": f"q{number}", "action": action},
        }

    said = {"type": "item.completed", "item": {"id": "item_9", "type": "agent_message", "text": "Both."}}
    calls = read_rows({"type": "thread.started", "thread_id": "t"}, done(1), done(2), said, {"type": "turn.completed"})
    assert [told(call) for call in calls] == [None, None]
    assert "records no sources" in str(logs.explain(calls[0]))


def test_a_text_after_one_search_is_its_answer_and_after_several_belongs_to_none() -> None:
    def response(*queries: str) -> dict[str, Any]:
        searches = [
            {
                "type": "web_search_call",
                "id": query,
                "status": "completed",
                "action": {"type": "search", "query": query, "sources": []},
            }
            for query in queries
        ]
        cited = {"type": "url_citation", "url": A, "title": "A", "start_index": 0, "end_index": 1}
        text = {"type": "output_text", "text": "So it is.", "annotations": [cited, cited]}
        return {
            "object": "response",
            "output": [*searches, {"type": "message", "role": "assistant", "content": [text]}],
        }

    assert [told(call) for call in read_rows(response("one"))] == [([A, A], "So it is.")]
    assert [told(call) for call in read_rows(response("one", "two"))] == [([], None), ([], None)]


def test_a_citation_lends_its_title_to_a_source_of_the_same_url_only() -> None:
    action = {
        "type": "search",
        "query": "q",
        "sources": [{"type": "url", "url": A}, {"type": "url", "url": B}, {"type": "api", "name": "x"}],
    }
    cited = [{"type": "url_citation", "url": url, "title": "T"} for url in (A, f"{B}?utm_source=openai")]
    text = {"type": "output_text", "text": "x", "annotations": cited}
    output = [
        {"type": "web_search_call", "id": "w", "status": "completed", "action": action},
        {"type": "message", "content": [text]},
    ]
    view = logs.view_of(read_rows({"object": "response", "output": output})[0])
    assert isinstance(view, WebSearchResultView)
    assert [(source.url, source.title) for source in view.sources] == [(A, "T"), (B, UNSET)]


def test_a_search_stuck_at_searching_is_settled_by_its_response_and_unfinished_without_it() -> None:
    item = {"type": "web_search_call", "id": "w", "status": "searching", "action": {"type": "search", "query": "q"}}
    said = {"type": "message", "content": [{"type": "output_text", "text": "x", "annotations": []}]}
    whole = read_rows({"object": "response", "status": "completed", "output": [item, said]})
    assert told(whole[0]) == ([], "x")
    assert any("searching" in note for note in whole[0].notes)
    cut = read_rows(
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
    )
    assert [told(call) for call in cut] == ["unfinished"]


def test_items_of_a_streamed_response_are_told_once_each_as_they_were_last_written() -> None:
    def item(status: str, **more: Any) -> dict[str, Any]:
        return {"type": "web_search_call", "id": "w", "status": status, **more}

    message = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Noon.", "annotations": []}],
    }
    done = item("completed", action={"type": "search", "query": "q"})
    calls = read_rows(
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "item": item("in_progress")},
        {"type": "response.web_search_call.searching", "item_id": "w"},
        {"type": "response.output_item.done", "item": done},
        {"type": "response.output_text.delta", "item_id": "m", "delta": "No"},
        {"type": "response.output_text.delta", "item_id": "m", "delta": "on."},
        {"type": "response.output_item.done", "item": message},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [done, message]}},
    )
    assert [(call.args, told(call)) for call in calls] == [({"query": "q"}, ([], "Noon."))]


def test_chunks_of_a_chat_are_put_together() -> None:
    def chunk(**delta: Any) -> dict[str, Any]:
        return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}

    def cite(url: str) -> list[dict[str, Any]]:
        return [{"type": "url_citation", "url_citation": {"url": url, "title": "T", "start_index": 0, "end_index": 0}}]

    cited = read_rows(
        chunk(role="assistant", content="So"), chunk(annotations=cite(A)), chunk(content=".", annotations=cite(B))
    )
    assert [told(call) for call in cited] == [([A, B], "So.")]
    begun = {"index": 0, "type": "search", "arguments": '{"query": "q"}'}
    ended = {
        "index": 0,
        "type": "search",
        "output": "x",
        "search_results": {"results": [{"url": A, "title": "A", "content": "c"}]},
    }
    groq = read_rows(chunk(executed_tools=[begun]), chunk(executed_tools=[ended]), chunk(content="So."))
    assert [(call.format, call.args, told(call)) for call in groq] == [("groq", {"query": "q"}, ([A], "So."))]


def test_a_chat_that_only_calls_the_tool_is_an_unfinished_call() -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "q"}'}}
    body = {
        "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [called]}}],
    }
    assert [(call.args, told(call)) for call in read_rows(body)] == [({"query": "q"}, "unfinished")]


def test_messages_may_stand_one_a_line() -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "q"}'}}
    calls = read_rows(
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(rows_of(A))},
        {"role": "assistant", "content": "So."},
    )
    assert [told(call) for call in calls] == [([A], "So.")]


def _piece(**delta: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def test_a_call_whose_arguments_come_in_pieces_of_a_chat_is_put_together() -> None:
    def piece(**function: str) -> dict[str, Any]:
        return _piece(tool_calls=[{"index": 0, "function": function}])

    begun = {
        "index": 0,
        "id": "c1",
        "type": "function",
        "function": {"name": "web_search", "arguments": ""},
    }
    other = {"index": 1, "id": "c2", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    calls = read_rows(
        _piece(role="assistant", content=None),
        _piece(tool_calls=[begun]),
        piece(arguments='{"que'),
        piece(arguments='ry": "q"}'),
        _piece(tool_calls=[other]),
    )
    assert [(call.call_id, call.args, told(call)) for call in calls] == [("c1", {"query": "q"}, "unfinished")]


def test_a_call_whose_arguments_come_in_pieces_of_a_response_is_known_before_it_is_done() -> None:
    item = {"type": "function_call", "id": "f", "call_id": "c1", "name": "web_fetch", "arguments": ""}
    calls = read_rows(
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": '{"url": '},
        {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": f'"{A}"}}'},
    )
    assert [(call.call_id, call.args, told(call)) for call in calls] == [("c1", {"url": A}, "unfinished")]


def test_items_are_read_from_a_response_a_stored_conversation_and_a_bare_list_alike() -> None:
    cited = {"type": "url_citation", "url": A, "title": "T", "start_index": 0, "end_index": 2}
    items = [
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "q"}},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "So", "annotations": [cited]}],
        },
    ]
    for body in ({"object": "response", "output": items}, {"object": "list", "data": items}, items):
        assert [(call.call_id, call.args, told(call)) for call in read_rows(body)] == [
            ("w", {"query": "q"}, ([A], "So"))
        ]


def test_a_search_of_the_service_that_is_logged_as_a_custom_tool_has_the_citations_as_its_sources() -> None:
    cited = {"type": "url_citation", "url": A, "title": "1"}
    call = {"type": "custom_tool_call", "call_id": "x", "name": "x_keyword_search", "input": '{"query": "q"}'}
    text = {"type": "output_text", "text": "So.", "annotations": [cited]}
    calls = read_rows(
        {"object": "response", "output": [call, {"type": "message", "role": "assistant", "content": [text]}]}
    )
    assert [(item.call_id, item.args, told(item)) for item in calls] == [("x", {"query": "q"}, ([A], "So."))]


def test_the_results_that_a_response_lists_as_an_item_of_their_own_are_a_search() -> None:
    row = {"id": 1, "title": "T", "url": A, "snippet": "s", "date": "2026-01-01", "last_updated": "2026-02-01"}
    item = {"type": "search_results", "queries": ["q"], "results": [row]}
    call = read_rows({"object": "response", "output": [item]})[0]
    view = logs.view_of(call)
    assert isinstance(view, WebSearchResultView)
    assert [(source.title, source.snippet, source.published_at) for source in view.sources] == [
        ("T", "s", "2026-01-01")
    ]
    assert logs.title_of(call) == "q"


def test_functions_without_ids_are_paired_by_their_names_and_no_id_is_made_up() -> None:
    calls = read_rows(
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "web_search", "arguments": '{"query": "q"}'},
                },
                {"role": "function", "name": "web_search", "content": json.dumps(rows_of(A))},
                {"role": "assistant", "content": "So."},
            ]
        }
    )
    assert [(call.call_id, call.args, told(call)) for call in calls] == [(None, {"query": "q"}, ([A], "So."))]


def test_what_groq_visited_is_a_page() -> None:
    tool = {"index": 0, "type": "visit", "arguments": json.dumps({"url": A}), "output": "words"}
    calls = read_rows({"choices": [{"message": {"role": "assistant", "content": "So.", "executed_tools": [tool]}}]})
    assert [(call.tool, told(call)) for call in calls] == [("web_fetch", (A, None))]
