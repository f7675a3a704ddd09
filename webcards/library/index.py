"""The built-in search index: pages in one SQLite file, found passage by passage with FTS5 and BM25 over weighted fields.

Reading queries is query.py's, writing the file index_writer.py's, order ranking.py's, and turning a team's files into
documents indexing.py's.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import msgspec

from webcards.library.connections import Connections
from webcards.library.finding import find, pages_of_sites
from webcards.library.index_writer import IndexWriter
from webcards.library.query import Query, parse, read_site
from webcards.library.ranking import Ranked, rank
from webcards.library.snippets import snippet, wanted
from webcards.library.stems import Stemmer

_stemmer = Stemmer()


class Document(msgspec.Struct, frozen=True):
    """A page to be indexed; `published` is ISO 8601, `headings` one a line, `text` plain."""

    url: str
    title: str
    text: str
    published: str | None = None
    lang: str | None = None
    headings: str = ""


class Hit(msgspec.Struct, frozen=True):
    """A page found; among the hits of one query a higher score is a better answer."""

    url: str
    title: str
    snippet: str
    published: str | None
    score: float


class Index:
    """A finished index, for any number of reading threads. Close it, or use it in a `with` block."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        with connections.borrowed() as base:
            self.count: int = base.execute("SELECT count(*) FROM page").fetchone()[0]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an index file. Raises FileNotFoundError, or ValueError if the file is no index of this version."""
        return cls(Connections.of_index(path))

    @classmethod
    def build(cls, documents: Iterable[Document], path: Path | None) -> Self:
        """Index the documents into a file, which takes an older one's place when all is written; None = in memory."""
        with IndexWriter(path) as writer:
            for document in documents:
                writer.add(document)
            base = writer.finish()
        return cls(Connections(path, base))

    def search(self, query: str, *, limit: int = 10, site: str | None = None) -> list[Hit]:
        """The best pages first: those that have all the words together, then those with any. Any text is a query.

        `site` is a host, with a path if wanted, and goes before any `site:` in the query.
        """
        if limit <= 0:
            return []
        asked = parse(query)
        if site is not None and (where := read_site(site)) is not None:
            asked = msgspec.structs.replace(asked, sites=(where,))
        with self._connections.borrowed() as base:
            if asked.terms:
                return list(_hits(base, rank(find(base, asked, limit, _stemmer)), asked, limit))
            return list(_hits(base, pages_of_sites(base, asked, limit), asked, limit))

    def close(self) -> None:
        """Close the file; the index cannot be searched any more."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _hits(base: sqlite3.Connection, pages: list[Ranked], asked: Query, limit: int) -> Iterator[Hit]:
    what = wanted(asked, _stemmer)
    left = limit
    for ranked in pages:
        if left <= 0:
            return
        row = base.execute(
            "SELECT url, title, published, text FROM page, passage WHERE page.id = ? AND passage.id = ?",
            (ranked.page, ranked.passage),
        ).fetchone()
        if row is not None:
            url, title, published, text = row
            left -= 1
            yield Hit(url, title, snippet(text, what, _stemmer), published, ranked.worth)
