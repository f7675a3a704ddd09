"""Every fault case of kind `fetch-http`: what users of other tools met, against the whole of web_fetch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fetch.cases import read_case, run_case, run_case_apart
from tests.fetch.expectations import broken
from tests.shared import cases_path


def _files() -> list[Path]:
    try:
        folder = cases_path()
    except pytest.skip.Exception:
        return []
    files = sorted(folder.glob("*.json"))
    return [path for path in files if json.loads(path.read_text(encoding="utf-8"))["kind"] == "fetch-http"]


FILES = _files()


@pytest.mark.skipif(
    not FILES, reason="no cases: they are kept beside the project, not in it (WEBCARDS_CASES names their folder)"
)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_the_facts_of_the_case_hold(path: Path) -> None:
    case = read_case(path)
    seen = run_case_apart(path) if "max_rss_growth_mib" in json.dumps(case["expect"]) else await run_case(case)
    assert broken(case["expect"], seen) == []
