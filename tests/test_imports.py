"""What importing the library brings with it: nothing that a program which only holds it ready has no use for."""

import subprocess
import sys

import pytest

from tests.shared import ROOT

# Each is loaded by what needs it: a database, a page to read, a settings file, a page to show, a search.
HEAVY = [
    "altair",
    "alembic",
    "babel",
    "ddgs",
    "hishel",
    "html_to_markdown",
    "jinja2",
    "lxml",
    "markdown_it",
    "nh3",
    "pandas",
    "pyarrow",
    "pydantic",
    "pydantic_settings",
    "pypdf",
    "readability",
    "resiliparse",
    "selectolax",
    "sqlalchemy",
    "stamina",
    "streamlit",
    "trafilatura",
    "typer",
    "warcio",
    "w3lib",
]


@pytest.mark.parametrize(
    "statement",
    [
        "import webcards",
        "import webcards.contract",
        "from webcards.tools.opening import open_tools",
        "from webcards.search.provider import SearchRequest",
        "from webcards.logs import read_log",
    ],
)
def test_the_library_is_imported_without_what_only_some_calls_need(statement: str) -> None:
    program = f"import sys\n{statement}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True)
    assert loaded.stdout.decode().split() == []
