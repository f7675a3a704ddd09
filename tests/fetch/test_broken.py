"""Inputs that once broke the reader, as the fuzzer wrote them down (benchmarks/fuzz_page.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fuzz_page import check

FOUND = sorted((Path(__file__).parent / "broken").iterdir())


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_an_input_that_once_broke_the_reader_is_read(path: Path) -> None:
    check(path.read_bytes())
