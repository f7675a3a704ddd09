"""The index of a log: the list, its filters, single calls read back, progress, and a log that still grows."""

import gzip
import io
import json
import sqlite3
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.logs.made import HEAD, SOURCE, call, fetch, result, search
from tests.shared import shared_path
from webcards import logs
from webcards.contract.views import WebSearchResultView
from webcards.logs.filters import Filters
from webcards.logs.index import LogIndex, Progress
from webcards.logs.index_schema import VERSION
from webcards.logs.indexing import Indexing
from webcards.logs.reread import StaleLogError


def _indexed(tmp_path: Path, data: bytes, name: str = "log.jsonl") -> tuple[LogIndex, Indexing, Path]:
    path = tmp_path / name
    path.write_bytes(data)
    index = LogIndex.open(tmp_path / "index.sqlite")
    indexing = Indexing(index, path)
    indexing.run()
    return index, indexing, path


def _mixed() -> bytes:
    other = [{"url": "https://b.example/", "title": "Ebbe und Flut", "snippet": "Gezeiten"}]
    return b"".join(
        [
            HEAD,
            search("s1", queries=["harbour dues"]),
            search("s2", other, queries=["潮汐 table"]),
            fetch("f1", "https://d.example/a", 200, truncated=True),
            fetch("f2", "https://d.example/b", 404),
            call("e1", time=1_764_550_000_000) + result("e1", "Error: x", code="WEB_FETCH_TIMEOUT"),
            call("m1", time=1_764_560_000_000) + result("m1", meta={"sources": 3}),
            call("u1", "web_fetch", {"url": "https://e.example/"}, time=1_764_570_000_000),
        ]
    )


def _ids(index: LogIndex, **filters: Any) -> list[str | None]:
    return [entry.call_id for entry in index.page(1, Filters(**filters))]


def test_every_filter_lists_what_it_names(tmp_path: Path) -> None:
    index, _, _ = _indexed(tmp_path, _mixed())
    assert _ids(index) == ["s1", "s2", "f1", "f2", "e1", "m1", "u1"]
    assert _ids(index, tool="web_fetch") == ["f1", "f2", "u1"]
    assert _ids(index, kind="search") == ["s1", "s2"]
    assert _ids(index, kind="unfinished") == ["u1"]
    assert _ids(index, status_class=4) == ["f2"]
    assert _ids(index, truncated=True) == ["f1"]
    assert _ids(index, fell_back=True) == ["e1", "m1", "u1"]
    assert _ids(index, fell_back=False) == ["s1", "s2", "f1", "f2"]
    assert _ids(index, is_error=True) == ["e1"]
    assert _ids(index, code="WEB_FETCH_TIMEOUT") == ["e1"]
    assert _ids(index, host="D.example") == ["f1", "f2"]
    assert _ids(index, since=1_764_560_000_000) == ["m1", "u1"]
    assert _ids(index, until=1_764_550_000_000) == ["e1"]
    assert _ids(index, problems=True) == ["e1", "m1", "u1"]
    assert _ids(index, tool="web_search", is_error=False, text="harb") == ["s1"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("harbour", ["s1"]), ("HARBOUR dues", ["s1"]), ("gezei", ["s2"]), ("潮汐", ["s2"]), ("d.example", ["f1", "f2"]), ("zzz", []),
     ('"', []), ("NOT", []), ("a OR b*", []), ("%", []), ("_", []), ("'; DROP TABLE calls; --", [])],
)  # fmt: skip
def test_what_people_type_is_text_and_never_syntax(tmp_path: Path, text: str, found: list[str]) -> None:
    index, _, _ = _indexed(tmp_path, _mixed())
    assert _ids(index, text=text) == found
    assert index.count() == 7


def test_an_entry_says_what_a_row_of_the_list_shows(tmp_path: Path) -> None:
    index, _, _ = _indexed(tmp_path, _mixed())
    entry = index.entry(4)
    assert entry is not None
    assert (entry.title, entry.status, entry.host, entry.line, entry.kind) == (
        "https://d.example/b",
        404,
        "d.example",
        8,
        "fetch",
    )
    bad = index.entry(6)
    assert bad is not None
    assert str(bad.fallback) == "$.sources: expected list, got int"
    assert index.entry(99) is None


def test_pages_hold_fifty_calls_and_a_call_is_found_on_its_page(tmp_path: Path) -> None:
    index, _, _ = _indexed(tmp_path, HEAD + b"".join(fetch(f"c{n}") if n % 3 else search(f"c{n}") for n in range(120)))
    assert [len(index.page(number)) for number in (1, 2, 3, 4)] == [50, 50, 20, 0]
    fetches = Filters(tool="web_fetch")
    assert index.place_of(120, fetches) == index.count(fetches) == 80
    assert index.named("c7") == 8
    assert index.next_after(1, Filters(tool="web_search")) == 4
    assert index.next_after(120) is None


