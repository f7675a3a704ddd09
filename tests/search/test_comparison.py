"""Two answers to one query, aligned."""

from webcards.contract import WebSearchResult, WebSource
from webcards.search.comparison import compare


def found(*names: str) -> WebSearchResult:
    return WebSearchResult([WebSource(f"https://{name}.example/") for name in names])


def test_shared_sources_stand_on_one_row_with_both_ranks() -> None:
    comparison = compare(found("a", "b", "c"), found("c", "d", "a"))
    rows = {row.source.url[8]: (row.left, row.right, row.moved) for row in comparison.rows}
    assert rows == {"a": (1, 3, -2), "b": (2, None, None), "c": (3, 1, 2), "d": (None, 2, None)}
    assert (comparison.shared, comparison.only_left, comparison.only_right) == (2, 1, 1)


def test_the_overlap_at_a_depth_is_the_share_that_both_have_there() -> None:
    comparison = compare(found("a", "b", "c", "d"), found("b", "a", "x", "c"))
    assert [comparison.overlap(depth) for depth in (1, 2, 4)] == [0.0, 1.0, 0.75]
    assert compare(found(), found()).overlap(5) == 0.0


def test_the_same_page_is_known_although_its_url_is_written_another_way() -> None:
    left = WebSearchResult([WebSource("https://a.example/p?utm_source=x")])
    right = WebSearchResult([WebSource("HTTPS://A.example:443/p")])
    assert compare(left, right).shared == 1


def test_rows_come_best_rank_first() -> None:
    assert [row.source.url[8] for row in compare(found("a", "b"), found("c", "d")).rows] == ["a", "c", "b", "d"]
