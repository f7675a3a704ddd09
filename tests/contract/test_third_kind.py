"""A third kind of view makes the type checker fail at each place that does not know it yet."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.shared import ROOT

ARM = '''
class WebImageResultView(Struct, frozen=True, rename="camel", tag_field="kind", tag="image", kw_only=True):
    """A kind that nothing knows yet."""

    card: Literal["web"] = "web"
    url: str


WebResultView = WebSearchResultView | WebFetchResultView | WebImageResultView
'''


def places_that_branch(folder: Path) -> set[str]:
    """The modules that match on the kinds of a view."""
    return {
        path.relative_to(folder).as_posix()
        for part in ("components", "webcards")
        for path in (folder / part).rglob("*.py")
        if re.search(r"case WebFetchResultView\(", path.read_text(encoding="utf-8"))
    }


def test_the_type_checker_points_at_every_place_that_lacks_a_third_kind(tmp_path: Path) -> None:
    for part in ("components", "webcards"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "pages", "locale"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    views = tmp_path / "webcards/contract/views.py"
    text = views.read_text(encoding="utf-8")
    old = "WebResultView = WebSearchResultView | WebFetchResultView\n"
    assert old in text
    views.write_text(text.replace(old, ARM), encoding="utf-8")
    branching = places_that_branch(tmp_path)
    assert "components/markup.py" in branching

    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), *sorted(branching)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    unhandled = {line.split(":")[0] for line in mypy.stdout.splitlines() if "WebImageResultView" in line}
    assert unhandled == branching, mypy.stdout + mypy.stderr
