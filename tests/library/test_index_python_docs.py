"""The index on a real web of 500 pages: Debian's python3-doc."""

from pathlib import Path

import pytest

from benchmarks.search import asked_questions, documentation, rank_of, read_plain
from webcards.library.index import Index


def test_the_right_page_is_among_the_first_three_for_ninety_of_a_hundred_questions(tmp_path: Path) -> None:
    root = documentation()
    if root is None:
        pytest.skip("python3-doc is not installed (apt-get install python3-doc)")
    with Index.build(read_plain(root), tmp_path / "index.sqlite") as index:
        ranks = [
            rank_of(lambda query: [hit.url for hit in index.search(query)], question) for question in asked_questions()
        ]
    assert len(ranks) == 100
    assert sum(rank <= 3 for rank in ranks) >= 90
