"""Making an index of a team's own documents: folders, files, web archives and sitemaps, in one run.

Reading HTML, Markdown and PDF is the caller's `read`, fetching its `fetch`; a document that cannot be read costs only
itself and is named in the report.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from webcards.library.folders import address_of, files_of, read_file
from webcards.library.index_writer import IndexWriter
from webcards.library.page_document import Reader, ReadPage
from webcards.library.reading import read_all
from webcards.library.sitemaps import read_sitemap
from webcards.library.sources import Body, Failure, Fetch, FetchedBody, Skipped, Source
from webcards.library.warc import read_warc

__all__ = ["Failure", "Fetch", "FetchedBody", "IndexReport", "Progress", "ReadPage", "Reader", "index_paths"]


class IndexReport(msgspec.Struct, frozen=True):
    """What became of an indexing run."""

    path: Path
    pages: int
    seconds: float
    failures: tuple[Failure, ...] = ()
    skipped: int = 0
    """Files of kinds that the index does not read (pictures, programs)."""


class Progress(msgspec.Struct, frozen=True):
    """How far a run is; `total` is None where it is not known beforehand, `where` the document just read."""

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
    fetch: Fetch | None = None,
) -> IndexReport:
    """Index folders, files, WARCs and sitemaps (files or URLs) into `out`, which is replaced when all is done.

    A folder's pages stand at `base_url`, else at a reserved host with the folder's name (folders.py). Raises ValueError,
    before anything is read, for what cannot be indexed at all: a path that is not there, a sitemap without a `fetch`.
    """
    begun = time.monotonic()
    sources, total = _sources(paths, base_url, fetch)
    failures: list[Failure] = []
    skipped = done = 0
    with IndexWriter(out) as writer:
        for source, document in read_all(sources, read):
            done += 1
            match source:
                case Failure():
                    failures.append(source)
                case Skipped():
                    skipped += 1
                case Body():
                    assert document is not None
                    writer.add(document)
                    if source.keep:
                        writer.store(source.url, source.content_type, source.body)
            if progress is not None:
                progress(Progress(done, total, source.where))
        writer.finish()
        pages = writer.pages
    return IndexReport(out, pages, time.monotonic() - begun, tuple(failures), skipped)


def _sources(paths: Sequence[str], base_url: str | None, fetch: Fetch | None) -> tuple[Iterator[Source], int | None]:
    """All that the paths name, one document after the other, and how many there are if that is known."""
    taken: set[str] = set()
    plans: list[tuple[Iterator[Source], int | None]] = []
    for named in paths:
        path = Path(named)
        if _is_sitemap(named):
            if fetch is None:
                raise ValueError(f"{named} is a sitemap, and its pages cannot be fetched here.")
            plans.append((read_sitemap(named, fetch), None))
        elif path.is_dir():
            files = files_of(path)
            address = address_of(path, base_url, taken)
            plans.append((_files(files, path, address), len(files)))
        elif path.is_file() and path.name.lower().endswith((".warc", ".warc.gz")):
            plans.append((read_warc(path), None))
        elif path.is_file():
            folder = path.absolute().parent
            plans.append((_files([path.absolute()], folder, address_of(folder, base_url, taken)), 1))
        else:
            raise ValueError(f"There is no {named}. Name a folder, a file, a WARC, or a sitemap (a file or a URL).")
    totals = [total for _, total in plans]
    known = [total for total in totals if total is not None]
    return (source for plan, _ in plans for source in plan), sum(known) if len(known) == len(totals) else None


def _is_sitemap(named: str) -> bool:
    if urlsplit(named).scheme in ("http", "https"):
        return True
    return named.lower().endswith((".xml", ".xml.gz")) and Path(named).is_file()


def _files(files: list[Path], folder: Path, address: str) -> Iterator[Source]:
    return (read_file(path, folder, address) for path in files)
