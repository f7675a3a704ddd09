"""Turning a team's own documents into an index: folders, web archives (WARC) and sitemaps, one page at a time.

Reading HTML, Markdown and PDF is the caller's `read`, fetching its `fetch`; a file that cannot be read costs
only itself and is named in the report.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec


class ReadPage(Protocol):
    """What the index takes of a page that was read (webcards.fetch.page.Page has it)."""

    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def published(self) -> str | None: ...
    @property
    def lang(self) -> str | None: ...


class Reader(Protocol):
    """`webcards.fetch.page.read_page`, or what does as it does."""

    def __call__(self, body: bytes, *, url: str, content_type: str | None = None) -> ReadPage: ...


class Failure(msgspec.Struct, frozen=True):
    """A file or page that is not in the index, and why."""

    where: str
    reason: str


class IndexReport(msgspec.Struct, frozen=True):
    """What became of an indexing run."""

    path: Path
    pages: int
    seconds: float
    failures: tuple[Failure, ...] = ()
    skipped: int = 0
    """Files of kinds that the index does not read (pictures, programs)."""


class Progress(msgspec.Struct, frozen=True):
    """How far an indexing run is; `total` is None as long as it is not known."""

    done: int
    total: int | None
    where: str


def index_paths(
    paths: Sequence[str],
    out: Path,
    read: Reader,
    progress: Callable[[Progress], None] | None = None,
    *,
    base_url: str | None = None,
    fetch: Callable[[str], Awaitable[tuple[str, bytes]]] | None = None,
) -> IndexReport:
    """Index folders, files, WARCs and sitemaps (files or URLs) into `out`, which is replaced when all is done."""
    raise NotImplementedError
