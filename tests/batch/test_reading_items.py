"""What a batch is made of: lists, CSV, JSON Lines and logs, and what is left out of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.batch.items import SEARCHES, read_items


def _calls(data: str, name: str = "") -> list[tuple[str, dict[str, object]]]:
    return [(item.tool, json.loads(item.args)) for item in read_items(data.encode(), name=name).items]


def test_a_list_holds_urls_to_fetch_and_queries_to_search() -> None:
    assert _calls("https://a.example/x\n\n  tide tables  \nharbour, dues\n") == [
        ("web_fetch", {"url": "https://a.example/x"}),
        ("web_search", {"query": "tide tables"}),
        ("web_search", {"query": "harbour, dues"}),
    ]


def test_a_line_that_no_tool_can_take_is_left_out_with_its_number() -> None:
    read = read_items(b"https://a.example/\nftp://a.example/file\nhttps://\n")
    assert [(item.tool, item.host) for item in read.items] == [("web_fetch", "a.example")]
    assert [left.line for left in read.left] == [2, 3]
    assert all("URL" in left.reason for left in read.left)


def test_the_same_call_twice_is_made_once() -> None:
    read = read_items(b"rope\nrope\nhttps://a.example/\nhttps://a.example/\n")
    assert len(read.items) == 2
    assert read.repeated == 2


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_csv_is_read_by_its_columns_whatever_separates_them(separator: str) -> None:
    rows = [["id", "url", "query", "max_results"], ["1", "https://a.example/", "", ""], ["2", "", "rope", "3"]]
    text = "\r\n".join(separator.join(row) for row in rows)
    assert _calls(text) == [
        ("web_fetch", {"url": "https://a.example/"}),
        ("web_search", {"query": "rope", "max_results": 3}),
    ]


def test_a_quoted_field_of_a_csv_may_hold_commas_and_newlines() -> None:
    assert _calls('query,note\n"rope, tarred","two\nlines"\n', "list.csv") == [
        ("web_search", {"query": "rope, tarred"})
    ]


def test_json_lines_may_hold_whole_calls_or_arguments_alone() -> None:
    lines = [
        {"tool": "web_search", "args": {"queries": ["a", "b"]}},
        {"url": "https://a.example/", "start": 100, "note": "not an argument"},
        {"query": "rope"},
        {"tool": "shell", "args": {"command": "ls"}},
        "https://b.example/",
    ]
    text = "\n".join(map(json.dumps, lines)) + "\n{half a line"
    assert _calls(text) == [
        ("web_search", {"queries": ["a", "b"]}),
        ("web_fetch", {"start": 100, "url": "https://a.example/"}),
        ("web_search", {"query": "rope"}),
        ("web_fetch", {"url": "https://b.example/"}),
    ]
    assert [left.line for left in read_items(text.encode()).left] == [4, 6]


def test_a_session_log_gives_the_web_calls_that_were_made_in_it() -> None:
    events = [
        {"type": "session", "version": 0, "id": "s", "createdAt": 1},
        {"type": "tool/call", "data": {"callId": "c1", "name": "web_search", "arguments": '{"query": "rope"}'}},
        {"type": "tool/call", "data": {"callId": "c2", "name": "shell", "arguments": "{}"}},
        {
            "type": "tool/call",
            "data": {"callId": "c3", "name": "web_fetch", "arguments": '{"url": "https://a.example/"}'},
        },
    ]
    assert _calls("\n".join(map(json.dumps, events))) == [
        ("web_search", {"query": "rope"}),
        ("web_fetch", {"url": "https://a.example/"}),
    ]


def test_all_searches_count_as_one_host_and_a_fetch_as_its_own() -> None:
    read = read_items("rope\nhttps://Hafen.Example:8080/x\nhttps://例え.example/\n".encode())
    assert [item.host for item in read.items] == [SEARCHES, "hafen.example", "xn--r8jz45g.example"]


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    read_items(data)


@given(
    st.lists(
        st.sampled_from(["{", "[", "url", "query", ",", ";", "\n", '"', "https://a.example/", "a", "}", "]", ":", "\0"])
    )
)
def test_any_text_like_a_list_is_read_without_an_exception(parts: list[str]) -> None:
    read_items("".join(parts).encode())