def test_a_call_that_was_written_behind_half_a_record_is_read_back_from_its_place(tmp_path: Path) -> None:
    half = result("c1", "one").rstrip(b"\n")[:60]
    index, _, _ = _indexed(tmp_path, HEAD + call("c1") + half + fetch("c2", text="Read back"))
    found = [index.call(number) for number in (1, 2)]
    assert [(item.call_id, item.result.text[-9:] if item.result else None) for item in found] == [
        ("c1", None),
        ("c2", "Read back"),
    ]


def test_facets_count_the_names_to_choose_from(tmp_path: Path) -> None:
    index, _, _ = _indexed(tmp_path, _mixed())
    facets = index.facets()
    assert dict(facets["tool"]) == {"web_search": 4, "web_fetch": 3}
    assert dict(facets["host"]) == {"a.example": 1, "b.example": 1, "d.example": 2, "e.example": 1}
    assert dict(facets["code"]) == {"WEB_FETCH_TIMEOUT": 1}


def test_a_call_read_back_is_the_call_that_was_read() -> None:
    # On every recorded log; see below for packed ones.
    folder = shared_path("logs")
    import tempfile

    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.parent != folder):
        with tempfile.TemporaryDirectory() as place, LogIndex.open(Path(place) / "i") as index:
            Indexing(index, path).run()
            assert [back for _, back in index.calls()] == list(logs.read(path)), path


def test_a_call_of_a_packed_log_is_read_back_from_its_copy(tmp_path: Path) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.jsonl", _mixed())
        archive.writestr("b.gz", gzip.compress(HEAD + fetch("z9")))
        archive.writestr("c.txt", (HEAD + search("w1")).decode().encode("utf-16"))
    index, _, path = _indexed(tmp_path, target.getvalue(), "logs.zip")
    path.unlink()
    assert [back.call_id for _, back in index.calls()] == ["s1", "s2", "f1", "f2", "e1", "m1", "u1", "z9", "w1"]
    assert all(back.position.member for _, back in index.calls())


def test_an_upload_is_read_back_though_it_was_never_a_file(tmp_path: Path) -> None:
    with LogIndex.open(tmp_path / "i") as index:
        Indexing(index, io.BytesIO(_mixed()), name="upload.jsonl").run()
        assert [back.call_id for _, back in index.calls(Filters(kind="fetch"))] == ["f1", "f2"]
        assert index.value("name") == "upload.jsonl"


def test_a_log_that_changed_is_told_and_not_guessed(tmp_path: Path) -> None:
    index, _, path = _indexed(tmp_path, _mixed())
    path.write_bytes(HEAD)
    with pytest.raises(StaleLogError, match="index it again"):
        index.call(3)
    path.unlink()
    with pytest.raises(StaleLogError, match="cannot be read"):
        index.call(3)
    with pytest.raises(KeyError):
        index.call(99)


def test_what_could_not_be_read_is_kept_with_its_place(tmp_path: Path) -> None:
    index, _, _ = _indexed(tmp_path, HEAD + b"oops\n" + search("c1") + b"{\n")
    assert [(problem.line, problem.column) for problem in index.problems()] == [(2, 1), (5, 2)]
    assert index.problem_count() == 2


