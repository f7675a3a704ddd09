"""Bodies of search services, alone and as the output of an agent's tool."""

import json
from typing import Any

import pytest

from tests.logs.told import A, read_rows, told
from webcards import logs

BODIES: list[tuple[str, Any, Any]] = [
    (
        "jina",
        {"code": 200, "status": 20000, "data": [{"url": A, "title": "A", "description": "d", "content": "c"}]},
        ([A], None),
    ),
    ("jina", {"code": 200, "status": 20000, "data": {"url": A, "title": "A", "content": "c"}}, (A, None)),
    ("jina", {"code": 402, "status": 40203, "name": "InsufficientBalanceError", "message": "m"}, "error"),
    (
        "kagi",
        {
            "meta": {"id": "x", "node": "eu", "ms": 1},
            "data": [{"t": 0, "url": A, "title": "A"}, {"t": 1, "list": ["x"]}],
        },
        ([A], None),
    ),
    (
        "kagi",
        {"meta": {"node": "eu"}, "data": {"output": "So.", "references": [{"url": A, "title": "A", "snippet": "s"}]}},
        ([A], "So."),
    ),
    ("kagi", {"meta": {"node": "eu"}, "data": None, "error": [{"code": 1, "msg": "m"}]}, "error"),
    ("firecrawl", {"success": True, "data": {"web": [{"url": A, "title": "A", "description": "d"}]}}, ([A], None)),
    ("firecrawl", {"success": True, "data": [{"url": A, "title": "A", "description": "d"}]}, ([A], None)),
    (
        "firecrawl",
        {"success": True, "data": {"markdown": "m", "metadata": {"sourceURL": A, "statusCode": 404}}},
        (A, 404),
    ),
    ("firecrawl", {"success": False, "error": "Payment required"}, "error"),
    ("brave", {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "detail": "slow", "status": 429}}, "error"),
    (
        "brave",
        {"type": "news", "query": {"original": "q"}, "results": [{"type": "news_result", "url": A, "title": "T"}]},
        ([A], None),
    ),
    ("bing", {"_type": "News", "value": [{"name": "T", "url": A, "description": "d"}]}, ([A], None)),
    (
        "firecrawl",
        {"success": True, "data": {"content": "c", "metadata": {"sourceURL": A, "pageStatusCode": 404}}},
        (A, 404),
    ),
    ("bocha", {"code": "403", "message": "no money", "log_id": "x"}, "error"),
    (
        "serpapi",
        {
            "search_metadata": {"status": "Success"},
            "search_parameters": {"q": "q"},
            "organic_results": [{"link": A, "title": "A"}],
        },
        ([A], None),
    ),
    ("serpapi", {"search_metadata": {"status": "Error"}, "error": "no"}, "error"),
    (
        "searxng",
        {
            "query": "q",
            "results": [{"url": A, "title": "A", "content": "c", "engine": "x"}],
            "answers": [{"answer": "So."}],
            "unresponsive_engines": [],
        },
        ([A], "So."),
    ),
    ("searxng", {"query": "q", "results": [], "answers": [], "unresponsive_engines": [["x", "timeout"]]}, ([], None)),
    (
        "tavily",
        {
            "query": "q",
            "answer": "So.",
            "results": [{"url": A, "title": "A", "content": "c", "published_date": "x"}],
            "response_time": 1,
        },
        ([A], "So."),
    ),
    ("tavily", {"results": [], "failed_results": [{"url": A, "error": "timeout"}], "response_time": 1}, "error"),
    ("exa", {"answer": "So.", "citations": [{"id": A, "url": A, "title": "A", "publishedDate": "x"}]}, ([A], "So.")),
    (
        "exa",
        {"requestId": "r", "results": [{"id": A, "url": A, "title": "A", "highlights": ["h1", "h2"]}]},
        ([A], None),
    ),
    (
        "serper",
        {
            "searchParameters": {"q": "q", "type": "places"},
            "places": [{"title": "Quay"}, {"title": "Inn", "website": A}],
        },
        ([A], None),
    ),
    ("google-cse", {"kind": "customsearch#search", "queries": {"request": [{"searchTerms": "q"}]}}, ([], None)),
    (
        "naver",
        {
            "lastBuildDate": "x",
            "items": [{"title": "t", "link": A, "description": "d", "pubDate": "Mon, 30 Nov 2026 09:00:00 +0900"}],
        },
        ([A], None),
    ),
    ("langchain", [{"href": A, "title": "A", "body": "b"}], ([A], None)),
]


@pytest.mark.parametrize(("name", "body", "wanted"), BODIES)
def test_a_body_of_a_search_service_is_recognised_and_read(name: str, body: Any, wanted: Any) -> None:
    calls = list(logs.read(json.dumps(body, indent=1).encode()))
    assert [(call.format, told(call)) for call in calls] == [(name, wanted)]


@pytest.mark.parametrize(("name", "body", "wanted"), [row for row in BODIES if isinstance(row[2][0], list)])
def test_the_same_body_is_read_as_the_output_of_an_agents_tool(name: str, body: Any, wanted: Any) -> None:
    called = {"id": "c1", "function": {"name": f"{name}_search", "arguments": "{}"}}
    for content in (json.dumps(body), json.dumps(json.dumps(body)), [{"type": "text", "text": json.dumps(body)}]):
        call = read_rows(
            {
                "messages": [
                    {"role": "assistant", "tool_calls": [called]},
                    {"role": "tool", "tool_call_id": "c1", "content": content},
                ]
            }
        )[0]
        assert told(call) == wanted


def test_rows_without_a_url_are_counted_in_a_note() -> None:
    body = {"searchParameters": {"q": "q"}, "places": [{"title": "Quay"}], "organic": [{"link": A, "title": "A"}]}
    assert any("1 of 2" in note for note in read_rows(body)[0].notes)
