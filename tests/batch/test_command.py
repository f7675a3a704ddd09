"""`python -m webcards batch …` as a person uses it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from webcards.batch.command import app
from webcards.library.specimens import SPECIMENS
from webcards.settings import load_settings


@pytest.fixture(autouse=True)
def own_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WEBCARDS_DATABASE_URL", f"sqlite:///{tmp_path}/calls.db")
    monkeypatch.setenv("WEBCARDS_SEARCH_PROVIDER", "library")
    load_settings.cache_clear()
    yield
    load_settings.cache_clear()


def batch(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def test_a_file_is_run_listed_shown_and_compared_with_the_run_before(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text(f"{SPECIMENS['article']}\n{SPECIMENS['not-found']}\nharbour dues\nftp://a.example/\n", "utf-8")
    first = batch("run", str(file), "--name", "harbour")
    assert first.exit_code == 0, first.output
    assert "line 4" in first.output
    assert "Run 1 done: 3 of 3, 0 errors." in first.output
    shown = batch("show", "1").output
    assert "404\t" in shown
    assert SPECIMENS["article"] in shown
    assert "1 harbour" in batch("list").output
    assert batch("compare", "1").exit_code == 2
    assert batch("run", str(file)).exit_code == 0
    compared = batch("compare", "2", "--with", "1")
    assert "same: 3" in compared.output


def test_a_list_may_come_from_standard_input() -> None:
    assert "Run 1 done: 1 of 1" in batch("run", "-", typed="harbour dues\n").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "/nowhere/list.txt"], "No such file"),
        (["run", "-"], "empty"),
        (["run", "-", "--concurrency", "0"], "between 1 and 500"),
        (["resume", "7"], "no run 7"),
        (["nightly", "7", "02:30"], "no batch 7"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: list[str], said: str) -> None:
    result = batch(*arguments, typed="harbour dues\n" if "--concurrency" in arguments else "")
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_batch_can_be_run_every_night_and_no_more() -> None:
    batch("run", "-", typed="harbour dues\n")
    assert "each day at 02:30" in batch("nightly", "1", "02:30", "--zone", "Europe/Berlin").output
    assert batch("nightly", "1", "2:99").exit_code == 2
    assert "no more" in batch("nightly", "1", "never").output


def test_a_run_can_be_stopped_and_gone_on_with() -> None:
    batch("run", "-", typed="harbour dues\n")
    assert "had ended" in batch("stop", "1").output
    assert "not running" in batch("pause", "1").output
    assert "Run 1 done" in batch("resume", "1").output
