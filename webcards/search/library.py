"""The library as a search engine: the index that `WEBCARDS_LIBRARY` names, if any, and the built-in demo web.

The index itself is webcards.library's; this module opens it, or builds the demo web's once and keeps it in the
user's cache folder (in memory where that cannot be written).
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, as_markup, result_from_rows
from webcards.search.provider import SearchRequest, refuse_missing_options

if TYPE_CHECKING:
    from webcards.library.index import Document, Index
    from webcards.settings import Settings


class Library:
    """The pages of the built-in library; never touches a network."""

    id = "library"
    label = "the built-in library"
    options = frozenset({"site"})

    def __init__(self, settings: Settings) -> None:
        self._path = Path(settings.library) if settings.library else None

    def available(self) -> str | None:
        if self._path is not None and not self._path.exists():
            return f"WEBCARDS_LIBRARY names {self._path}, where no index is. Build it with `python -m webcards index`."
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        return await asyncio.to_thread(self._search, request)

    def _search(self, request: SearchRequest) -> WebSearchResult:
        # One's own pages come before the demo web's. One more than is wanted tells whether the list was cut.
        hits = [
            hit
            for index in self._indices()
            for hit in index.search(request.query, limit=request.max_results + 1, site=request.site)
        ]
        rows = (Row(hit.url, as_markup(hit.title), as_markup(hit.snippet), hit.published) for hit in hits)
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=datetime.now(UTC))

    def _indices(self) -> Iterator[Index]:
        if self._path is not None:
            yield _own_index_of_now(self._path)
        yield demo_index()


def _own_index_of_now(path: Path) -> Index:
    """The index that the file holds now: `python -m webcards index` puts another in its place while the app runs."""
    try:
        now = path.stat()
        return _own_index(path, now.st_mtime_ns, now.st_size, now.st_ino)
    except (OSError, ValueError) as error:
        raise WebError("WEB_PROVIDER_ERROR", f"The library cannot be searched. {error}") from error


# An index that was replaced is let go; searches that still run in it end in it.
@lru_cache(maxsize=1)
def _own_index(path: Path, _modified_ns: int, _size: int, _inode: int) -> Index:
    from webcards.library.index import Index

    return Index.open(path)


_building = threading.Lock()
_demo: list[Index] = []


def demo_index() -> Index:
    """The demo web's index, built when it is first asked for; one for the whole process."""
    with _building:
        if not _demo:
            _demo.append(_open_or_build())
        return _demo[0]


def _open_or_build() -> Index:
    from webcards.library.index import Index

    path = cache_folder() / f"library-{_fingerprint()}.sqlite"
    try:
        return Index.open(path)
    except (OSError, ValueError):
        pass
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Index.build(_documents(), path)
    except OSError:
        return Index.build(_documents(), None)


def cache_folder() -> Path:
    """Where derived files of this user are kept, as the platform has it."""
    from platformdirs import user_cache_path

    return user_cache_path("webcards")


def _fingerprint() -> str:
    """Changes with any page and with the code that indexes them: an old index is never read for new ones."""
    import webcards.library
    from webcards.library.site import pages

    digest = hashlib.sha256()
    for source in sorted(Path(str(webcards.library.__file__)).parent.glob("*.py")):
        digest.update(source.read_bytes())
    for page in pages():
        digest.update(page.url.encode() + b"\0" + page.body + b"\0")
    return digest.hexdigest()[:16]


def _documents() -> Iterator[Document]:
    from webcards.fetch.page import read_page
    from webcards.library.index import Document
    from webcards.library.site import pages

    for page in pages():
        if not page.indexed or page.status != 200:
            continue
        try:
            read = read_page(page.body, url=page.url, content_type=page.content_type)
        except WebError:
            # Pictures and broken bodies: nothing of theirs can be found by words.
            continue
        headings = "\n".join(line.lstrip("# ") for line in read.markdown.splitlines() if line.startswith("#"))
        yield Document(
            url=page.url,
            title=read.title or page.title,
            text=read.text,
            published=read.published or page.published,
            lang=read.lang or page.lang,
            headings=headings,
        )
