"""Projecting gives what goes on the wire; narrowing gives it back, or says where and why it refuses."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.contract.json_values import any_json
from webcards.contract import (
    Refusal,
    WebFetchBody,
    WebFetchMeta,
    WebFetchResult,
    WebSearchMeta,
    WebSearchResult,
    WebSource,
    fetch_meta_from_result,
    fetch_meta_from_value,
    narrow_fetch_meta,
    narrow_search_meta,
    present_fields,
    search_meta_from_result,
    search_meta_from_value,
)

optional = st.just(UNSET) | st.text(min_size=1)
sources = st.builds(WebSource, url=st.text(), title=optional, snippet=optional, published_at=optional)


@given(st.lists(sources, max_size=4), st.booleans(), optional)
def test_a_search_meta_survives_the_wire(found: list[WebSource], truncated: bool, answer: Any) -> None:
    wire = json.loads(json.dumps(search_meta_from_value(WebSearchResult(found, truncated, answer))))
    narrowed = search_meta_from_result(wire)
    assert narrowed is not None
    assert (narrowed.sources, narrowed.truncated) == (found, truncated)
    blank = not isinstance(answer, str) or not answer.strip()
    assert narrowed.answer == (UNSET if blank else answer)


@given(st.text(), st.integers(0, 999), st.booleans(), st.integers(0, 200))
def test_a_fetch_meta_survives_the_wire(url: str, status: int, truncated: bool, max_chars: int) -> None:
    value = WebFetchResult(url, status, WebFetchBody("text", "body " * 20), truncated)
    wire = json.loads(json.dumps(fetch_meta_from_value(value, max_chars)))
    assert set(wire) == {"url", "statusCode", "truncated"}
    assert fetch_meta_from_result(wire) == WebFetchMeta(url, status, wire["truncated"])


def test_absent_fields_stay_absent_and_keys_are_camel_case() -> None:
    value = WebSearchResult([WebSource("https://a.example/", published_at="2026-01-02")])
    assert search_meta_from_value(value) == {
        "sources": [{"url": "https://a.example/", "publishedAt": "2026-01-02"}],
        "truncated": False,
    }


@given(any_json)
def test_no_json_makes_a_narrower_raise(meta: Any) -> None:
    assert isinstance(narrow_search_meta(meta), WebSearchMeta | Refusal)
    assert isinstance(narrow_fetch_meta(meta), WebFetchMeta | Refusal)


SEARCH_REFUSALS: list[tuple[Any, str]] = [
    (None, "$: expected object, got null"),
    ([], "$: expected object, got list"),
    ("text", "$: expected object, got str"),
    ({}, "$.sources: required, but missing"),
    ({"sources": []}, "$.truncated: required, but missing"),
    ({"sources": {}, "truncated": False}, "$.sources: expected list, got object"),
    ({"sources": [], "truncated": 0}, "$.truncated: expected bool, got int"),
    ({"sources": [], "truncated": "\ud83d"}, "$.truncated: expected bool, got str"),
    ({"sources": [], "truncated": None}, "$.truncated: expected bool, got null"),
    ({"sources": [], "truncated": False, "answer": None}, "$.answer: expected str, got null"),
    ({"sources": [{}], "truncated": False}, "$.sources[0].url: required, but missing"),
    ({"sources": ["https://a.example"], "truncated": False}, "$.sources[0]: expected object, got str"),
    (
        {"sources": [{"url": "a"}, {"url": "b"}, {"url": "c", "title": 7}], "truncated": False},
        "$.sources[2].title: expected str, got int",
    ),
    ({"sources": [{"url": "a", "snippet": None}], "truncated": False}, "$.sources[0].snippet: expected str, got null"),
    (
        {"sources": [{"url": "a", "publishedAt": []}], "truncated": False},
        "$.sources[0].publishedAt: expected str, got list",
    ),
]


@pytest.mark.parametrize(("meta", "reason"), SEARCH_REFUSALS)
def test_a_malformed_search_meta_is_refused_with_path_and_reason(meta: Any, reason: str) -> None:
    assert str(narrow_search_meta(meta)) == reason
    assert search_meta_from_result(meta) is None


FETCH = {"url": "https://a.example/", "statusCode": 200, "truncated": False}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"statusCode": True}, "$.statusCode: expected int, got bool"),
        ({"statusCode": "200"}, "$.statusCode: expected int, got str"),
        ({"statusCode": 200.5}, "$.statusCode: expected int, got float"),
        ({"statusCode": None}, "$.statusCode: expected int, got null"),
        ({"statusCode": float("inf")}, "$.statusCode: expected int, got float"),
        ({"url": 5}, "$.url: expected str, got int"),
        ({"truncated": "false"}, "$.truncated: expected bool, got str"),
    ],
)
def test_a_malformed_fetch_meta_is_refused_with_path_and_reason(change: dict[str, Any], reason: str) -> None:
    assert str(narrow_fetch_meta({**FETCH, **change})) == reason
    assert fetch_meta_from_result({**FETCH, **change}) is None


@pytest.mark.parametrize("missing", ["url", "statusCode", "truncated"])
def test_a_fetch_meta_without_a_field_is_refused_at_that_field(missing: str) -> None:
    meta = {key: value for key, value in FETCH.items() if key != missing}
    assert str(narrow_fetch_meta(meta)) == f"$.{missing}: required, but missing"


def test_a_whole_number_counts_as_a_status_however_it_is_written() -> None:
    assert fetch_meta_from_result({**FETCH, "statusCode": 404.0}) == WebFetchMeta("https://a.example/", 404, False)


@pytest.mark.parametrize("extra", [{"score": 0.7}, {"\ud83d": 1}, {5: "not even JSON"}])
def test_unknown_keys_are_ignored_whatever_they_are(extra: dict[Any, Any]) -> None:
    meta = {"sources": [{"url": "a", **extra}], "truncated": False, **extra}
    assert search_meta_from_result(meta) == WebSearchMeta([WebSource("a")], False)
    assert narrow_fetch_meta({**FETCH, **extra}) == WebFetchMeta("https://a.example/", 200, False)


def test_a_key_that_is_no_text_does_not_hide_the_real_fault() -> None:
    meta: dict[Any, Any] = {"sources": [{"url": 1, 5: 5}], "truncated": False}
    assert str(narrow_search_meta(meta)) == "$.sources[0].url: expected str, got int"
    meta = {"sources": ["\ud83d"], "truncated": False, "\ud83d": 1}
    assert str(narrow_search_meta(meta)) == "$.sources[0]: expected object, got str"


def test_present_fields_gives_plain_json() -> None:
    assert present_fields(Refusal("$", "why")) == {"path": "$", "reason": "why"}
