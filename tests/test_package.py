"""The project as a package that somebody else installs: the card, the library and their data come along."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import ROOT

THREE_LINES = """
from components.web_card import use_stylesheet, web_card
use_stylesheet()
web_card("web_search", {"query": "harbour dues"}, {"content": [], "isError": False, "meta": None}, key="call-1")
"""
DRAWN = """
import sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_string(sys.argv[1]).run(timeout=60)
assert not app.exception, app.exception
print(any("harbour dues" in html.proto.body for html in app.get("html")))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a Python that finds the installed package, and not this folder."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if tracked.returncode:
        pytest.skip("the tracked files are asked of git, and this is no clone")
    for name in tracked.stdout.decode().split("\0"):
        if name.startswith(("webcards/", "components/")) or (name and "/" not in name):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_file():
                (source / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(source)]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield {**os.environ, "PYTHONPATH": str(target)}


def run(installed: dict[str, str], cwd: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *args], cwd=cwd, env=installed, capture_output=True, text=True)


def test_the_three_lines_of_the_readme_draw_a_card_in_somebody_s_own_app(
    installed: dict[str, str], tmp_path: Path
) -> None:
    assert "web_card(" in (ROOT / "README.md").read_text()
    drawn = run(installed, tmp_path, "-c", DRAWN, THREE_LINES)
    assert drawn.stdout == "True\n", drawn.stderr


def test_the_tools_run_on_the_library_that_came_along(installed: dict[str, str], tmp_path: Path) -> None:
    searched = run(installed, tmp_path, "-m", "webcards", "run", "web_search", '{"query": "harbour dues"}')
    assert "office.kittiwick.example" in searched.stdout, searched.stderr


def test_the_app_is_started_from_a_clone_and_says_so(installed: dict[str, str], tmp_path: Path) -> None:
    served = run(installed, tmp_path, "-m", "webcards", "serve")
    assert served.returncode == 2
    assert "make app" in served.stderr
    assert "Traceback" not in served.stderr
