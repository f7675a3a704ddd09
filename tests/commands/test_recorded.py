"""Recorded results on standard input: every line is answered, whatever it is and however the file is encoded."""

import io
import json
from typing import Any

import pytest

from tests.commands.program import shell
from webcards.commands.recorded import Recorded, read_recorded

META = {"url": "https://a.example/", "statusCode": 200, "truncated": False}
RECORD = {"args": {"url": "u"}, "result": {"content": [], "isError": False, "meta": META}}
LINE = json.dumps(RECORD)


def read(data: bytes) -> list[Recorded]:
    return list(read_recorded(io.BufferedReader(io.BytesIO(data))))


@pytest.mark.parametrize(
    "data",
    [
        f"{LINE}\n{LINE}\n".encode(),
        f"{LINE}\r\n{LINE}".encode(),
        f"\ufeff{LINE}\n\ufeff{LINE}\n".encode(),
        f"\n\n{LINE}\n \t\n{LINE}\n\n".encode(),
        f"{LINE}\n{LINE}\n".encode("utf-16"),
        b"\xfe\xff" + f"{LINE}\r\n\r\n{LINE}\r\n".encode("utf-16-be"),
    ],
)
def test_lines_are_read_in_every_encoding_with_or_without_a_mark(data: bytes) -> None:
    assert [(line.args, line.result, line.fault) for line in read(data)] == [
        (RECORD["args"], RECORD["result"], None)
    ] * 2


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("not json", "line 3, column 1: not JSON: expecting value"),
        ('  {"args": }', "line 3, column 12: not JSON: expecting value"),
        (LINE[:-1], f"line 3, column {len(LINE)}: not JSON: expecting ',' delimiter"),
        ("[1, 2]", "line 3, column 1: expected object, got list"),
        ("null", "line 3, column 1: expected object, got null"),
        ('"text"', "line 3, column 1: expected object, got str"),
        ("[" * 100_000, "line 3, column 1: nested too deeply to be read"),
        ('{"args": ' + "1" * 5_000 + "}", "line 3, column 1: holds a number too long to be read"),
    ],
)
def test_a_line_that_cannot_be_used_says_where_and_costs_no_other(bad: str, reason: str) -> None:
    first, second, third = read(f"{LINE}\n\n{bad}\n{LINE}\n".encode())
    assert (first.fault, third.fault) == (None, None)
    assert second.fault is not None
    assert (second.fault.path, second.fault.reason) == ("$", reason)
    assert second.text == bad.strip()


def presented(stdin: bytes) -> list[Any]:
    run = shell("webcards present web_fetch", stdin=stdin)
    assert (run.returncode, run.stderr) == (0, b"")
    return [json.loads(line) for line in run.stdout.decode("utf-8").splitlines()]


def test_present_tells_a_line_that_is_no_json_from_an_absent_meta() -> None:
    good, bad, absent = presented(f"\ufeff{LINE}\nnot json\n\n{{}}\n".encode())
    assert good["view"]["statusCode"] == 200
    assert bad == {"view": None, "fallback": {"path": "$", "reason": "line 2, column 1: not JSON: expecting value"}}
    assert absent["fallback"]["path"] == "$.meta"


def test_render_shows_a_line_that_is_no_json_as_it_is() -> None:
    run = shell("webcards render web_fetch", stdin=f"not <b>json</b>\n{LINE}\n".encode())
    html = run.stdout.decode()
    assert "not &lt;b&gt;json&lt;/b&gt;" in html
    assert "line 1, column 1: not JSON: expecting value" in html
    assert 'href="https://a.example/"' in html


def test_what_is_printed_is_json_that_any_reader_takes() -> None:
    record = (
        '{"args": {"url": "x\\ud83d"}, "result": {"content": [], "isError": false,'
        ' "meta": {"url": "https://a.example/\\udc00", "statusCode": 1e30, "truncated": false, "more": NaN}}}'
    )
    (shown,) = presented(record.encode())
    assert shown["view"]["title"] == "x\ufffd"
    assert shown["view"]["url"] == "https://a.example/\ufffd"
    run = shell('webcards run no_such_tool \'{"query": "x\\ud83d", "n": 1e999}\'')
    ran = json.loads(run.stdout.decode("utf-8"), parse_constant=pytest.fail)
    assert json.loads(ran["call"]["data"]["arguments"], parse_constant=pytest.fail) == {"query": "x\ufffd", "n": None}
