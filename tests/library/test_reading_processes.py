"""The processes that read documents: what they must not run besides."""

import os
import subprocess
import sys
from pathlib import Path

from tests.shared import ROOT

SCRIPT = """
import sys
from pathlib import Path
from webcards.fetch.page import read_page
from webcards.library.indexing import index_paths
print("begun")
print(index_paths([sys.argv[1]], Path(sys.argv[2]), read_page).pages)
"""


def test_a_plain_script_may_index_without_a_guard_around_it(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("tides", "moorings"):
        (docs / f"{name}.txt").write_text(f"What the harbour office has to say of {name}.")
    script = tmp_path / "make_index.py"
    script.write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, str(script), str(docs), str(tmp_path / "index.sqlite")],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert run.stdout.split() == ["begun", "2"], run.stderr
