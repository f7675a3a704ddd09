"""Views come from (args, result), on any args and any meta; without a view there is a reason."""

from typing import Any

import pytest
from hypothesis import given
from msgspec import UNSET, to_builtins

from tests.contract.json_values import any_json
from webcards.contract import (
    Refusal,
    ToolResult,
    WebFetchResultView,
    WebSearchResultView,
    WebSource,
    explain_fetch_result,
    explain_search_result,
    present_fetch_call,
    present_fetch_result,
    present_search_call,
    present_search_result,
)

SEARCH_META = {"sources": [{"url": "https://a.example/"}], "truncated": False}
FETCH_META = {"url": "https://a.example/", "statusCode": 200, "truncated": True}


def result(meta: Any = None, *, is_error: bool = False) -> dict[str, Any]:
    settled: dict[str, Any] = {"content": [{"type": "text", "text": "text"}], "isError": is_error}
    return settled if meta is None else {**settled, "meta": meta}


@given(any_json, any_json)
def test_nothing_given_to_a_presenter_makes_it_raise(args: Any, given_result: Any) -> None:
    assert isinstance(present_search_result(args, given_result), WebSearchResultView | None)
    assert isinstance(present_fetch_result(args, given_result), WebFetchResultView | None)
    assert present_search_call(args).card == present_fetch_call(args).card == "generic"
    assert isinstance(ToolResult.from_json(given_result).text, str)


@pytest.mark.parametrize(
    ("args", "title"),
    [
        ({"query": "harbour dues"}, "harbour dues"),
        ({"queries": ["a", "b"]}, "a, b"),
        ({"queries": ["a", 5, "", "b"]}, "a, b"),
        ({"query": "one", "queries": ["two"]}, "one"),
        ({"query": "  ", "queries": ["two"]}, "two"),
        ({"query": 5}, UNSET),
        ({"queries": []}, UNSET),
        ({"queries": "a"}, UNSET),
        ({}, UNSET),
        (None, UNSET),
        (["query"], UNSET),
    ],
)
def test_a_search_is_titled_by_its_queries(args: Any, title: Any) -> None:
    view = present_search_result(args, result(SEARCH_META))
    assert view == WebSearchResultView(title=title, sources=[WebSource("https://a.example/")], truncated=False)


@pytest.mark.parametrize(
    ("args", "title"), [({"url": "https://b.example/"}, "https://b.example/"), ({"url": ""}, UNSET), ([], UNSET)]
)
def test_a_fetch_is_titled_by_the_url_that_was_asked_for(args: Any, title: Any) -> None:
    view = present_fetch_result(args, result(FETCH_META))
    assert view == WebFetchResultView(title=title, url="https://a.example/", status_code=200, truncated=True)


def test_views_are_told_apart_by_card_and_kind_on_the_wire() -> None:
    search = present_search_result({"query": "q"}, result({**SEARCH_META, "answer": "A"}))
    fetch = present_fetch_result({}, result(FETCH_META))
    assert to_builtins(search) == {
        "card": "web",
        "kind": "search",
        "title": "q",
        "sources": [{"url": "https://a.example/"}],
        "answer": "A",
        "truncated": False,
    }
    assert to_builtins(fetch) == {
        "card": "web",
        "kind": "fetch",
        "url": "https://a.example/",
        "statusCode": 200,
        "truncated": True,
    }


def test_a_running_call_shows_what_was_asked() -> None:
    assert to_builtins(present_search_call({"queries": ["a", "b"]})) == {
        "card": "generic",
        "title": "a, b",
        "kind": "search",
        "rawInput": {"queries": ["a", "b"]},
    }
    assert present_fetch_call({"url": "https://a.example/"}).title == "https://a.example/"
    assert (present_search_call(None).title, present_fetch_call(None).title) == ("web_search", "web_fetch")


def test_an_error_has_no_card_even_with_a_good_meta() -> None:
    assert present_search_result({}, result(SEARCH_META, is_error=True)) is None
    outcome = explain_fetch_result({}, result(FETCH_META, is_error=True))
    assert isinstance(outcome, Refusal)
    assert outcome.path == "$.isError"


@pytest.mark.parametrize("meta", [UNSET, None])
def test_an_absent_meta_is_said_to_be_absent(meta: Any) -> None:
    outcome = explain_search_result({}, ToolResult([], meta=meta))
    assert isinstance(outcome, Refusal)
    assert str(outcome).startswith("$.meta: absent")


@pytest.mark.parametrize(
    ("json", "text", "is_error"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb", False),
        ({"content": "plain"}, "plain", False),
        ({"content": [{"type": "image", "n": 1}]}, '{"type":"image","n":1}', False),
        ({"content": [], "isError": 1}, "", True),
        ({"isError": None}, "", False),
        (None, "", False),
        ("just text", "just text", False),
        ({"content": [object()]}, "(object)", False),
    ],
)
def test_a_result_is_read_as_far_as_it_can_be(json: Any, text: str, is_error: bool) -> None:
    read = ToolResult.from_json(json)
    assert (read.text, read.is_error) == (text, is_error)
