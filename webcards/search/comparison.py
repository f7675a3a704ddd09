"""Two engines' answers to one query, side by side: what both found, at which ranks, and what only one has."""

from msgspec import Struct

from webcards.contract import WebSearchResult, WebSource
from webcards.search.links import dedup_key


class Aligned(Struct, frozen=True):
    """One source with its rank (from 1) in each list; None where a list lacks it."""

    source: WebSource
    left: int | None
    right: int | None

    @property
    def moved(self) -> int | None:
        """How many ranks higher it stands on the right; None where only one list has it."""
        return None if self.left is None or self.right is None else self.left - self.right


class Comparison(Struct, frozen=True):
    """The union of two lists, best rank first."""

    rows: list[Aligned]

    @property
    def shared(self) -> int:
        """How many sources both have."""
        return sum(row.moved is not None for row in self.rows)

    @property
    def only_left(self) -> int:
        return sum(row.right is None for row in self.rows)

    @property
    def only_right(self) -> int:
        return sum(row.left is None for row in self.rows)

    def overlap(self, depth: int) -> float:
        """Overlap at a depth: the share of the first `depth` sources that both have (0 to 1)."""
        left = sum(row.left is not None and row.left <= depth for row in self.rows)
        right = sum(row.right is not None and row.right <= depth for row in self.rows)
        both = sum(
            row.left is not None and row.right is not None and row.left <= depth and row.right <= depth
            for row in self.rows
        )
        return both / max(left, right, 1)


def compare(left: WebSearchResult, right: WebSearchResult) -> Comparison:
    """Aligns two answers; the same page is known by its URL as duplicates are."""
    ranks: dict[str, list[int | None]] = {}
    sources: dict[str, WebSource] = {}
    for side, result in enumerate((left, right)):
        for rank, source in enumerate(result.sources, 1):
            key = dedup_key(source.url)
            sources.setdefault(key, source)
            found = ranks.setdefault(key, [None, None])
            if found[side] is None:
                found[side] = rank
    rows = [Aligned(sources[key], found[0], found[1]) for key, found in ranks.items()]
    return Comparison(sorted(rows, key=lambda row: min(rank for rank in (row.left, row.right) if rank is not None)))
