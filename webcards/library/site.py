"""The demo web as a network: an httpx transport that answers for the catalogue's hosts without a socket.

Owns statuses, headers, streaming, delays, robots.txt and sitemap.xml; what stands where is the catalogue's part.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncIterator, Mapping
from email.utils import formatdate
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import httpx

from webcards.library.catalogue import (
    LIBRARY_HOSTS,
    Entry,
    Host,
    LibraryPage,
    entry_at,
    hosts,
    load,
    manifest,
    pages,
    read_file,
)
from webcards.library.specimens import SPECIMENS

__all__ = ["LIBRARY_HOSTS", "SPECIMENS", "LibraryPage", "LibraryTransport", "pages"]

CHUNK = 16_384
"""Bytes a streamed chunk."""
STEP = 0.25
"""Seconds slept at a time before a slow page answers."""
_PORTS = {"http": 80, "https": 443}


class LibraryTransport(httpx.AsyncBaseTransport):
    """Answers GET and HEAD for `LIBRARY_HOSTS`, over http and https, as a small web server would.

    Any other host, and any port but the scheme's own, raises `httpx.ConnectError`: nobody listens there.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer to one request; a slow page honours the request's read timeout (`httpx.ReadTimeout`)."""
        host = hosts().get(request.url.raw_host.decode("ascii").lower())
        port = request.url.port
        if host is None or request.url.scheme not in _PORTS or port not in (None, _PORTS[request.url.scheme]):
            raise httpx.ConnectError(
                f"Nothing of the demo web answers at {request.url.netloc.decode('ascii')}.", request=request
            )
        if request.method not in ("GET", "HEAD"):
            return _answer(
                request, 405, {"allow": "GET, HEAD", "content-type": "text/plain"}, b"Only GET and HEAD here.\n"
            )

        path = request.url.path
        if path == "/robots.txt":
            return _answer(request, 200, {"content-type": "text/plain; charset=utf-8"}, _robots(host))
        if path == "/sitemap.xml":
            return _answer(request, 200, {"content-type": "application/xml; charset=utf-8"}, _sitemap(host))
        entry = entry_at(host.name, request.url.raw_path.decode("ascii"))
        if entry is None:
            headers = {"content-type": "text/html; charset=utf-8", "content-language": host.lang}
            return _answer(request, 404, headers, read_file(host.not_found))
        await _wait(entry.delay, request)
        return _page_answer(request, entry)


class _Chunks(httpx.AsyncByteStream):
    """A body handed over in pieces, giving way to other tasks between them, as a socket would."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), CHUNK):
            yield self._body[start : start + CHUNK]
            await asyncio.sleep(0)


async def _wait(delay: float, request: httpx.Request) -> None:
    """Sleep `delay` seconds in steps, or as long as the request's read timeout allows."""
    patience = request.extensions.get("timeout", {}).get("read")
    waited = 0.0
    while waited < delay:
        if patience is not None and waited >= patience:
            raise httpx.ReadTimeout(f"No answer from {request.url.host} within {patience:g} s.", request=request)
        step = min(STEP, delay - waited, delay if patience is None else patience - waited)
        await asyncio.sleep(step)
        waited += step


def _page_answer(request: httpx.Request, entry: Entry) -> httpx.Response:
    page = load(entry)
    headers = dict(page.headers)
    if page.lang is not None:
        headers.setdefault("content-language", page.lang)
    if page.status != 200:
        return _answer(request, page.status, headers, page.body)

    # Validators, so that a private cache has something to work with (RFC 9111, RFC 9110 section 13.1.2).
    headers["etag"] = f'"{hashlib.sha256(page.body).hexdigest()[:16]}"'
    headers.setdefault("cache-control", "max-age=600")
    if request.headers.get("if-none-match") == headers["etag"]:
        return _answer(request, 304, {k: headers[k] for k in ("etag", "cache-control")}, b"")
    body = page.body
    if entry.encoding is not None:
        headers |= {"content-encoding": entry.encoding, "vary": "Accept-Encoding"}
        body = _compress(entry.encoding, body)
    return _answer(request, page.status, headers, body)


def _answer(request: httpx.Request, status: int, headers: Mapping[str, str], body: bytes) -> httpx.Response:
    bodiless = status in (204, 304)
    head = {"date": formatdate(usegmt=True), "server": "kittiwick-quay", **headers}
    if not bodiless:
        head["content-length"] = str(len(body))
    stream = _Chunks(b"" if bodiless or request.method == "HEAD" else body)
    return httpx.Response(
        status, headers=head, stream=stream, request=request, extensions={"http_version": b"HTTP/1.1"}
    )


def _compress(encoding: str, body: bytes) -> bytes:
    if encoding == "gzip":
        return gzip.compress(body, mtime=0)
    if encoding == "br":
        import brotli

        return bytes(brotli.compress(body, quality=5))
    import zstandard

    return zstandard.ZstdCompressor().compress(body)


def _robots(host: Host) -> bytes:
    rules = [f"Disallow: {path}" for path in host.disallow] or ["Allow: /"]
    return "\n".join(["User-agent: *", *rules, "", f"Sitemap: https://{host.name}/sitemap.xml", ""]).encode()


def _sitemap(host: Host) -> bytes:
    rows = []
    for entry in manifest().page:
        if entry.indexed and urlsplit(entry.url).netloc == host.name:
            changed = f"<lastmod>{entry.published}</lastmod>" if entry.published else ""
            rows.append(f"  <url><loc>{escape(entry.url)}</loc>{changed}</url>\n")
    opening = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return (opening + "".join(rows) + "</urlset>\n").encode()
