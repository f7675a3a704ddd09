"""The built-in search index: pages in one SQLite file, found passage by passage with FTS5 and BM25 over weighted fields.

Reading queries is query.py's, writing the file index_writer.py's, order ranking.py's, and turning a team's files into
documents indexing.py's.
"""

import queue
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote

import msgspec

from webcards.library.index_writer import APPLICATION, VERSION, IndexWriter
from webcards.library.finding import find, pages_of_sites
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

    def __init__(self, connections: "_Connections") -> None:
        self._connections = connections
        with connections.borrowed() as base:
            self.count: int = base.execute("SELECT count(*) FROM page").fetchone()[0]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an index file. Raises FileNotFoundError, or ValueError if the file is no index of this version."""
        if not path.is_file():
            raise FileNotFoundError(f"There is no search index at {path}. Build one with `python -m webcards index`.")
        connections = _Connections(path)
        try:
            with connections.borrowed() as base:
                marks = [base.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version")]
            if marks == [APPLICATION, VERSION]:
                return cls(connections)
        except sqlite3.Error as error:
            connections.close()
            raise ValueError(
                f"{path} is no search index ({error}). Build it with `python -m webcards index`."
            ) from error
        connections.close()
        kind = "was built by another version" if marks[0] == APPLICATION else "is no search index"
        raise ValueError(f"{path} {kind}. Build it again with `python -m webcards index`.")

    @classmethod
    def build(cls, documents: Iterable[Document], path: Path | None) -> Self:
        """Index the documents into a file, which takes an older one's place when all is written; None = in memory."""
        with IndexWriter(path) as writer:
            for document in documents:
                writer.add(document)
            base = writer.finish()
        return cls(_Connections(path, base))

    def search(self, query: str, *, limit: int = 10, site: str | None = None) -> list[Hit]:
        """The best pages first: those that have all the words together, then those with any. Any text is a query.

        `site` is a host, with a path if wanted, and goes before any `site:` in the query.
        """
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


class _Connections:
    """Connections that are used by one thread at a time: as many as needed to a file, only one to memory."""

    def __init__(self, path: Path | None, base: sqlite3.Connection | None = None) -> None:
        self._address = None if path is None else f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._all = [] if base is None else [base]
        self._lock = threading.Lock()
        if base is not None:
            self._idle.put(base)

    @contextmanager
    def borrowed(self) -> Iterator[sqlite3.Connection]:
        try:
            base = self._idle.get(block=self._address is None)
        except queue.Empty:
            base = self._open()
        try:
            yield base
        finally:
            self._idle.put(base)

    def _open(self) -> sqlite3.Connection:
        assert self._address is not None
        base = sqlite3.connect(self._address, uri=True, check_same_thread=False, isolation_level=None)
        base.execute(f"PRAGMA mmap_size = {1 << 30}")
        with self._lock:
            self._all.append(base)
        return base

    def close(self) -> None:
        with self._lock:
            for base in self._all:
                base.close()
            self._all.clear()


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
