"""Gemini answers, streams and interactions, in shapes that no recording beside the project has."""

from tests.logs.told import A, B, read_rows, told
from webcards import logs


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