def test_progress_goes_forward_and_ends_finished(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(HEAD + b"".join(search(f"c{n}") for n in range(60)))
    told: list[Progress] = []
    with LogIndex.open(tmp_path / "i") as index:
        Indexing(index, path, on_progress=told.append).run()
    assert told[0].calls == 1
    assert [item.calls for item in told] == sorted(item.calls for item in told)
    assert told[-1].finished
    assert told[-1].done == told[-1].total == path.stat().st_size
    assert told[-1].seconds_left == 0


def test_the_first_calls_can_be_seen_while_the_rest_is_being_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(HEAD + b"".join(search(f"c{n}") for n in range(200)))
    seen: list[int] = []

    def look(progress: Progress) -> None:
        with LogIndex.open(tmp_path / "i") as other:
            seen.append(other.count() - progress.calls)

    with LogIndex.open(tmp_path / "i") as index:
        Indexing(index, path, on_progress=look).run()
    assert len(seen) > 10
    assert set(seen) == {0}


def test_cancelling_keeps_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(HEAD + b"".join(search(f"c{n}") for n in range(500)))
    with LogIndex.open(tmp_path / "i") as index:
        indexing = Indexing(
            index, path, on_progress=lambda progress: indexing.cancel() if progress.calls >= 10 else None
        )
        assert not indexing.run().finished
        assert 10 <= index.count() < 500
        assert index.value("finished") == 0


def test_a_growing_log_is_followed_line_by_line(tmp_path: Path) -> None:
    index, indexing, path = _indexed(tmp_path, HEAD + search("c1") + call("c2"))
    assert [(entry.call_id, entry.unfinished) for entry in index.page()] == [("c1", False), ("c2", True)]
    answer = result("c2", meta={"sources": [SOURCE], "truncated": False})
    with path.open("ab") as file:
        file.write(answer[:40])
    indexing.follow()
    assert [entry.unfinished for entry in index.page()] == [False, True]
    assert index.problem_count() == 1
    with path.open("ab") as file:
        file.write(answer[40:] + call("c3", "web_fetch", {"url": "https://d.example/"}))
    progress = indexing.follow()
    assert [(entry.call_id, entry.unfinished) for entry in index.page()] == [("c1", False), ("c2", False), ("c3", True)]
    assert index.problem_count() == 0
    assert index.call(2).result is not None
    assert progress.finished
    assert index.call(3).unfinished


def test_a_log_that_begins_empty_is_followed(tmp_path: Path) -> None:
    index, indexing, path = _indexed(tmp_path, b"")
    assert index.problem_count() == 1
    path.write_bytes(HEAD)
    with path.open("ab") as file:
        file.write(search("c1"))
    indexing.follow()
    assert _ids(index) == ["c1"]
    assert index.problem_count() == 0


def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    index, indexing, path = _indexed(tmp_path, _mixed())
    path.write_bytes(HEAD + search("n1"))
    indexing.follow()
    assert _ids(index) == ["n1"]
    moved = tmp_path / "other"
    moved.write_bytes(_mixed() * 2)
    moved.replace(path)
    indexing.follow()
    assert index.count() == 14


def test_following_gives_what_reading_at_once_gives(tmp_path: Path) -> None:
    data = _mixed() + search("last")
    index, indexing, path = _indexed(tmp_path, b"")
    for at in range(0, len(data), 97):
        with path.open("ab") as file:
            file.write(data[at : at + 97])
        indexing.follow()
    assert [entry.call_id for entry in index.page()] == [item.call_id for item in logs.read(path)]
    assert index.problem_count() == 0


def test_an_index_of_another_version_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "i"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
        db.execute("CREATE TABLE calls (x)")
    db.close()
    with LogIndex.open(path) as index:
        assert index.count() == 0


def test_documents_of_a_folder_are_indexed_together(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    body = {"query": "q", "results": [{"url": "https://t.example/", "title": "T"}], "response_time": 1}
    (folder / "a.json").write_text(json.dumps(body))
    (folder / "b.jsonl").write_bytes(_mixed())
    with LogIndex.open(tmp_path / "i") as index:
        Indexing(index, folder).run()
        assert index.count() == 8
        assert index.page()[0].member == "a.json"
        assert index.call(1).found is not None


_URL = "https://a.example/"
_FOUND = json.dumps([{"url": _URL, "title": "A"}])
_CALLED = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "q"}'}}
_SEARCHED = {"type": "search", "query": "q"}
LAST_TURNS: dict[str, list[dict[str, Any]]] = {
    "messages": [
        {"role": "assistant", "content": None, "tool_calls": [_CALLED]},
        {"role": "tool", "tool_call_id": "c1", "content": _FOUND},
        {"role": "assistant", "content": "So."},
    ],
    "states": [
        {
            "messages": [
                {
                    "type": "ai",
                    "id": "message-a",
                    "content": "",
                    "tool_calls": [{"name": "web_search", "args": {}, "id": "c1"}],
                }
            ]
        },
        {
            "messages": [
                {"type": "tool", "id": "message-t", "tool_call_id": "c1", "name": "web_search", "content": _FOUND}
            ]
        },
        {
            "messages": [
                {"type": "tool", "id": "message-t", "tool_call_id": "c1", "name": "web_search", "content": _FOUND},
                {"type": "ai", "id": "message-b", "content": "So."},
            ]
        },
    ],
    "codex": [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"id": "i", "type": "web_search", "query": "q", "action": _SEARCHED}},
        {"type": "item.completed", "item": {"id": "m", "type": "agent_message", "text": "So."}},
    ],
    "managed agents": [
        {"type": "agent.tool_use", "id": "c1", "name": "web_search", "input": {"query": "q"}},
        {"type": "agent.tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": _FOUND}]},
        {"type": "agent.message", "content": [{"type": "text", "text": "So."}]},
    ],
}


@pytest.mark.parametrize("name", LAST_TURNS)
def test_the_last_turn_of_a_log_has_its_answer_in_the_index_too(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in LAST_TURNS[name]))
    with LogIndex.open(tmp_path / "index.sqlite") as index:
        Indexing(index, path).run()
        assert index.count() == 1
        view = logs.view_of(index.call(1))
    assert isinstance(view, WebSearchResultView)
    assert view.answer == "So."
    assert view == logs.view_of(next(iter(logs.read(path))))


def test_a_new_index_can_be_opened_by_several_threads_at_once(tmp_path: Path) -> None:
    for number in range(20):
        path = tmp_path / f"{number}.sqlite"
        together = threading.Barrier(8)

        def opened(path: Path = path, together: threading.Barrier = together) -> int:
            together.wait()
            with LogIndex.open(path) as index:
                return index.count()

        with ThreadPoolExecutor(8) as threads:
            assert [future.result() for future in [threads.submit(opened) for _ in range(8)]] == [0] * 8
