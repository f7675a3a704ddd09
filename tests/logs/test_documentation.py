"""The examples of the documentation are run as they stand."""

import re
from pathlib import Path

import pytest

from tests.logs.made import HEAD, search
from tests.shared import ROOT

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "logs.md").read_text("utf-8"), re.DOTALL)


def test_there_are_three_examples() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("number", range(3))
def test_an_example_runs_and_prints_what_it_promises(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(HEAD + search("c1", queries=["harbour dues"]) + b"oops\n")
    exec(EXAMPLES[number], {"path": path, "index_path": tmp_path / "index"})
    printed = capsys.readouterr().out
    assert ["2 web_search harbour dues", "line 4, column 1", "1 harbour dues"][number] in printed
