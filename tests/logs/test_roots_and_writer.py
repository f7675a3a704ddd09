"""Which paths on the server may be opened; and a session log that is written and read back."""

import io
import json
from pathlib import Path

import pytest

from tests.logs.made import HEAD, search
from webcards import logs
from webcards.contract.present import ToolResult
from webcards.logs.roots import OutsideRootsError, allowed_paths
from webcards.logs.times import milliseconds, moment


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    inside = tmp_path / "logs"
    (inside / "deep").mkdir(parents=True)
    for name in ("a.jsonl", "b.jsonl", "deep/c.jsonl", "notes.txt"):
        (inside / name).write_bytes(HEAD)
    (tmp_path / "secret.jsonl").write_bytes(HEAD)
    (inside / "out.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (inside / "up").symlink_to(tmp_path)
    (tmp_path / "logs-not").mkdir()
    (tmp_path / "logs-not" / "x.jsonl").write_bytes(HEAD)
    return tmp_path


def test_paths_globs_and_folders_inside_a_root_are_opened(tree: Path) -> None:
    root = tree / "logs"
    assert allowed_paths("a.jsonl", [root]) == [root / "a.jsonl"]
    assert allowed_paths(str(root / "deep"), [root]) == [root / "deep"]
    assert allowed_paths("*/c.jsonl", [root]) == [root / "deep" / "c.jsonl"]
    assert [path.name for path in allowed_paths("**/[abc].jsonl", [root])] == ["a.jsonl", "b.jsonl", "c.jsonl"]
    assert allowed_paths(".", [root]) == [root]


@pytest.mark.parametrize(
    "asked",
    [
        "../secret.jsonl",
        "out.jsonl",
        "up/secret.jsonl",
        "/etc/hosts",
        "deep/../../secret.jsonl",
        "up/*.jsonl",
        "../logs-not/x.jsonl",
        "~/",
    ],
)
def test_nothing_outside_the_roots_is_opened_by_no_way(tree: Path, asked: str) -> None:
    with pytest.raises(OutsideRootsError):
        allowed_paths(asked, [tree / "logs"])


def test_a_glob_leaves_out_links_that_lead_outside(tree: Path) -> None:
    names = [path.name for path in allowed_paths("*.jsonl", [tree / "logs"])]
    assert names == ["a.jsonl", "b.jsonl"]


def test_without_roots_nothing_is_opened_and_the_setting_is_named(tree: Path) -> None:
    with pytest.raises(OutsideRootsError, match="WEBCARDS_LOG_ROOTS"):
        allowed_paths(str(tree / "logs" / "a.jsonl"), [])


@pytest.mark.parametrize("asked", ["nothing.jsonl", "", "*.nothing", "a\0b"])
def test_what_is_not_there_is_told(tree: Path, asked: str) -> None:
    with pytest.raises(FileNotFoundError):
        allowed_paths(asked, [tree / "logs"])


def test_a_written_session_is_read_back_as_it_was() -> None:
    calls = list(logs.read(HEAD + search("c1", queries=["a\nb\u2028c"])))
    target = io.StringIO()
    count = logs.write_session(logs.events_of(calls), target, session_id="s", created_at=1)
    written = target.getvalue()
    assert count == 2
    assert written.count("\n") == 3
    assert json.loads(written.split("\n")[0]) == {"type": "session", "version": 0, "id": "s", "createdAt": 1}
    again = list(logs.read(written.encode()))
    assert [(item.call_id, item.args, item.result) for item in again] == [
        (item.call_id, item.args, item.result) for item in calls
    ]


def test_half_a_surrogate_pair_does_not_stop_the_writer() -> None:
    text = logs.session_text([{"type": "x", "data": "\ud83d"}], session_id="s", created_at=1)
    assert text.encode().endswith('"\ufffd"}\n'.encode())


def test_the_events_that_the_tools_give_can_be_written() -> None:
    from webcards.contract.events import ToolCallData, ToolCallEvent

    event = ToolCallEvent(ToolCallData("c1", "web_search", '{"query": "x"}'), time=5)
    item = next(iter(logs.read(logs.session_text([event], session_id="s", created_at=1).encode())))
    assert (item.call_id, item.time, item.unfinished) == ("c1", 5, True)
    assert ToolResult([]).text == ""


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2026-11-30", "2026-11-30T00:00:00+00:00"),
        ("2024-06-24T00:00:00.0000000", "2024-06-24T00:00:00+00:00"),
        ("2025-11-06T12:27:04.000Z", "2025-11-06T12:27:04+00:00"),
        ("Thu, 20 Mar 2025 16:09:00 +0900", "2025-03-20T07:09:00+00:00"),
        ("May 23, 2024", "2024-05-23T00:00:00+00:00"),
        ("January 15, 2024 - ", "2024-01-15T00:00:00+00:00"),
        (1_764_550_000_000, "2025-12-01T00:46:40+00:00"),
        (1_764_550_000, "2025-12-01T00:46:40+00:00"),
        ("1764550000", "2025-12-01T00:46:40+00:00"),
    ],
)
def test_a_moment_is_understood_in_each_of_its_spellings(written: object, iso: str) -> None:
    found = moment(written)
    assert found is not None
    assert found.isoformat() == iso


@pytest.mark.parametrize(
    "written", ["2 days ago", "N/A", "", None, True, "yesterday", "x" * 100, 10**30, float("inf"), [], "0000-00-00"]
)
def test_what_names_no_moment_gives_none(written: object) -> None:
    assert moment(written) is None
    assert milliseconds(written) is None


@pytest.mark.parametrize("args", ["[]", '{"url": "https://b.example/"}', '"x"', '{"url":', "tides", " "])
def test_args_that_are_a_text_are_that_text_again_when_converted(args: str) -> None:
    page = {"type": "web_fetch_result", "url": "https://a.example/", "content": {"source": {"data": "Quay dues."}}}
    use = {"type": "server_tool_use", "id": "f", "name": "web_fetch", "input": args}
    block = {"type": "web_fetch_tool_result", "tool_use_id": "f", "content": page}
    recorded = json.dumps({"role": "assistant", "content": [use, block]}).encode()
    call = next(iter(logs.read(recorded)))
    native = logs.session_text(logs.events_of([call]), session_id="s", created_at=0).encode()
    again = next(iter(logs.read(native)))
    assert (again.args, logs.explain(again)) == (call.args, logs.explain(call))
