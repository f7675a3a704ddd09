"""The standard streams: a reader that goes, a full disk and a stream that was never opened end in one line or none."""

import json
import shlex
from pathlib import Path

import pytest

from tests.commands.program import shell
from webcards.library.specimens import SPECIMENS

RESULT = {"content": [], "isError": False, "meta": {"sources": [{"url": "https://a.example/"}], "truncated": False}}
# More than any pipe holds, so that a reader that goes is noticed.
LINES = json.dumps({"args": {"query": "q"}, "result": RESULT}).encode() + b"\n"
MANY = LINES * 4_000
CALL = {"type": "tool/call", "data": {"callId": "c", "name": "web_search", "arguments": {"query": "q"}}}
LOG = json.dumps({"type": "session", "version": 0}) + "\n" + json.dumps(CALL) + "\n"

FETCH = f"webcards run web_fetch {shlex.quote(json.dumps({'url': SPECIMENS['article']}))}"
PRINTING = [
    FETCH,
    "webcards present web_search",
    "webcards render web_search --page",
    "webcards extract README.md",
    "webcards replay -",
    "webcards convert -",
    "webcards batch list",
    "webcards batch --help",
]


@pytest.mark.parametrize("command", PRINTING)
def test_a_full_disk_is_told_in_one_line(command: str, tmp_path: Path) -> None:
    stdin = LOG.encode() if command.endswith(" -") else LINES
    run = shell(f"{command} >/dev/full", stdin=stdin, env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 1
    assert run.stderr.decode() == "webcards: standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("command", [FETCH, "webcards convert -"])
def test_a_closed_standard_output_is_told_and_no_file_takes_its_place(command: str, tmp_path: Path) -> None:
    run = shell(f"{command} >&-", stdin=LINES, env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 1
    assert run.stderr.decode().splitlines()[-1] == "webcards: standard output cannot be written: it is closed."
    database = tmp_path / "calls.db"
    assert not database.exists() or database.read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("command", ["present web_search", "render web_search"])
def test_a_reader_that_has_enough_is_no_fault(command: str) -> None:
    run = shell(f"webcards {command} | head -1", stdin=MANY)
    assert run.returncode == 0
    assert run.stderr == b""
    assert len(run.stdout.splitlines()) == 1


def test_help_that_nobody_reads_to_its_end_is_no_fault() -> None:
    run = shell("webcards batch --help | true")
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.parametrize(
    "command", ["present web_search", "render web_search --page", "replay -", "convert -", "batch run -"]
)
def test_a_closed_standard_input_is_told_in_one_line(command: str, tmp_path: Path) -> None:
    run = shell(f"webcards {command} <&-", env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 2
    (line,) = run.stderr.decode().splitlines()
    assert line.startswith("webcards: standard input")
    assert "it is closed" in line
    assert run.stdout == b""


def test_a_fetch_needs_neither_standard_input_nor_standard_error(tmp_path: Path) -> None:
    run = shell(f"{FETCH} <&- 2>&-", env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 0
    assert json.loads(run.stdout)["view"]["statusCode"] == 200


def test_messages_that_nobody_can_read_cost_nothing(tmp_path: Path) -> None:
    out = tmp_path / "own.sqlite"
    run = shell(f"webcards index README.md --out {out} 2>/dev/full")
    assert run.returncode == 0
    assert out.exists()
