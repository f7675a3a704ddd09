"""The documents that an index keeps, answering for their URLs as if from the network, so that what is found can be fetched."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import httpx

from webcards.library.connections import Connections
from webcards.library.index_writer import stored_key

_INDEX_PAGES = ("index.html", "index.htm", "index.md", "README.md")


class StoredSite:
    """The kept documents of an index file, those of now: a new file that takes the old one's place is seen at the next
    look-up. Any number of threads may look up.
    """

    def __init__(self, index_path: Path) -> None:
        """Open the index. Raises FileNotFoundError, or ValueError if the file is no index of this version."""
        self._path = index_path
        self._lock = threading.Lock()
        self._stamp = _stamp(index_path)
        self._connections, self._hosts = _opened(index_path)

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of the kept documents, in lower case. They are whole: what is not kept is not found on them."""
        return self._now()[1]

    def lookup(self, url: str) -> tuple[str, bytes] | None:
        """The content type (as it came, maybe empty) and body kept for a URL; for a folder's, those of its index page."""
        with self._now()[0].borrowed() as base:
            for key in _keys(url):
                row = base.execute("SELECT content_type, body FROM stored WHERE url = ?", (key,)).fetchone()
                if row is not None:
                    return row[0] or "", zlib.decompress(row[1])
        return None

    def _now(self) -> tuple[Connections, frozenset[str]]:
        """The file of now, and its hosts; while it is none that can be read, the one before."""
        with self._lock:
            stamp = _stamp(self._path)
            if stamp not in (None, self._stamp):
                self._stamp = stamp
                with contextlib.suppress(OSError, ValueError):
                    # The connections before these are let go, not closed: a look-up may still be in them.
                    self._connections, self._hosts = _opened(self._path)
            return self._connections, self._hosts

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Changes when another file takes the place; None for no file."""
    try:
        now = path.stat()
    except OSError:
        return None
    return now.st_mtime_ns, now.st_size, now.st_ino


def _opened(path: Path) -> tuple[Connections, frozenset[str]]:
    connections = Connections.of_index(path)
    with connections.borrowed() as base:
        urls = base.execute("SELECT url FROM stored").fetchall()
    return connections, frozenset(urlsplit(url).hostname or "" for (url,) in urls) - {""}


class LibraryHosts(Container[str]):
    """The hosts that are answered for without a network: some that are fixed, and those of a site's documents of now."""

    def __init__(self, fixed: frozenset[str], site: StoredSite) -> None:
        self._fixed = fixed
        self._site = site

    def __contains__(self, host: object) -> bool:
        return host in self._fixed or host in self._site.hosts


class StoredTransport(httpx.AsyncBaseTransport):
    """Answers GET and HEAD for a site's hosts; any other host is `otherwise`'s, or, without one, nobody's."""

    def __init__(self, site: StoredSite, otherwise: httpx.AsyncBaseTransport | None = None) -> None:
        self._site = site
        self._otherwise = otherwise

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer to one request. Raises `httpx.ConnectError` for a host that nobody answers for."""
        if request.url.raw_host.decode("ascii", "replace").lower() not in self._site.hosts:
            if self._otherwise is not None:
                return await self._otherwise.handle_async_request(request)
            raise httpx.ConnectError(f"No document of the index is at {request.url.host}.", request=request)
        if request.method not in ("GET", "HEAD"):
            return _answer(request, 405, "text/plain", b"Only GET and HEAD here.\n")
        found = await asyncio.to_thread(self._site.lookup, str(request.url))
        if found is None:
            return _answer(request, 404, "text/plain; charset=utf-8", b"The index keeps no document at this address.\n")
        content_type, body = found
        return _answer(request, 200, content_type, body)

    async def aclose(self) -> None:
        """Close the site's file, and `otherwise`."""
        self._site.close()
        if self._otherwise is not None:
            await self._otherwise.aclose()


def _keys(url: str) -> Iterator[str]:
    key = stored_key(url)
    yield key
    if key.partition("?")[0].endswith("/"):
        folder = key.partition("?")[0]
        yield from (folder + page for page in _INDEX_PAGES)


def _answer(request: httpx.Request, status: int, content_type: str, body: bytes) -> httpx.Response:
    headers = {"content-length": str(len(body)), **({"content-type": content_type} if content_type else {})}
    stream = httpx.ByteStream(b"" if request.method == "HEAD" else body)
    return httpx.Response(
        status, headers=headers, stream=stream, request=request, extensions={"http_version": b"HTTP/1.1"}
    )
