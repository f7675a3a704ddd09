"""What the command line does with logs, and the sources as tables."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.logs.made import HEAD, call, fetch, result, search
from tests.shared import shared_path
from webcards import logs
from webcards.logs.command import CannotReadError, convert, export_sources, replay_lines
from webcards.logs.sources import COLUMNS, source_rows, sources_csv, sources_markdown

HOSTILE = [
    {"url": "https://a.example/x(1)", "title": "=HYPERLINK(1)", "snippet": "a | b\n# c", "publishedAt": "2 days ago"},
    {"url": "javascript:alert(1)", "title": "[x](y)"},
]
LOG = (
    HEAD
    + search("s1", HOSTILE, query="*quay*")
    + fetch("f1", status=404)
    + call("e1")
    + result("e1", code="WEB_ABORTED")
)


def test_one_object_a_call_says_what_there_is_of_it(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(LOG + b"oops\n")
    told: list[str] = []
    printed = [json.loads(line) for line in replay_lines([str(tmp_path / "log")], None, told.append)]
    assert [set(row) for row in printed] == [
        {"callId", "tool", "format", "title", "args", "isError", "view", "fallback", "content", "time"}
    ] * 3
    assert [row["title"] for row in printed] == ["*quay*", "https://d.example/", "query e1"]
    assert printed[1]["view"]["statusCode"] == 404
    assert printed[2]["fallback"] == {"path": "$.isError", "reason": "the call failed: an error has no card"}
    assert [row["isError"] for row in printed] == [False, False, True]
    assert told == [f"{tmp_path / 'log'}: line 8, column 1: not JSON: expecting value"]


def test_a_view_of_a_foreign_log_lacks_the_status_that_was_not_recorded() -> None:
    path = shared_path("logs") / "anthropic" / "14-ellmer-web-fetch.json"
    row = json.loads(next(replay_lines([str(path)], None, print)))
    assert "statusCode" not in row["view"]
    assert row["format"] == "anthropic"


def test_a_converted_log_reads_back_with_the_same_views(tmp_path: Path) -> None:
    path = shared_path("logs") / "langgraph" / "02-deerflow-thread-web-messages.json"
    target = io.StringIO()
    assert convert(str(path), target, None, print) == 14
    again = list(logs.read(target.getvalue().encode()))
    assert [logs.view_of(item) for item in again] == [logs.view_of(item) for item in logs.read(path)]
    assert {item.origin for item in again} == {"langgraph"}


def test_what_cannot_be_read_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(CannotReadError, match="cannot be read"):
        list(replay_lines([str(tmp_path / "nothing")], None, print))
    (tmp_path / "log").write_bytes(LOG)
    with pytest.raises(CannotReadError, match="known ones"):
        list(replay_lines([str(tmp_path / "log")], "no such", print))
    with pytest.raises(CannotReadError, match="parquet"):
        export_sources([str(tmp_path / "log")], tmp_path / "out.xlsx", None, print)


def test_rows_of_the_table_are_sources_and_pages_in_order() -> None:
    rows = list(source_rows(logs.read(LOG)))
    assert [(row["call"], row["rank"], row["url"], row["status"]) for row in rows] == [
        (1, 1, "https://a.example/x(1)", None),
        (1, 2, "javascript:alert(1)", None),
        (2, None, "https://d.example/", 404),
    ]
    assert all(tuple(row) for row in rows)


def test_a_cell_that_a_spreadsheet_would_run_is_text() -> None:
    rows = list(csv.DictReader(io.StringIO("".join(sources_csv(logs.read(LOG))))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["title"] == "'=HYPERLINK(1)"
    assert rows[0]["snippet"] == "a | b\n# c"


def test_the_markdown_list_has_links_to_http_addresses_only() -> None:
    from markdown_it import MarkdownIt

    text = "".join(sources_markdown(logs.read(LOG)))
    inline = [child for token in MarkdownIt().parse(text) for child in token.children or []]
    assert [child.attrs["href"] for child in inline if child.type == "link_open"] == [
        "https://a.example/x(1)",
        "https://d.example/",
    ]
    assert not [child for child in inline if child.type in ("em_open", "html_inline", "image")]


def test_the_sources_are_written_masked_as_csv_markdown_and_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    (tmp_path / "log").write_bytes(HEAD + search("s1", [{"url": "https://a.example/?sig=hunter22", "title": "A"}]))
    for name in ("out.csv", "out.md", "out.parquet"):
        export_sources([str(tmp_path / "log")], tmp_path / name, None, print)
    assert "sig=masked" in (tmp_path / "out.csv").read_text()
    assert "hunter22" not in (tmp_path / "out.md").read_text()
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert table[0]["url"] == "https://a.example/?sig=masked"
