"""Serving a web archive back as the web: WARC files by us, wget or a browser's crawler, a folder of them, or a WACZ.

Nothing is asked of the network. Redirects, caps and decoding are those of a live fetch: this is only a transport.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import ada_url
import httpx
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from webcards.contract.errors import WebError

CHUNK = 65_536
"""Bytes of a body that are read at a time."""
_SUFFIXES = (".warc", ".warc.gz", ".arc", ".arc.gz")


class _Place(NamedTuple):
    """Where a record begins: the file, the member of a WACZ, the offset."""

    file: Path
    member: str | None
    offset: int


class _Index(NamedTuple):
    """Responses by URL, the last one captured first; where a revisit's body stands, by digest."""

    pages: dict[str, _Place]
    bodies: dict[str, _Place]


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers from an archive. What it does not hold is a WebError (WEB_PROVIDER_ERROR) that says so."""

    def __init__(self, path: Path) -> None:
        """Raises WebError (WEB_PROVIDER_ERROR) where there is no such file or folder."""
        if not path.exists():
            raise WebError(
                "WEB_PROVIDER_ERROR", f"The setting WEBCARDS_FETCH_REPLAY names {path}, which does not exist."
            )
        self._path = path
        self._index: _Index | None = None
        self._lock = asyncio.Lock()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The captured answer for the request's URL. Raises WebError."""
        async with self._lock:
            if self._index is None:
                self._index = await asyncio.to_thread(_indexed, self._path)
        url = _key(str(request.extensions.get("caching", {}).get("key") or request.url))
        place = self._index.pages.get(url) or self._index.pages.get(_other_scheme(url))
        if place is None:
            raise WebError(
                "WEB_PROVIDER_ERROR",
                f"{url} is not in the capture {self._path.name} that is served in place of the network "
                "(WEBCARDS_FETCH_REPLAY).",
            )
        return await asyncio.to_thread(_answer, place, self._index)

    async def aclose(self) -> None:
        """Nothing stays open between requests."""


def _indexed(path: Path) -> _Index:
    index = _Index({}, {})
    for file, member in _archives(path):
        with _opened(file, member) as stream:
            try:
                _add(index, ArchiveIterator(stream), file, member)
            except (ArchiveLoadFailed, EOFError, OSError) as error:
                raise WebError(
                    "WEB_PROVIDER_ERROR", f"{member or file.name} cannot be read as a web archive: {error}".strip()
                ) from None
    return index


def _add(index: _Index, records: Any, file: Path, member: str | None) -> None:
    for record in records:
        url = record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri")
        if record.rec_type not in ("response", "revisit") or record.http_headers is None or not url:
            continue
        place = _Place(file, member, records.get_record_offset())
        index.pages[_key(url)] = place
        digest = record.rec_headers.get_header("WARC-Payload-Digest")
        if record.rec_type == "response" and digest:
            index.bodies.setdefault(digest, place)


def _archives(path: Path) -> Iterator[tuple[Path, str | None]]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                yield from ((file, name) for name in sorted(packed.namelist()) if name.endswith(_SUFFIXES))
        elif not path.is_dir() or file.name.endswith(_SUFFIXES):
            yield file, None


def _opened(file: Path, member: str | None) -> BinaryIO:
    if member is None:
        return file.open("rb")
    packed = zipfile.ZipFile(file)
    stream = packed.open(member)
    packed.close()  # the member's stream keeps the file open until it is closed itself
    return stream  # type: ignore[return-value]  # a ZipExtFile is a seekable binary stream


def _answer(place: _Place, index: _Index) -> httpx.Response:
    record, stream = _record(place)
    headers = record.http_headers
    if record.rec_type == "revisit":
        origin = index.bodies.get(record.rec_headers.get_header("WARC-Payload-Digest") or "")
        origin = origin or index.pages.get(_key(record.rec_headers.get_header("WARC-Refers-To-Target-URI") or ""))
        if origin is not None and origin != place:
            stream.close()
            record, stream = _record(origin)
            headers = headers if headers.headers else record.http_headers
    chunked = (record.http_headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked"
    kept = [
        (name.encode("latin-1", "replace"), value.encode("utf-8", "replace"))
        for name, value in headers.headers
        if name.lower() != "transfer-encoding"
    ]
    status = headers.get_statuscode()
    return httpx.Response(
        int(status) if status.isdecimal() else 200,
        headers=kept,
        stream=_Body(stream, _dechunked(record.raw_stream) if chunked else _blocks(record.raw_stream)),
        extensions={"http_version": b"HTTP/1.1"},
    )


def _record(place: _Place) -> tuple[Any, BinaryIO]:
    """A record and the file that its body is read from. Raises WebError where the file is not what it was."""
    stream = _opened(place.file, place.member)
    try:
        stream.seek(place.offset)
        record = next(iter(ArchiveIterator(stream)), None)
    except (ArchiveLoadFailed, EOFError, OSError):
        record = None
    if record is None or record.http_headers is None:
        stream.close()
        raise WebError("WEB_PROVIDER_ERROR", f"{place.file.name} has changed since it was first read, or is damaged.")
    return record, stream


class _Body(httpx.AsyncByteStream):
    def __init__(self, file: BinaryIO, blocks: Iterator[bytes]) -> None:
        self._file = file
        self._blocks = blocks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for block in self._blocks:
            yield block
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        self._file.close()


def _blocks(raw: Any) -> Iterator[bytes]:
    while block := raw.read(CHUNK):
        yield block


def _dechunked(raw: Any) -> Iterator[bytes]:
    """The body without its chunk headers (RFC 9112, section 7.1); one that some crawler undid already, as it is."""
    first = True
    while True:
        line = raw.readline(64)
        size = _chunk_size(line)
        if size is None:
            if first:
                yield line
                yield from _blocks(raw)
            return
        if size == 0:
            return
        first = False
        while size:
            block = raw.read(min(size, CHUNK))
            if not block:
                return
            size -= len(block)
            yield block
        raw.readline(64)


def _chunk_size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip()
    if not line.endswith(b"\n") or not 0 < len(digits) <= 16:
        return None
    try:
        return int(digits, 16)
    except ValueError:
        return None


def _key(url: str) -> str:
    """A URL as the index knows it: WHATWG's normal form without the fragment."""
    try:
        return str(ada_url.URL(url.strip("<>")).href).partition("#")[0]
    except ValueError:
        return url


def _other_scheme(url: str) -> str:
    scheme, colon, rest = url.partition(":")
    return f"{'http' if scheme == 'https' else 'https'}{colon}{rest}"
