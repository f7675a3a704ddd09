"""The pages of a web archive (WARC 1.1, ISO 28500), plain or gzip, as sources."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcards.library.sources import LARGEST, Body, Failure, Skipped, Source, too_large

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

_READABLE = re.compile(r"(?:text/(?:html|plain|markdown|x-markdown)|application/(?:xhtml\+xml|pdf))\b", re.IGNORECASE)


def read_warc(path: Path) -> Iterator[Source]:
    """Each complete answer with status 200 that is text or PDF. A damaged archive gives what comes before the damage."""
    from warcio.archiveiterator import ArchiveIterator

    pages = 0
    try:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                source = _read_record(record)
                if source is not None:
                    pages += 1
                    yield source
    except Exception as error:  # what a damaged archive raises is no closed list
        yield Failure(str(path), f"The archive is damaged after {pages} pages, and not read further: {error}.")


def _read_record(record: ArcWarcRecord) -> Source | None:
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    if record.rec_type not in ("response", "resource") or urlsplit(url).scheme not in ("http", "https"):
        return None
    headers = record.http_headers
    if headers is not None and headers.get_statuscode() != "200":
        return None
    content_type = headers.get_header("Content-Type") if headers is not None else record.content_type
    if _READABLE.match(content_type or "") is None:
        return Skipped(url)
    try:
        body = _body(record)
    except Exception as error:  # one record's body must cost only itself
        return Failure(url, f"Its body in the archive cannot be decoded: {error}.")
    return too_large(url) if len(body) > LARGEST else Body(url, url, content_type, body)


def _body(record: ArcWarcRecord) -> bytes:
    """A record's body without its codings, and no more of it than one byte over what is read."""
    from warcio.bufferedreaders import ChunkedDataReader

    stream, codings = record.raw_stream, list[str]()
    if record.http_headers is not None:
        if "chunked" in record.http_headers.get_header("Transfer-Encoding", "").lower():
            stream = ChunkedDataReader(stream)
        named = record.http_headers.get_header("Content-Encoding", "").lower()
        codings = [coding.strip() for coding in named.split(",")]
    body: bytes = stream.read(LARGEST + 1)
    for coding in reversed([coding for coding in codings if coding not in ("", "identity")]):
        body = _decode(coding, body)
    return body


def _decode(coding: str, body: bytes) -> bytes:
    """One content coding undone (RFC 9110 section 8.4.1), with a bound on what comes out."""
    match coding:
        case "gzip" | "x-gzip" if body.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(wbits=31).decompress(body, LARGEST + 1)
        case "gzip" | "x-gzip":
            return body  # archives are made that keep the header and not the coding
        case "deflate":
            try:
                return zlib.decompressobj().decompress(body, LARGEST + 1)
            except zlib.error:
                return zlib.decompressobj(wbits=-15).decompress(body, LARGEST + 1)
        case "br":
            import brotli

            return bytes(brotli.Decompressor().process(body, output_buffer_limit=LARGEST + 1))
        case "zstd":
            import io

            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body)).read(LARGEST + 1)
        case _:
            raise ValueError(f"the coding {coding} is not known")
