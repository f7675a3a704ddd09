"""What the documents name is there: files, settings, commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
PATH = re.compile(
    r"`((?:webcards|components|tests|benchmarks|docs|examples)/[\w./-]*\w/?)[^`]*`|\]\((?!https?:|#)([^)#]+)\)"
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_file_that_a_document_names_is_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = {ROOT / own if own else document.parent / linked for own, linked in PATH.findall(text)}
    assert sorted(str(path) for path in named if not path.exists()) == []


def test_each_boundary_of_the_security_review_has_a_test() -> None:
    rows = [line.split("|") for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("|")][2:]
    assert len(rows) > 15
    assert [row[1] for row in rows if "`tests/" not in row[4]] == []


def test_the_api_pages_are_written_without_a_warning(tmp_path: Path) -> None:
    modules = re.search(r"^API := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert modules
    names = modules[1].replace("\\", " ").split()
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pdoc", "-o", str(tmp_path), *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "narrow_search_meta" in (tmp_path / "webcards" / "contract.html").read_text()


def test_each_dependency_is_listed_with_what_it_is_for() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    needed = {name[0] for line in lines if (name := re.match(r"[a-z0-9-]+", line))}
    rows = [
        line.split("|") for line in (ROOT / "docs" / "dependencies.md").read_text().splitlines() if line[:2] == "| "
    ]
    listed = {name.strip() for row in rows[2:] for name in row[1].split(",")}
    assert sorted(needed ^ listed) == []
