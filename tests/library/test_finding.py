"""As many pages are found as were asked for and are there, however many passages each of them has."""

import pytest

from webcards.library.index import Document, Index

# Each of these fills many passages with the word, and so does better in each of them than a page that has it once.
LONG = [
    Document(
        f"https://log.example/{year}", f"Harbour log {year}", "Harbour. The harbour is calm in the harbour.\n" * 4000
    )
    for year in (2024, 2025)
]
SHORT = [
    Document(f"https://town.example/{name}", name.title(), f"Of the {name}, which stands a long way from the harbour.")
    for name in ("mill", "market", "school", "church", "bakery", "station", "bridge", "tower")
]


@pytest.mark.parametrize("limit", [1, 3, 8, 10, 11, 50])
def test_the_passages_of_a_long_page_do_not_take_the_places_of_other_pages(limit: int) -> None:
    with Index.build([*LONG, *SHORT], None) as index:
        hits = index.search("harbour", limit=limit)
    assert len({hit.url for hit in hits}) == len(hits) == min(limit, len(LONG) + len(SHORT))


def test_they_do_not_where_a_site_is_asked_for_or_any_of_the_words_will_do() -> None:
    with Index.build([*LONG, *SHORT], None) as index:
        assert len(index.search("harbour", limit=8, site="town.example")) == 8
        assert len(index.search("harbour zeppelin", limit=8)) == 8
