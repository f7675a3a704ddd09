"""What a newcomer gets wrong ends in one line that says what is wanted, and an exit code."""

from pathlib import Path

import pytest

from tests.commands.program import shell


def _no_json(why: str) -> str:
    return f'ARGS_JSON is no JSON that can be used: {why}. Give an object, such as \'{{"query": "harbour dues"}}\'.'


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("run", "Missing argument 'TOOL'. `python -m webcards run --help` says what it takes."),
        ("run web_search", "Missing argument 'ARGS_JSON'. `python -m webcards run --help` says what it takes."),
        ("run --frob", "No such option: --frob. `python -m webcards run --help` says what it takes."),
        ("frob", "No such command 'frob'. `python -m webcards --help` says what it takes."),
        ("extract", "Missing argument 'FILE…'. `python -m webcards extract --help` says what it takes."),
        ("batch run", "Missing argument 'FILE'. `python -m webcards batch run --help` says what it takes."),
        ("batch frob", "No such command 'frob'. `python -m webcards batch --help` says what it takes."),
        (
            "run web_search '{\"query\": NaN}'",
            _no_json("it has no NaN"),
        ),
        (
            'run web_search "{\\"max_results\\": $(printf 1%.0s {1..5000})}"',
            _no_json("a number in it is too long to be read"),
        ),
        (
            'run web_search "$(printf [%.0s {1..10000})$(printf ]%.0s {1..10000})"',
            _no_json("it is nested too deeply to be read"),
        ),
        (
            'run web_search \'{"query" "x"}\'',
            _no_json("expecting ':' delimiter at column 10"),
        ),
        ("index README.md --out /", "/ is no file, and the index would take its place. Name another."),
        (
            "convert README.md -o README.md",
            "README.md is the log itself, and would be overwritten before it is read. Name another file.",
        ),
    ],
)
def test_a_command_line_that_cannot_be_used_is_told_in_one_line(command: str, words: str) -> None:
    run = shell(f"webcards {command}")
    assert run.stderr.decode() == f"webcards: {words}\n"
    assert (run.returncode, run.stdout) == (2, b"")


def test_an_index_without_a_page_is_told_and_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    run = shell(f"webcards index {tmp_path}/pages --out {tmp_path}/own.sqlite")
    assert run.returncode == 2
    assert run.stderr.decode().splitlines()[-1].startswith("webcards: No page was indexed")


def test_no_command_at_all_shows_the_help() -> None:
    run = shell("webcards")
    assert run.returncode == 2
    assert "run" in (run.stdout + run.stderr).decode()
    assert b"webcards: " not in run.stderr


def test_a_number_that_no_database_holds_is_refused(tmp_path: Path) -> None:
    run = shell(f"webcards batch show {10**30}", env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 2
    assert run.stderr.decode().startswith("webcards: Invalid value for 'RUN'")


def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "calls.db").write_text("no database " * 100)
    run = shell("webcards batch list", env={"WEBCARDS_DATABASE_URL": f"sqlite:///{tmp_path}/calls.db"})
    assert run.returncode == 2
    assert run.stderr.decode() == (
        "webcards: the database cannot be used: file is not a database. WEBCARDS_DATABASE_URL names it.\n"
    )
