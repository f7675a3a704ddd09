"""OpenCode, LangChain, MCP and the AI SDK, in shapes that no recording beside the project has."""

import json
from typing import Any

from msgspec import UNSET

from tests.logs.told import A, B, read_rows, rows_of, told
from webcards import logs
from webcards.contract.views import WebSearchResultView


def test_opencode_parts_are_told_once_and_errors_are_errors() -> None:
    def part(call_id: str, tool: str, **state: Any) -> dict[str, Any]:
        inner = {"type": "tool", "callID": call_id, "tool": tool, "state": state}
        return {"type": "tool_use", "timestamp": 1, "sessionID": "s", "part": inner}

    output = f"Title: A\nURL: {A}\nPublished: N/A\nAuthor: N/A\nHighlights:\nTitle: not a block\nText\n\n---\n\nTitle: N/A\nURL: {B}\nPublished: 2026\nHighlights:\n"
    calls = read_rows(
        part("1", "websearch", status="running", input={"query": "q"}),
        part("1", "websearch", status="completed", input={"query": "q"}, output=output),
        part("2", "webfetch", status="error", input={"url": A}, error="Request failed with status code: 404"),
        part("3", "bash", status="completed", input={}, output="x"),
        part("4", "webfetch", status="running", input={"url": B}),
    )
    assert [told(call) for call in calls] == [([A, B], None), "error", "unfinished"]
    view = logs.view_of(calls[0])
    assert isinstance(view, WebSearchResultView)
    assert view.sources[0].snippet == "Title: not a block\nText"
    assert (view.sources[1].title, view.sources[1].published_at) == (UNSET, "2026")


def test_langchain_messages_are_read_in_each_of_their_serialisations() -> None:
    calls = [{"name": "web_search", "args": {"query": "q"}, "id": "c1", "type": "tool_call"}]
    answer = {"tool_call_id": "c1", "name": "web_search", "status": "success"}
    rows = json.dumps(rows_of(A))
    plain: list[dict[str, Any]] = [
        {"type": "ai", "content": "", "tool_calls": calls},
        {"type": "tool", "content": rows, **answer},
        {"type": "ai", "content": "So."},
    ]
    wrapped = [
        {"type": item["type"], "data": {key: value for key, value in item.items() if key != "type"}} for item in plain
    ]
    names = {"ai": "AIMessage", "tool": "ToolMessage"}
    built = [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", names[str(item["type"])]],
            "kwargs": {key: value for key, value in item.items() if key != "type"},
        }
        for item in plain
    ]
    for messages in (plain, wrapped, built):
        assert [told(call) for call in read_rows({"messages": messages})] == [([A], "So.")]
    failed = [plain[0], {"type": "tool", "content": "Error: x", **answer, "status": "error"}]
    assert [told(call) for call in read_rows({"values": {"messages": failed}})] == ["error"]


def test_a_structured_artifact_serves_where_the_text_lists_nothing() -> None:
    calls = [{"name": "web_search", "args": {"query": "q"}, "id": "c1"}]
    tool = {
        "type": "tool",
        "tool_call_id": "c1",
        "name": "web_search",
        "content": "two results",
        "artifact": {"results": rows_of(A, B)},
    }
    assert told(read_rows({"messages": [{"type": "ai", "content": "", "tool_calls": calls}, tool]})[0]) == (
        [A, B],
        None,
    )


def test_an_mcp_search_is_read_from_its_structure_and_errors_keep_their_code() -> None:
    def ask(number: int, name: str, args: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": args}}

    result = {"content": [{"type": "text", "text": "2 found"}], "structuredContent": {"results": rows_of(A, B)}}
    calls = read_rows(
        ask(1, "brave_web_search", {"query": "q"}),
        ask(2, "fetch", {"url": A}),
        ask(3, "read_file", {"path": "x"}),
        {"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": "x"}]}},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "bad"}},
        {"jsonrpc": "2.0", "id": 1, "result": result},
        {"jsonrpc": "2.0", "id": 9, "result": {"tools": []}},
        {"jsonrpc": "2.0", "id": 8, "result": {"content": [{"type": "text", "text": f"Contents of {B}:\nx"}]}},
    )
    assert [(call.call_id, told(call)) for call in calls] == [("1", ([A, B], None)), ("2", "error"), ("8", (B, None))]
    assert calls[1].error == logs.LoggedError(code="-32602", message="bad")


def test_the_ai_sdk_is_read_as_stream_and_in_its_older_shape() -> None:
    stream = read_rows(
        {"type": "start"},
        {"type": "tool-input-start", "toolCallId": "t", "toolName": "web_search"},
        {"type": "tool-input-available", "toolCallId": "t", "toolName": "web_search", "input": {"query": "q"}},
        {"type": "tool-output-available", "toolCallId": "t", "output": [{"url": A, "title": "A", "pageAge": None}]},
        {"type": "text-delta", "id": "x", "delta": "So"},
        {"type": "text-delta", "id": "x", "delta": "."},
        {"type": "finish"},
    )
    old = read_rows(
        {
            "role": "assistant",
            "parts": [
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "toolCallId": "t",
                        "toolName": "web_search",
                        "state": "result",
                        "args": {"query": "q"},
                        "result": rows_of(A),
                    },
                },
                {"type": "text", "text": "So."},
            ],
        }
    )
    failed = read_rows(
        {
            "role": "assistant",
            "parts": [
                {
                    "type": "dynamic-tool",
                    "toolName": "web_fetch",
                    "toolCallId": "t",
                    "state": "output-error",
                    "input": {"url": A},
                    "errorText": "no",
                }
            ],
        }
    )
    assert [told(call) for call in stream] == [told(call) for call in old] == [([A], "So.")]
    assert [told(call) for call in failed] == ["error"]


