"""The built-in search index: pages in one SQLite file, found by FTS5 with BM25 over weighted fields.

Reading queries is query.py's, cutting text segment.py's, turning files into documents indexing.py's.
"""

import os
import queue
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlsplit

import msgspec

from webcards.library.query import Query, Term, loosened, parse, read_site
from webcards.library.segment import fold, segment, storable
from webcards.library.snippets import snippet


class Document(msgspec.Struct, frozen=True):
    """A page to be indexed; `published` is ISO 8601, `headings` one a line, `text` plain."""

    url: str
    title: str
    text: str
    published: str | None = None
    lang: str | None = None
    headings: str = ""


class Hit(msgspec.Struct, frozen=True):
    """A page found; a higher score is a better answer to the same query."""

    url: str
    title: str
    snippet: str
    published: str | None
    score: float


_SCHEMA = """
CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, host TEXT NOT NULL, path TEXT NOT NULL,
                   title TEXT NOT NULL, published TEXT, lang TEXT, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (title, headings, url, body, content = '',
                   tokenize = "porter unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
"""


class Index:
    """A finished index, for any number of reading threads."""

    def __init__(self, path: Path | None, connection: sqlite3.Connection | None = None) -> None:
        self._path = path
        self._idle: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._all: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._own = connection is None
        if connection is not None:
            self._idle.put(connection)
            self._all.append(connection)
        with self._reading() as reader:
            self.count: int = reader.execute("SELECT count(*) FROM page").fetchone()[0]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an index file. Raises FileNotFoundError, or ValueError if the file is no index."""
        if not path.is_file():
            raise FileNotFoundError(
                f"There is no search index at {path}; build one with `python -m webcards index`."
            )
        try:
            return cls(path)
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is no search index ({error}); build it again.") from error

    @classmethod
    def build(cls, documents: Iterable[Document], path: Path | None) -> Self:
        """Index the documents into a file, which replaces an older one only when all is written; None = in memory."""
        scratch = None if path is None else path.with_name(f".{path.name}.{os.getpid()}.part")
        connection = sqlite3.connect(
            ":memory:" if scratch is None else scratch, check_same_thread=False, isolation_level=None
        )
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        for document in documents:
            parts = urlsplit(document.url)
            row = connection.execute(
                "INSERT OR REPLACE INTO page (url, host, path, title, published, lang, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    document.url,
                    fold(parts.hostname or ""),
                    parts.path or "/",
                    storable(document.title),
                    document.published,
                    document.lang,
                    storable(document.text),
                ),
            )
            connection.execute(
                "INSERT INTO words (rowid, title, headings, url, body) VALUES (?, ?, ?, ?, ?)",
                (
                    row.lastrowid,
                    segment(document.title),
                    segment(document.headings),
                    segment(document.url),
                    segment(document.text),
                ),
            )
        connection.execute("COMMIT")
        if path is None or scratch is None:
            return cls(None, connection)
        connection.close()
        scratch.replace(path)
        return cls(path)

    def search(self, query: str, *, limit: int = 10, site: str | None = None) -> list[Hit]:
        """The best pages first: those with all the words, then those with any. Any text is a query."""
        asked = parse(query)
        if site is not None and (where := read_site(site)) is not None:
            asked = msgspec.structs.replace(asked, sites=(where,))
        hits: dict[str, Hit] = {}
        with self._reading() as reader:
            for match in _matches(asked):
                if len(hits) < limit:
                    for hit in self._found(reader, match, asked, limit):
                        hits.setdefault(hit.url, hit)
        return list(hits.values())[:limit]

    def _found(self, reader: sqlite3.Connection, match: str, asked: Query, limit: int) -> Iterator[Hit]:
        where, values = _site_filter(asked)
        rows = reader.execute(
            "SELECT page.url, page.title, page.text, page.published, -bm25(words, 8.0, 3.0, 2.0, 1.0) AS score "
            f"FROM words JOIN page ON page.id = words.rowid WHERE words MATCH ?{where} ORDER BY score DESC LIMIT ?",
            (match, *values, limit * 2),
        )
        for url, title, text, published, score in rows:
            lower = text.lower()
            at = min((found for term in asked.terms if (found := lower.find(term.tokens[0])) >= 0), default=0)
            yield Hit(url, title, snippet(text, at), published, score)

    def close(self) -> None:
        """Close every connection; the index cannot be searched any more."""
        with self._lock:
            for connection in self._all:
                connection.close()
            self._all.clear()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that no other thread uses meanwhile."""
        try:
            connection = self._idle.get(block=not self._own)
        except queue.Empty:
            connection = sqlite3.connect(
                f"file:{quote(str(self._path))}?mode=ro", uri=True, check_same_thread=False
            )
            with self._lock:
                self._all.append(connection)
        try:
            yield connection
        finally:
            self._idle.put(connection)


def _matches(asked: Query) -> Iterator[str]:
    """FTS5 expressions, the strictest first."""
    without = "".join(f" NOT {_match(term)}" for term in asked.without)
    must = [term for term in asked.terms if term.quoted]
    loose = [part for term in asked.terms if not term.quoted for part in loosened(term)]
    if asked.terms:
        yield f"({' AND '.join(map(_match, asked.terms))}){without}"
        yield f"({' AND '.join(map(_match, [*must, *loose]))}){without}"
        if must:
            yield f"({' AND '.join(map(_match, must))}){without}"
        else:
            yield f"({' OR '.join(map(_match, loose))}){without}"


def _match(term: Term) -> str:
    return f'"{" ".join(term.tokens)}"' + ("*" if term.prefix else "")


def _site_filter(asked: Query) -> tuple[str, list[str]]:
    clauses: list[str] = []
    values: list[str] = []
    one = "((host = ? OR host LIKE '%.' || ?) AND substr(path, 1, length(?)) = ?)"
    if asked.sites:
        clauses.append(f" AND ({' OR '.join([one] * len(asked.sites))})")
    clauses.extend([f" AND NOT {one}"] * len(asked.without_sites))
    for where in (*asked.sites, *asked.without_sites):
        values += [where.host, where.host, where.path, where.path]
    return "".join(clauses), values
