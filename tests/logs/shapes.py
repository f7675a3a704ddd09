"""Small logs in shapes that no recording beside the project has: what the fuzzer damages besides the recordings."""

import json
from typing import Any

_ROWS = json.dumps([{"url": "https://a.example/", "title": "A", "snippet": "s"}])
_TEXT = 'Web search results for "q":\n\nSo.[1]\n\nSources:\n[1] A (https://a.example/)\n[2] B (https://b.example/)'
_CALL = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "q"}'}}


def _lines(*rows: Any) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def _chunk(**delta: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def _piece(arguments: str) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": arguments}


SHAPES = [
    _lines(
        _chunk(tool_calls=[{"index": 0, **_CALL}]), _chunk(tool_calls=[{"index": 0, "function": {"arguments": "x"}}])
    ),
    _lines(
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "item": {"type": "function_call", "id": "f", "name": "web_search"}},
        _piece('{"query": '),
        _piece('"q"}'),
    ),
    _lines(
        {"object": "response", "output": [{"type": "search_results", "queries": ["q"], "results": json.loads(_ROWS)}]}
    ),
    _lines(
        {"role": "assistant", "content": None, "function_call": {"name": "web_search", "arguments": "{}"}},
        {"role": "function", "name": "web_search", "content": _ROWS},
        {"role": "assistant", "content": "So."},
    ),
    _lines(
        {
            "role": "assistant",
            "content": [
                {"type": "mcp_tool_use", "id": "m", "name": "web_search_exa", "input": {"query": "q"}},
                {"type": "mcp_tool_result", "tool_use_id": "m", "content": [{"type": "text", "text": _ROWS}]},
                {"type": "text", "text": "So.", "citations": [{"url": "https://a.example/", "cited_text": "s"}]},
            ],
        }
    ),
    _lines(
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "So."}]},
                    "finish_reason": "STOP",
                    "grounding_metadata": {"grounding_chunks": [{"web": {"uri": "https://a.example/", "title": "t"}}]},
                    "url_context_metadata": {"url_metadata": [{"retrieved_url": "https://b.example/"}]},
                }
            ]
        }
    ),
    _lines(
        {
            "id": "2",
            "type": "gemini",
            "content": "So.",
            "toolCalls": [
                {
                    "id": "g",
                    "name": "google_web_search",
                    "args": {"query": "q"},
                    "status": "success",
                    "result": [{"functionResponse": {"name": "google_web_search", "response": {"output": _TEXT}}}],
                }
            ],
        }
    ),
    _lines(
        [
            {"role": "model", "parts": [{"functionCall": {"name": "google_web_search", "args": {"query": "q"}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "google_web_search", "response": {"output": _TEXT}}}],
            },
        ]
    ),
    _lines(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "t", "toolName": "web_search", "input": {"query": "q"}}
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "t",
                        "toolName": "web_search",
                        "output": {"type": "json", "value": json.loads(_ROWS)},
                    }
                ],
            },
        ]
    ),
    _lines(
        {
            "values": {
                "messages": [
                    {"type": "ai", "id": "message-a", "content": "", "tool_calls": [{"name": "web_search", "id": "c"}]}
                ]
            }
        },
        {
            "values": {
                "messages": [
                    {"type": "tool", "id": "message-t", "tool_call_id": "c", "name": "web_search", "content": _ROWS}
                ]
            }
        },
    ),
    _TEXT.encode(),
    b"[1] Title: A\n[1] URL Source: https://a.example/\n[1] Date: Jan 1, 2026\n\nwords\n",
    b"Title: A\nDescription: d\nURL: https://a.example/\n\n1. B\n   URL: https://b.example/\n   Summary: s\n",
    b"So.\n\nCitations:\n[1] https://a.example/\n",
]
