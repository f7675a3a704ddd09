"""The command line, as a program that another program starts."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.shared import ROOT
from webcards.library.specimens import SPECIMENS


def webcards(*args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "webcards", *args],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
    )


def printed(run: subprocess.CompletedProcess[bytes]) -> list[Any]:
    assert run.returncode == 0, run.stderr.decode()
    return [json.loads(line) for line in run.stdout.splitlines()]


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def result(meta: object) -> dict[str, object]:
    return {"content": [{"type": "text", "text": "raw <b>text</b>"}], "isError": False, "meta": meta}


def test_a_search_prints_call_result_and_view_from_the_library() -> None:
    (answer,) = printed(webcards("run", "web_search", '{"query": "harbour dues"}'))
    assert set(answer) == {"call", "result", "view"}
    assert answer["call"]["data"]["name"] == "web_search"
    assert answer["view"]["kind"] == "search"
    assert answer["view"]["sources"] == answer["result"]["data"]["meta"]["sources"]
    assert answer["view"]["sources"]
    assert "library" in answer["view"]["answer"]


def test_a_fetch_prints_what_the_contract_says() -> None:
    (answer,) = printed(webcards("run", "web_fetch", json.dumps({"url": SPECIMENS["article"]})))
    assert answer["view"] == {
        "card": "web",
        "kind": "fetch",
        "title": SPECIMENS["article"],
        "url": SPECIMENS["article"],
        "statusCode": 200,
        "truncated": False,
    }


def test_an_error_result_is_a_result_and_exits_with_0() -> None:
    (answer,) = printed(webcards("run", "web_fetch", '{"url": "http://127.0.0.1/"}'))
    assert answer["view"] is None
    assert answer["result"]["data"]["error"]["code"] == "WEB_BLOCKED_URL"
    (answer,) = printed(webcards("run", "no_such_tool", "{}"))
    assert answer["result"]["data"]["error"]["code"] == "WEB_UNKNOWN_TOOL"


@pytest.mark.parametrize("args", ["{", "[" * 100_000])
def test_args_that_are_no_json_end_in_one_line_that_says_so(args: str) -> None:
    run = webcards("run", "web_search", args)
    assert run.returncode == 2
    assert run.stderr.decode().startswith("webcards: ARGS_JSON is no JSON")
    assert b"Traceback" not in run.stderr


def test_a_setting_that_cannot_be_used_is_named() -> None:
    run = webcards("run", "web_search", '{"query": "x"}', env={"WEBCARDS_SEARCH_MAX_RESULTS": "many"})
    assert run.returncode == 2
    assert b"WEBCARDS_SEARCH_MAX_RESULTS" in run.stderr
    assert b"Traceback" not in run.stderr


def test_present_prints_a_view_or_a_fallback_for_each_line() -> None:
    good = {
        "args": {"url": "u"},
        "result": result({"url": "https://a.example/", "statusCode": 200, "truncated": False}),
    }
    bad = {"args": {}, "result": result({"url": "https://a.example/", "statusCode": True, "truncated": False})}
    stdin = lines(good, bad) + b"not json\n\n" + b"[" * 100_000 + b"\n" + lines({"args": {}})
    views = printed(webcards("present", "web_fetch", stdin=stdin))
    assert views[0]["view"]["title"] == "u"
    assert views[0]["fallback"] is None
    assert views[1] == {"view": None, "fallback": {"path": "$.statusCode", "reason": "expected int, got bool"}}
    assert [view["view"] for view in views[2:]] == [None, None, None]


def test_present_prints_any_status_and_any_text_as_json() -> None:
    meta = {"url": "https://a.example/\ud83d", "statusCode": 10**30, "truncated": False}
    (view,) = printed(webcards("present", "web_fetch", stdin=lines({"args": {}, "result": result(meta)})))
    assert view["view"]["statusCode"] == 10**30


def test_render_prints_the_card_or_the_raw_content() -> None:
    good = {"args": {"query": "q"}, "result": result({"sources": [{"url": "https://a.example/"}], "truncated": False})}
    run = webcards("render", "web_search", stdin=lines(good, {"args": {"query": "q"}, "result": result(None)}))
    html = run.stdout.decode()
    assert 'href="https://a.example/"' in html
    assert "raw &lt;b&gt;text&lt;/b&gt;" in html
    assert "<html" not in html
    page = webcards("render", "web_search", "--page", stdin=lines(good)).stdout.decode()
    assert page.startswith("<!doctype html>")


def test_extract_prints_one_object_a_file(tmp_path: Path) -> None:
    words = "The harbour office keeps a ledger of every boat that ties up before noon. " * 8
    page = (
        f"<html><head><title>Ledger</title></head><body><main><h1>Ledger</h1><p>{words}</p><a href='/x'>more</a></main>"
    )
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(page.encode()))
    (tmp_path / "c.gz").write_bytes(b"\x1f\x8bbroken")
    files = [str(tmp_path / name) for name in ("a.html", "b.html.gz", "c.gz", "absent.html")]
    run = webcards("extract", *files, "--url", "https://a.example/dir/")
    first, second, broken, absent = map(json.loads, run.stdout.splitlines())
    assert run.returncode == 1
    assert (first["file"], first["title"]) == (files[0], "Ledger")
    assert "ledger of every boat" in first["text"]
    assert first["ms"] > 0
    assert second["markdown"] == first["markdown"]
    assert broken["error"]["message"]
    assert absent["error"]["message"]


def test_pages_of_one_s_own_are_indexed_searched_and_fetched(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    words = "The crane at berth four lifts twelve tonnes and is inspected each spring. " * 5
    (folder / "crane.html").write_text(
        f"<html><head><title>Crane</title></head><body><main><h1>Crane</h1><p>{words}</p></main>"
    )
    (folder / "rota.md").write_text("# Rota\n\nThe night watch changes at six.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    out = tmp_path / "own.sqlite"
    made = webcards("index", str(folder), "--out", str(out), "--base-url", "https://handbook.example/")
    assert made.returncode == 0, made.stderr.decode()
    assert b"2 pages" in made.stderr
    assert b"broken.pdf" in made.stderr
    own = {"WEBCARDS_LIBRARY": str(out), "WEBCARDS_SEARCH_PROVIDER": "library"}
    (answer,) = printed(webcards("run", "web_search", '{"query": "crane inspection"}', env=own))
    assert answer["view"]["sources"][0]["url"] == "https://handbook.example/crane.html"
    (answer,) = printed(webcards("run", "web_fetch", '{"url": "https://handbook.example/crane.html"}', env=own))
    assert answer["view"]["statusCode"] == 200
    assert "twelve tonnes" in answer["result"]["data"]["message"]["content"][0]["content"][0]["text"]


def test_an_index_that_is_not_there_is_named() -> None:
    run = webcards("run", "web_fetch", '{"url": "https://a.example/"}', env={"WEBCARDS_LIBRARY": "/nowhere/own.sqlite"})
    assert run.returncode == 2
    assert b"WEBCARDS_LIBRARY" in run.stderr
    assert b"Traceback" not in run.stderr
    nothing = webcards("index", "/nowhere/at/all")
    assert nothing.returncode == 2
    assert b"Traceback" not in nothing.stderr


def test_the_pages_of_a_sitemap_are_indexed_and_what_cannot_be_fetched_is_named(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    pages = [httpserver.url_for("/one.html"), httpserver.url_for("/gone.html")]
    places = "".join(f"<url><loc>{page}</loc></url>" for page in pages)
    sitemap = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    httpserver.expect_request("/sitemap.xml").respond_with_data(sitemap, content_type="application/xml")
    words = "The crane at berth four lifts twelve tonnes and is inspected each spring. " * 5
    html = f"<html><head><title>Crane</title></head><body><main><h1>Crane</h1><p>{words}</p></main>"
    httpserver.expect_request("/one.html").respond_with_data(html, content_type="text/html")
    httpserver.expect_request("/gone.html").respond_with_data("gone", status=410)
    allowed = {"WEBCARDS_FETCH_ALLOW": f"{httpserver.host}:{httpserver.port}"}
    made = webcards("index", httpserver.url_for("/sitemap.xml"), "--out", str(tmp_path / "own.sqlite"), env=allowed)
    assert made.returncode == 0, made.stderr.decode()
    assert b"1 pages" in made.stderr
    assert b"/gone.html" in made.stderr
    assert b"410" in made.stderr


def recorded(tmp_path: Path) -> Path:
    """A session log with a search, a fetch and a line that is broken."""
    calls = [
        webcards("run", "web_search", '{"query": "harbour dues"}'),
        webcards("run", "web_fetch", json.dumps({"url": SPECIMENS["article"]})),
    ]
    events = [event for call in map(printed, calls) for event in (call[0]["call"], call[0]["result"])]
    log = tmp_path / "session.jsonl"
    log.write_bytes(lines({"type": "session", "version": 0, "id": "s", "createdAt": 1}, *events) + b'{"type": "tool/ca')
    return log


def test_a_log_is_replayed_converted_and_exported(tmp_path: Path) -> None:
    log = recorded(tmp_path)
    calls = printed(webcards("replay", str(log)))
    assert [(call["tool"], call["view"]["kind"]) for call in calls] == [
        ("web_search", "search"),
        ("web_fetch", "fetch"),
    ]
    converted = tmp_path / "native.jsonl"
    assert webcards("convert", str(log), "-o", str(converted)).returncode == 0
    again = printed(webcards("replay", str(converted)))
    assert [call["view"] for call in again] == [call["view"] for call in calls]
    assert printed(webcards("convert", str(log)))[0]["type"] == "session"
    for name, seen in (
        ("r.html", "<!doctype html>"),
        ("r.csv", calls[0]["view"]["sources"][0]["url"]),
        ("r.md", "https://office.kittiwick.example/dues"),
    ):
        assert webcards("export", str(log), "-o", str(tmp_path / name)).returncode == 0
        assert seen in (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "args",
    [
        ("replay", "{}/nowhere"),
        ("convert", "{}/nowhere"),
        ("convert", "{}/nowhere", "-o", "{}/r.html"),
        ("export", "{}/nowhere", "-o", "{}/r.html"),
    ],
)
def test_a_log_that_cannot_be_read_is_told_in_one_line(args: tuple[str, ...], tmp_path: Path) -> None:
    report = tmp_path / "r.html"
    report.write_text("an earlier report")
    run = webcards(*(arg.format(tmp_path) for arg in args))
    assert run.returncode == 2
    assert run.stderr.decode() == f"webcards: {tmp_path}/nowhere cannot be read: No such file or directory.\n"
    assert report.read_text() == "an earlier report"
