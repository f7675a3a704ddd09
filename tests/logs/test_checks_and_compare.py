"""Checks over a whole log, each with what must be found and what must not; and two logs compared by their cards."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.logs.made import HEAD, call, fetch, line, result, search
from webcards import logs
from webcards.logs.checks import MAX_LISTED, run_checks
from webcards.logs.compare import compare, differences

NOW = datetime(2026, 12, 1, tzinfo=UTC)
A, B, C = ({"url": f"https://{letter}.example/", "title": letter.upper()} for letter in "abc")


def _found(data: bytes) -> dict[str, list[tuple[int, str]]]:
    checks = run_checks(logs.read_log(data), NOW)
    assert all(check.count == len(check.findings) for check in checks)
    return {check.name: [(finding.n, finding.detail) for finding in check.findings] for check in checks}


def test_calls_without_a_card_are_listed_with_the_reason() -> None:
    found = _found(
        HEAD
        + search("c1")
        + call("c2")
        + result("c2")
        + call("c3")
        + result("c3", "Error: x", code="WEB_ABORTED")
        + call("c4")
    )
    assert [n for n, _ in found["fell_back"]] == [2, 3]
    assert found["fell_back"][0][1].startswith("$.meta")
    assert [n for n, _ in found["no_result"]] == [4]


def test_a_flag_that_disagrees_with_the_text_is_found_in_both_directions() -> None:
    cut = "Hi\n\n[Cut: characters 0 to 2 of 9. To read on, fetch again with start=2.]"
    meta = {"sources": [A], "truncated": True}
    note = "Sources:\n- [A](https://a.example/)\n\nOnly 1 source is shown; more were found."
    data = b"".join(
        [
            HEAD,
            fetch("1", text=cut, truncated=True),
            fetch("2", text=cut),
            fetch("3", truncated=True),
            fetch("4"),
            call("5") + result("5", note, meta),
            call("6") + result("6", "Sources:", meta),
            call("7") + result("7", note, {**meta, "truncated": False}),
        ]
    )
    assert [n for n, _ in _found(data)["truncated_flag"]] == [2, 3, 6, 7]


def test_duplicates_links_dates_and_markup_are_found() -> None:
    sources = [
        A,
        A,
        {"url": "javascript:alert(1)"},
        {**B, "publishedAt": "2027-01-05"},
        {**C, "publishedAt": "2 days ago", "snippet": "a <strong>b</strong>"},
        {"url": "https://d.example/", "publishedAt": "2026-12-01", "snippet": "1 < 2 and 3 > 2 & so on"},
    ]
    found = _found(HEAD + search("c1", sources) + fetch("c2", "ftp://x.example/"))
    assert found["duplicate_urls"] == [(1, "https://a.example/")]
    assert found["unsafe_links"] == [(1, "javascript:alert(1)"), (2, "ftp://x.example/")]
    assert [detail.split(":")[0] for _, detail in found["future_dates"]] == ["2027-01-05"]
    assert [detail.split(":")[0] for _, detail in found["snippet_markup"]] == ["<strong>"]


def test_a_date_is_in_the_future_of_its_call_not_of_today() -> None:
    meta = {"sources": [{**A, "publishedAt": "2026-06-01"}], "truncated": False}
    early = call("c1", time=1_767_225_600_000) + result("c1", meta=meta)
    assert len(_found(HEAD + early)["future_dates"]) == 1


def _message(text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    return line(
        {
            "type": "assistant/message",
            "data": {"turn": 1, "step": 9, "message": {"role": "assistant", "content": content}},
        }
    )


def test_citations_are_held_against_sources_and_pages() -> None:
    rows = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "function": {"name": "web_search", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": json.dumps([{**A, "url": "https://a.example"}, B])},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "2", "function": {"name": "web_fetch", "arguments": '{"url": "https://p.example/x"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "2", "content": "page"},
        {
            "role": "assistant",
            "content": "See [a](https://a.example/?utm_source=openai), https://p.example/x. And [z](https://z.example/).",
        },
    ]
    found = _found(json.dumps({"messages": rows}).encode())
    assert [detail for _, detail in found["unknown_citations"]] == ["https://z.example/"]
    assert [detail for _, detail in found["uncited_sources"]] == ["https://b.example/"]


def test_citations_in_the_messages_of_a_session_log_count() -> None:
    found = _found(HEAD + search("c1", [A, B]) + _message("As [a](https://a.example/) says, and https://z.example/."))
    assert [detail for _, detail in found["unknown_citations"]] == ["https://z.example/"]
    assert [detail for _, detail in found["uncited_sources"]] == ["https://b.example/"]


def test_without_any_answer_nothing_is_uncited() -> None:
    assert _found(HEAD + search("c1"))["uncited_sources"] == []


def test_all_are_counted_though_not_all_are_listed() -> None:
    data = HEAD + b"".join(call(f"c{n}") for n in range(MAX_LISTED + 5))
    check = next(check for check in run_checks(logs.read_log(data)) if check.name == "no_result")
    assert (check.count, len(check.findings)) == (MAX_LISTED + 5, MAX_LISTED)


def _log(*parts: bytes) -> list[logs.LoggedCall]:
    return list(logs.read(HEAD + b"".join(parts)))


def _changes(before: bytes, after: bytes) -> list[tuple[str, str, Any, Any]]:
    found = differences(_log(before)[0], _log(after)[0])
    return [(change.kind, change.where, change.before, change.after) for change in found]


def test_sources_that_came_went_moved_or_changed_are_told() -> None:
    before = search("c", [A, B, C, {"url": "https://d.example/"}])
    after = search(
        "c", [B, {**A, "title": "New"}, {**C, "snippet": "s", "publishedAt": "2026"}, {"url": "https://e.example/"}]
    )
    assert _changes(before, after) == [
        ("source gone", "https://d.example/", 4, None),
        ("source added", "https://e.example/", None, 4),
        ("source moved", "https://a.example/", 1, 2),
        ("title", "https://a.example/", "A", "New"),
        ("snippet", "https://c.example/", None, "s"),
        ("date", "https://c.example/", None, "2026"),
    ]


def test_a_change_of_status_flag_or_kind_of_card_is_told() -> None:
    assert _changes(fetch("c"), fetch("c", status=404, truncated=True)) == [
        ("field", "status_code", 200, 404),
        ("field", "truncated", False, True),
    ]
    error = call("c", "web_fetch", {"url": "https://d.example/"}) + result("c", "Error", code="WEB_FETCH_TIMEOUT")
    assert _changes(fetch("c"), error) == [("card", "card", "fetch card", "error (WEB_FETCH_TIMEOUT)")]


def test_bytes_that_differ_while_the_card_does_not_are_no_difference() -> None:
    other = search("other", [A]).replace(b'"Sources:"', b'"other words"')
    assert _changes(search("c", [A]), other) == []


def test_calls_are_brought_together_by_tool_and_args_in_their_order() -> None:
    before = _log(search("1", [A], query="x"), search("2", [B], query="x"), fetch("3"), search("4", query="gone"))
    after = _log(fetch("9"), search("8", [A], queries=["x"]), search("7", [C], queries=["x"]), search("6", query="new"))
    pairs = compare(before, after)
    assert [(pair.state, pair.title, pair.before_n, pair.after_n) for pair in pairs] == [
        ("same", "x", 1, 2),
        ("changed", "x", 2, 3),
        ("same", "https://d.example/", 3, 1),
        ("only before", "gone", 4, None),
        ("only after", "new", None, 4),
    ]


def test_numbers_in_an_answer_are_held_against_the_sources_of_its_search() -> None:
    answer = "Dues [1], fell \ue200cite\ue202turn0search1\ue201, `[3]`, some say [9] or [2-7] in [2024]."
    meta = {"sources": [A, B, C], "truncated": False, "answer": answer}
    found = _found(HEAD + call("1") + result("1", meta=meta))
    assert [detail for _, detail in found["unknown_citations"]] == ["[9]", "[2-7]"]
    assert [detail for _, detail in found["uncited_sources"]] == ["https://c.example/"]


def test_numbers_in_a_message_count_where_there_was_one_search_since_the_last() -> None:
    one = _found(HEAD + search("1", [A, B]) + _message("Dues【2†L1】 and [3]."))
    assert [detail for _, detail in one["unknown_citations"]] == ["[3]"]
    assert [detail for _, detail in one["uncited_sources"]] == ["https://a.example/"]
    two = _found(HEAD + search("1", [A, B]) + search("2", [C]) + _message("Dues [2] and [3]."))
    assert two["unknown_citations"] == []
    again = _found(HEAD + search("1", [A, B]) + _message("Wait.") + search("2", [C]) + _message("Dues [1] and [2]."))
    assert [detail for _, detail in again["unknown_citations"]] == ["[2]"]
