"""Gemini answers, streams and interactions, in shapes that no recording beside the project has."""

from typing import Any

from tests.logs.told import A, B, read_rows, told
from webcards import logs
from webcards.contract.views import WebSearchResultView


def test_gemini_chunks_of_a_stream_and_url_context_are_read() -> None:
    context = {
        "urlMetadata": [
            {"retrievedUrl": A, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
            {"retrievedUrl": B, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
        ]
    }
    grounding = {"webSearchQueries": ["q"], "groundingChunks": [{"web": {"uri": A, "title": "a.example"}}]}
    first = {
        "responseId": "r",
        "candidates": [{"content": {"parts": [{"text": "High "}, {"thought": True, "text": "hm"}]}, "index": 0}],
    }
    last = {
        "responseId": "r",
        "candidates": [
            {
                "content": {"parts": [{"text": "noon."}]},
                "finishReason": "STOP",
                "index": 0,
                "groundingMetadata": grounding,
                "urlContextMetadata": context,
            }
        ],
    }
    calls = read_rows(first, last)
    assert [(call.tool, told(call)) for call in calls] == [
        ("web_search", ([A], "High noon.")),
        ("web_fetch", (A, None)),
        ("web_fetch", "error"),
    ]
    assert calls[2].error == logs.LoggedError(code="URL_RETRIEVAL_STATUS_ERROR")


def test_gemini_interactions_take_their_sources_from_the_output() -> None:
    cited = {"type": "url_citation", "url": A, "title": "A"}
    steps = [
        {"type": "google_search_call", "id": "1", "arguments": {"queries": ["q1", "q2"]}},
        {"type": "google_search_result", "call_id": "1", "result": [{"search_suggestions": "<div>chip</div>"}]},
        {"type": "model_output", "content": [{"type": "text", "text": "So.", "annotations": [cited]}]},
    ]
    call = read_rows({"id": "i", "steps": steps})[0]
    assert (logs.title_of(call), told(call)) == ("q1, q2", ([A], "So."))


def test_a_response_as_the_client_in_python_prints_it_is_read_as_well() -> None:
    grounding = {
        "web_search_queries": ["q"],
        "grounding_chunks": [{"web": {"uri": A, "title": "a.example"}}],
        "grounding_supports": [{"grounding_chunk_indices": [0], "segment": {"text": "Noon."}}],
    }
    context = {"url_metadata": [{"retrieved_url": B, "url_retrieval_status": "URL_RETRIEVAL_STATUS_SUCCESS"}]}
    candidate = {
        "content": {"parts": [{"text": "Noon."}], "role": "model"},
        "finish_reason": "STOP",
        "grounding_metadata": grounding,
        "url_context_metadata": context,
    }
    calls = read_rows({"candidates": [candidate]})
    assert [(call.tool, told(call)) for call in calls] == [("web_search", ([A], "Noon.")), ("web_fetch", (B, None))]
    view = logs.view_of(calls[0])
    assert isinstance(view, WebSearchResultView)
    assert (view.title, view.sources[0].snippet) == ("q", "Noon.")


def test_a_stream_kept_as_one_list_is_one_response() -> None:
    grounding = {"webSearchQueries": ["q"], "groundingChunks": [{"web": {"uri": A, "title": "t"}}]}
    first = {"candidates": [{"content": {"parts": [{"text": "No"}]}}]}
    last = {
        "candidates": [
            {"content": {"parts": [{"text": "on."}]}, "finishReason": "STOP", "groundingMetadata": grounding}
        ]
    }
    assert [told(call) for call in read_rows([first, last])] == [([A], "Noon.")]


FOUND = f'Web search results for "q":\n\nHigh at noon.[1]\n\nSources:\n[1] a.example ({A})\n[2] b (Inc.) ({B})'


def test_gemini_cli_sessions_list_their_calls_with_results_errors_and_none() -> None:
    def call(name: str, args: dict[str, Any], response: dict[str, Any] | None, status: str) -> dict[str, Any]:
        answer = {"functionResponse": {"id": f"{name}-1", "name": name, "response": response}}
        return {
            "id": f"{name}-1",
            "name": name,
            "args": args,
            "status": status,
            "timestamp": "2026-01-01T00:00:02Z",
            **({"result": [answer]} if response is not None else {}),
        }

    listed = [
        call("google_web_search", {"query": "q"}, {"output": FOUND}, "success"),
        call("web_fetch", {"prompt": f"read {A}"}, {"output": "words"}, "success"),
        call("web_fetch", {"prompt": f"read {B}"}, {"error": "no"}, "error"),
        call("read_file", {"path": "x"}, {"output": "y"}, "success"),
        call("web_fetch", {"prompt": f"read {B}"}, None, "executing"),
    ]
    message = {"id": "2", "timestamp": "2026-01-01T00:00:01Z", "type": "gemini", "content": "So.", "toolCalls": listed}
    wanted = [
        ("google_web_search-1", ([A, B], "High at noon.[1]")),
        ("web_fetch-1", (A, None)),
        ("web_fetch-1", "error"),
        ("web_fetch-1", "unfinished"),
    ]
    for row in (
        {"sessionId": "s", "projectHash": "h", "messages": [{"type": "user", "content": "?"}, message]},
        message,
    ):
        calls = read_rows(row)
        assert [(item.call_id, told(item)) for item in calls] == wanted
        assert {item.format for item in calls} == {"gemini-cli"}
        assert calls[2].error == logs.LoggedError(message="no")
        assert calls[0].time == "2026-01-01T00:00:02Z"


def test_a_history_of_contents_pairs_functions_with_their_answers_by_name() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "google_web_search", "args": {"query": "q"}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "google_web_search", "response": {"output": FOUND}}}],
        },
        {"role": "model", "parts": [{"text": "So."}]},
    ]
    for body in (contents, {"contents": contents}):
        call = read_rows(body)[0]
        view = logs.view_of(call)
        assert isinstance(view, WebSearchResultView)
        assert (call.call_id, logs.title_of(call)) == (None, "q")
        assert [(source.url, source.title) for source in view.sources] == [(A, "a.example"), (B, "b (Inc.)")]
