"""How much of a page's main text an extractor finds: the 4-word-shingle measure of the article extraction benchmark.

Precision and recall are taken over the multiset of a page's 4-word shingles, averaged over the pages, and F1 is made of the two
averages. `mean_f1` is the mean of each page's own F1, which the reader pages are judged by.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SHINGLE_WORDS = 4
_WORD = re.compile(r"\w+")

Half = Literal["tune", "report"]


@dataclass(frozen=True)
class Overlap:
    """The shingles of one page: found and meant (`common`), found only (`extra`), meant only (`missed`)."""

    common: int
    extra: int
    missed: int

    @property
    def precision(self) -> float:
        """The part of what was found that was meant; 1 where both are empty."""
        if self.extra == self.missed == 0:
            return 1.0
        return self.common / (self.common + self.extra) if self.common else 0.0

    @property
    def recall(self) -> float:
        """The part of what was meant that was found; 1 where both are empty."""
        if self.extra == self.missed == 0:
            return 1.0
        return self.common / (self.common + self.missed) if self.common else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return harmonic_mean(self.precision, self.recall)


@dataclass(frozen=True)
class Score:
    """The figures of a set of pages."""

    pages: int
    precision: float
    recall: float
    f1: float
    mean_f1: float


@dataclass(frozen=True)
class SamplePage:
    """A page with the truth about it: `text` is its main text, the rest as far as the set records it."""

    name: str
    html: bytes
    url: str
    text: str
    title: str | None = None
    byline: str | None = None
    published: str | None = None

    @property
    def half(self) -> Half:
        """Which half of its set the page belongs to, by a hash of its name: rules are tuned on one, reported on the other."""
        return "tune" if hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0 else "report"


def harmonic_mean(precision: float, recall: float) -> float:
    """F1 of a precision and a recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """The multiset of runs of four words; a text of fewer words is one run."""
    words = _WORD.findall(text)
    return Counter(
        tuple(words[start : start + SHINGLE_WORDS]) for start in range(max(1, len(words) - SHINGLE_WORDS + 1))
    )


def overlap(truth: str, found: str) -> Overlap:
    """Compare a page's true text with the one that was found."""
    meant, got = shingles(truth), shingles(found)
    common = (meant & got).total()
    return Overlap(common=common, extra=got.total() - common, missed=meant.total() - common)


def score(overlaps: Iterable[Overlap]) -> Score:
    """The averages over a set of pages."""
    each = list(overlaps)
    count = max(len(each), 1)
    precision = sum(page.precision for page in each) / count
    recall = sum(page.recall for page in each) / count
    return Score(
        pages=len(each),
        precision=precision,
        recall=recall,
        f1=harmonic_mean(precision, recall),
        mean_f1=sum(page.f1 for page in each) / count,
    )


def shared_folder() -> Path:
    """Where the sample pages lie: WEBCARDS_SHARED, else `shared` beside the project."""
    return Path(os.environ.get("WEBCARDS_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def sample_pages(name: Literal["extraction", "reader-pages"]) -> list[SamplePage]:
    """All pages of one of the two sets, in the order of their names. Raises FileNotFoundError where the set is absent."""
    folder = shared_folder() / name
    truths: Mapping[str, Mapping[str, Any]] = json.loads((folder / "ground-truth.json").read_bytes())
    return [
        SamplePage(
            name=key,
            html=gzip.decompress((folder / "html" / f"{key}.html.gz").read_bytes()),
            url=truth.get("url") or f"http://pages.example/{key}",
            text=truth.get("articleBody") or truth.get("text") or "",
            title=truth.get("title"),
            byline=truth.get("byline"),
            published=truth.get("publishedTime"),
        )
        for key, truth in sorted(truths.items())
    ]


def plain_text(markdown: str) -> str:
    """The words of a Markdown text: addresses of links and images, fences, bars and marks left out."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", " ", markdown)
    text = re.sub(r"\[((?:[^\[\]]|\\.)*)\]\((?:<[^>]*>|[^()]*(?:\([^()]*\)[^()]*)*)\)", r"\1", text)
    text = re.sub(r"<[^>\n]{1,200}>", " ", text)
    text = re.sub(r"^(?:```|~~~).*$|^\|?(?:\s*:?-{3,}:?\s*\|)+\s*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"\\([^\w\s])|[*~`|]+|^[#>\s-]+", r" \1", text, flags=re.MULTILINE)


def main() -> None:
    """Print the figures of this project's page reader on both sets, for the half it was tuned on and for the other."""
    from webcards.fetch.page import read_page

    print(
        f"{'set':13} {'half':7} {'pages':>5} {'precision':>9} {'recall':>7} {'F1':>7} {'mean F1':>8} {'title':>7} {'date':>7}"
    )
    for name in ("extraction", "reader-pages"):
        samples = sample_pages(name)
        read = {page.name: read_page(page.html, url=page.url, content_type="text/html") for page in samples}
        for half in ("tune", "report", "all"):
            chosen = [page for page in samples if half in (page.half, "all")]
            figures = score(overlap(page.text, read[page.name].text) for page in chosen)
            titled = [page for page in chosen if page.title]
            dated = [page for page in chosen if page.published]
            exact = sum(read[page.name].title == " ".join((page.title or "").split()) for page in titled)
            same_day = sum((read[page.name].published or "")[:10] == (page.published or "")[:10] for page in dated)
            print(
                f"{name:13} {half:7} {figures.pages:5} {figures.precision:9.4f} {figures.recall:7.4f} {figures.f1:7.4f}"
                f" {figures.mean_f1:8.4f} {exact:3}/{len(titled):3} {same_day:3}/{len(dated):3}"
            )


if __name__ == "__main__":
    main()
