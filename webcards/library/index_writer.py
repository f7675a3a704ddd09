"""Writing an index file: the tables, and one page after the other into them."""

from __future__ import annotations

import os
import sqlite3
import zlib
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote

import ada_url

from webcards.library.passages import split
from webcards.library.segment import segment, storable
from webcards.library.stems import TOKENIZER

if TYPE_CHECKING:
    from webcards.library.index import Document

APPLICATION = 0x57434958
"""Marks the file as an index (SQLite's application_id): "WCIX"."""
VERSION = 2
"""Of the tables (SQLite's user_version): an index of another version is built again."""
PASSAGE_BITS = 12
"""A passage's number is its page's, shifted by this, and its place in the page."""
_COLUMNS = ("title", "headings", "heading", "url", "body")
COMMON = 1000
"""Passages from which on a stem counts as common, and the index remembers in how many it is."""

# `words` holds no text and no lengths (content, columnsize): what is quoted comes from `passage`, and passages are of
# like length, so that theirs need not be weighed against the mean. Without lengths FTS5 ranks five times as fast.
_SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE site (id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE, pages INTEGER NOT NULL);
CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT NOT NULL, published TEXT, lang TEXT);
CREATE TABLE place (page INTEGER PRIMARY KEY, site INTEGER NOT NULL, path TEXT NOT NULL);
CREATE INDEX place_by_site ON place (site);
CREATE TABLE common (stem TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gone (page INTEGER PRIMARY KEY);
CREATE TABLE passage (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE stored (url TEXT PRIMARY KEY, content_type TEXT, body BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 ({", ".join(_COLUMNS)}, content = '', columnsize = 0,
                                       tokenize = "{TOKENIZER}");
CREATE VIRTUAL TABLE stem USING fts5vocab (words, row);
INSERT INTO words (words, rank) VALUES ('hashsize', {64 << 20});
"""  # noqa: S608
_ENDLESS = b"\x81\x80\x80\x80\x80\x80\x00"  # 2 to the 42nd, as SQLite's varint
_SPEED = (
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;"
)


class IndexWriter:
    """Writes beside `path` and moves there when finished, so that nobody ever reads half an index; None = in memory.

    Leaving the `with` block without `finish` leaves nothing behind. What cannot be written is an OSError.
    """

    def __init__(self, path: Path | None) -> None:
        self.pages = 0
        self._path = path
        self._part = None if path is None else path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            if self._part is not None:
                self._part.unlink(missing_ok=True)
            self._base = sqlite3.connect(self._part or ":memory:", isolation_level=None, check_same_thread=False)
            self._base.executescript(_SPEED + _SCHEMA)
        except (OSError, sqlite3.OperationalError) as fault:
            raise OSError(f"The index cannot be written at {path}: {fault}.") from fault
        self._base.execute("BEGIN")
        self._numbers = count(1)
        self._sites: dict[str, int] = {}

    def add(self, document: Document) -> None:
        """Take in one page. A page whose URL is there already takes the older one's place."""
        number = next(self._numbers)
        url, title = storable(document.url), storable(document.title)
        older = self._base.execute("SELECT id FROM page WHERE url = ?", (url,)).fetchone()
        if older is not None:
            self._forget(older[0])
        self._base.execute(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?)",
            (number, url, title, _storable(document.published), _storable(document.lang)),
        )
        host, path = _host_and_path(url)
        site = self._sites.setdefault(host, len(self._sites) + 1)
        self._base.execute("INSERT INTO place VALUES (?, ?, ?)", (number, site, path))
        self._add_passages(number, url, title, document)
        self.pages += older is None

    def store(self, url: str, content_type: str | None, body: bytes) -> None:
        """Keep a page's body as it came, to answer for its URL later (stored.py)."""
        self._base.execute(
            "INSERT OR REPLACE INTO stored VALUES (?, ?, ?)",
            (stored_key(url), _storable(content_type), zlib.compress(body)),
        )

    def finish(self) -> sqlite3.Connection | None:
        """Complete the index: in its place, or, for one in memory, as the connection that is returned."""
        self._base.executemany(
            "INSERT INTO site SELECT ?1, ?2, (SELECT count(*) FROM place WHERE site = ?1)",
            ((number, host) for host, number in self._sites.items()),
        )
        self._base.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._base.execute("INSERT INTO common SELECT term, doc FROM stem WHERE doc >= ?", (COMMON,))
        self._base.execute("COMMIT")
        self._forget_lengths()
        if self._path is None or self._part is None:
            return self._base
        self._base.close()
        with self._part.open("rb") as part:
            os.fsync(part.fileno())
        self._part.replace(self._path)
        return None

    def _add_passages(self, number: int, url: str, title: str, document: Document) -> None:
        words = [segment(title), segment(document.headings), "", segment(unquote(url)), ""]
        first = number << PASSAGE_BITS
        for row, passage in enumerate(split(storable(document.text), document.headings), first):
            words[2], words[4] = segment(passage.heading), segment(passage.text)
            self._base.execute(
                "INSERT INTO words (rowid, title, headings, heading, url, body) VALUES (?, ?, ?, ?, ?, ?)",
                (row, *words),
            )
            self._base.execute("INSERT INTO passage VALUES (?, ?)", (row, passage.text))
            words[1] = ""  # a page's first passage speaks for the whole page

    def _forget_lengths(self) -> None:
        """Make the mean length of a passage as good as infinite, so that bm25 takes every passage for equally short.

        For the length of a row FTS5 gives bm25 -1 a column (xColumnSize without columnsize). Divided by the true mean that
        would turn scores upside down where passages have a dozen words. The mean is that of the averages record: the
        number of rows and then the words of each column, as SQLite's varints.
        """
        row = self._base.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
        if row is not None and row[0]:
            rows = row[0][: next((at for at, byte in enumerate(row[0], 1) if byte < 0x80), None)]
            self._base.execute("UPDATE words_data SET block = ? WHERE id = 1", (rows + len(_COLUMNS) * _ENDLESS,))

    def _forget(self, number: int) -> None:
        """Drop a page. Its words stay in the inverted lists, and `gone` says that they lead nowhere."""
        first = number << PASSAGE_BITS
        self._base.execute("INSERT INTO gone VALUES (?)", (number,))
        self._base.execute("DELETE FROM page WHERE id = ?", (number,))
        self._base.execute("DELETE FROM place WHERE page = ?", (number,))
        self._base.execute("DELETE FROM passage WHERE id BETWEEN ? AND ?", (first, first + (1 << PASSAGE_BITS) - 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._part is not None:
            self._base.close()
            self._part.unlink(missing_ok=True)
        if isinstance(error, sqlite3.OperationalError):
            raise OSError(f"The index cannot be written at {self._path}: {error}.") from error


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _host_and_path(url: str) -> tuple[str, str]:
    """What `site:` compares; an address that is no URL has no host."""
    try:
        parsed = ada_url.URL(url)
    except (ValueError, UnicodeEncodeError):
        return "", ""
    return parsed.hostname, parsed.pathname


def stored_key(url: str) -> str:
    """The form of a URL under which its body is kept: as the WHATWG URL standard writes it, without a fragment."""
    try:
        return ada_url.URL(url).href.partition("#")[0]
    except (ValueError, UnicodeEncodeError):
        return storable(url)
