"""From passages found to pages in order: what one passage is worth, and what a page's other passages add."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from webcards.library.index_writer import PASSAGE_BITS

WEIGHTS = (1.0, 0.1, 0.7, 0.3, 0.15)
"""Of title, the page's headings, the section's heading, URL and text, for FTS5's bm25.

The index keeps no lengths, so bm25 sees every passage as very short and a count is soon as good as a higher one; weights
well under 1 undo that.
"""
_OTHERS = (1.0, 0.3, 0.15, 0.075)
"""What the best passages of a page count for, one after the other."""
_OPENING = 0.5
"""What a page's first passage, which has its title and all its headings, counts besides."""


class Found(msgspec.Struct, frozen=True, gc=False):
    """A passage found: its number, its worth (more is better), and whether it has all that was asked for."""

    row: int
    worth: float
    whole: bool


class Ranked(msgspec.Struct, frozen=True, gc=False):
    """A page, its worth, and the passage of it to be quoted."""

    page: int
    worth: float
    passage: int


def rank(found: Iterable[Found]) -> list[Ranked]:
    """Pages, best first. One that has all that was asked for together in one passage comes before any that has not."""
    worths: dict[int, float] = {}
    whole: set[int] = set()
    for one in found:
        # A passage is found by the strict search and by the loose ones; the loosest gives it its full worth.
        worths[one.row] = max(one.worth, worths.get(one.row, 0.0))
        if one.whole:
            whole.add(one.row)
    pages: defaultdict[int, list[int]] = defaultdict(list)
    for row in sorted(worths, key=lambda row: (-worths[row], row)):
        pages[row >> PASSAGE_BITS].append(row)
    ranked = [_ranked(page, rows, worths, whole) for page, rows in pages.items()]
    lift = max((page.worth for page in ranked if page.passage not in whole), default=0.0)
    ranked = [Ranked(one.page, one.worth + lift, one.passage) if one.passage in whole else one for one in ranked]
    return sorted(ranked, key=lambda page: (-page.worth, page.page))


def _ranked(page: int, rows: list[int], worths: dict[int, float], whole: set[int]) -> Ranked:
    """One page from its rows, the best first. Quoted is the best of those that have everything, if any has."""
    opening = _OPENING * worths.get(page << PASSAGE_BITS, 0.0)
    worth = sum(share * worths[row] for share, row in zip(_OTHERS, rows, strict=False))
    return Ranked(page, worth + opening, next((row for row in rows if row in whole), rows[0]))
