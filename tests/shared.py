"""Finds the material that lies beside a checkout (logs, pages, cases); a clone of the project alone has none of it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_path(name: str) -> Path:
    """The folder or file `name` of the shared material (`WEBCARDS_SHARED`, else `../shared`), or a skip that says what is missing."""
    base = Path(os.environ.get("WEBCARDS_SHARED", ROOT.parent / "shared"))
    path = base / name
    if not path.exists():
        pytest.skip(f"{path} is not there: this test reads material kept beside the project, not in it")
    return path


def cases_path() -> Path:
    """The folder of fault cases: `WEBCARDS_CASES`, else the shared one."""
    named = os.environ.get("WEBCARDS_CASES")
    return Path(named) if named else shared_path("cases")