def test_the_ai_sdks_messages_of_parts_pair_calls_with_results_of_each_kind() -> None:
    call = {"type": "tool-call", "toolCallId": "t", "toolName": "webSearch", "input": {"query": "q"}}

    def result(output: Any, **more: Any) -> dict[str, Any]:
        return {"type": "tool-result", "toolCallId": "t", "toolName": "webSearch", "output": output, **more}

    said = {"role": "assistant", "content": [{"type": "text", "text": "So."}]}
    for output in ({"type": "json", "value": rows_of(A)}, {"type": "text", "value": json.dumps(rows_of(A))}):
        messages = [{"role": "assistant", "content": [call]}, {"role": "tool", "content": [result(output)]}, said]
        found = read_rows(messages)
        assert [(item.format, item.args, told(item)) for item in found] == [("ai-sdk", {"query": "q"}, ([A], "So."))]
    failed = [
        {"role": "assistant", "content": [call]},
        {"role": "tool", "content": [result({"type": "error-text", "value": "no"})]},
    ]
    assert [told(item) for item in read_rows({"messages": failed})] == ["error"]
    old = {**call, "args": call["input"]}
    del old["input"]
    kept = {"type": "tool-result", "toolCallId": "t", "toolName": "webSearch", "result": rows_of(A, B)}
    assert [
        (item.args, told(item))
        for item in read_rows([{"role": "assistant", "content": [old]}, {"role": "tool", "content": [kept]}])
    ] == [({"query": "q"}, ([A, B], None))]
    own = [call, result({"type": "json", "value": rows_of(A)}), {"type": "text", "text": "So."}]
    assert [told(item) for item in read_rows({"role": "assistant", "content": own})] == [([A], "So.")]


def test_the_ai_sdks_arguments_in_pieces_are_put_together() -> None:
    calls = read_rows(
        {"type": "start"},
        {"type": "tool-input-start", "toolCallId": "t", "toolName": "web_search"},
        {"type": "tool-input-delta", "toolCallId": "t", "inputTextDelta": '{"query": '},
        {"type": "tool-input-delta", "toolCallId": "t", "inputTextDelta": '"q"}'},
    )
    assert [(call.call_id, call.args, told(call)) for call in calls] == [("t", {"query": "q"}, "unfinished")]


def test_states_of_a_thread_that_repeat_its_messages_tell_each_call_once() -> None:
    def state(*messages: dict[str, Any]) -> dict[str, Any]:
        return {"values": {"messages": list(messages)}, "next": []}

    asked = {"type": "human", "content": "?", "id": "message-h"}
    calls = {
        "type": "ai",
        "content": "",
        "id": "message-a",
        "tool_calls": [{"name": "web_search", "args": {"query": "q"}, "id": "c1"}],
    }
    found = {
        "type": "tool",
        "content": json.dumps(rows_of(A)),
        "tool_call_id": "c1",
        "name": "web_search",
        "id": "message-t",
    }
    said = {"type": "ai", "content": "So.", "id": "message-b"}
    states = [state(asked), state(asked, calls), state(asked, calls, found), state(asked, calls, found, said)]
    assert [told(call) for call in read_rows(*states)] == [([A], "So.")]
    assert [told(call) for call in read_rows(list(reversed(states)))] == [([A], "So.")]
    updates = [{"agent": {"messages": [calls]}}, {"tools": {"messages": [found]}}]
    assert [(call.call_id, told(call)) for call in read_rows(*updates)] == [("c1", ([A], None))]


def test_conversations_one_a_row_that_share_no_message_stay_apart() -> None:
    def conversation(number: int) -> dict[str, Any]:
        called = {"id": "call_0", "function": {"name": "web_search", "arguments": json.dumps({"query": f"q{number}"})}}
        return {
            "messages": [
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": None, "tool_calls": [called]},
                {"role": "tool", "tool_call_id": "call_0", "content": json.dumps(rows_of(A))},
                {"role": "assistant", "content": f"So {number}."},
            ]
        }

    assert [told(call) for call in read_rows(*map(conversation, range(3)))] == [
        ([A], f"So {number}.") for number in range(3)
    ]


def test_conversations_that_number_their_messages_alike_stay_apart() -> None:
    def conversation(number: int) -> dict[str, Any]:
        call = {"name": "web_search", "args": {"query": f"q{number}"}, "id": "c"}
        return {
            "messages": [
                {"type": "human", "id": "1", "content": f"{number}?"},
                {"type": "ai", "id": "2", "content": "", "tool_calls": [call]},
                {
                    "type": "tool",
                    "id": "3",
                    "tool_call_id": "c",
                    "name": "web_search",
                    "content": json.dumps(rows_of(A)),
                },
                {"type": "ai", "id": "4", "content": f"So {number}."},
            ]
        }

    calls = read_rows(conversation(1), conversation(2))
    assert [(logs.title_of(call), told(call)) for call in calls] == [("q1", ([A], "So 1.")), ("q2", ([A], "So 2."))]


def test_an_mcp_id_that_another_connection_uses_anew_is_that_of_the_latest_call() -> None:
    def ask(name: str, args: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": args}}

    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": json.dumps(rows_of(A))}]}}
    calls = read_rows(ask("read_file", {"path": "x"}), ask("web_search", {"query": "q"}), answer)
    assert [(call.args, told(call)) for call in calls] == [({"query": "q"}, ([A], None))]
