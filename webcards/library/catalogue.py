"""The demo web's catalogue: what stands at which URL, read from `pages/manifest.toml` and the files beside it.

Owns the manifest's shape and the making of a page's bytes (legacy charsets, generated documents).
Answering a request with them is `site`'s part, searching them is the index's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Literal
from urllib.parse import unquote, urlsplit

import msgspec

LIBRARY_HOSTS: frozenset[str] = frozenset(
    {
        "chandlery.kittiwick.example",
        "forum.kittiwick.example",
        "gazette.kittiwick.example",
        "go.kittiwick.example",
        "lowwater.example",
        "marsa.example",
        "office.kittiwick.example",
        "proofs.kittiwick.example",
        "wiki.kittiwick.example",
        "wreckers.example",
        "xn--j6w163h.example",
    }
)
"""Every host that the demo web answers for, as a URL's host is written (IDNs in punycode)."""

Made = Literal["logbook", "pdf", "png"]


class LibraryPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the demo web, ready to be indexed or sent; `body` is not compressed yet."""

    url: str
    title: str
    status: int
    headers: Mapping[str, str]
    """Response headers, names in lower case. `content-type` is missing where the page is sent without one."""
    body: bytes
    charset: str
    """The encoding that `body` is really written in (a Python codec), whatever the headers say."""
    published: str | None
    lang: str | None
    indexed: bool
    """Whether a search may find it. Pages that only misbehave (loops, errors) are not indexed."""

    @property
    def content_type(self) -> str | None:
        """The Content-Type header as sent, or None."""
        return self.headers.get("content-type")


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A page's row in the manifest. Its body is a `file`, or `made` by code, or empty."""

    url: str
    title: str
    file: str | None = None
    made: Made | None = None
    type: str | None = "text/html; charset=utf-8"
    """The Content-Type header, word for word; an empty string sends none."""
    charset: str = "utf-8"
    """Files are kept in UTF-8, so that they can be read and edited; the body is encoded to this when it is loaded."""
    encoding: Literal["gzip", "br", "zstd"] | None = None
    """The Content-Encoding it is always sent with, whether asked for or not."""
    status: int = 200
    headers: dict[str, str] = {}
    delay: float = 0.0
    """Seconds to wait before the answer."""
    published: str | None = None
    lang: str | None = None
    indexed: bool = True


class Host(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A host's row in the manifest."""

    name: str
    site: str
    lang: str
    not_found: str
    """The file of its designed 404 page."""
    disallow: list[str] = []
    """Paths that its robots.txt asks crawlers to leave alone."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of `pages/manifest.toml`."""

    host: list[Host]
    page: list[Entry]


@cache
def manifest() -> Manifest:
    """The manifest, read once."""
    return msgspec.toml.decode(read_file("manifest.toml"), type=Manifest)


@cache
def read_file(name: str) -> bytes:
    """The bytes of a file under `pages/`."""
    return resources.files(__package__).joinpath("pages", *name.split("/")).read_bytes()


@cache
def hosts() -> dict[str, Host]:
    """The manifest's hosts by name."""
    return {host.name: host for host in manifest().host}


def pages() -> Iterator[LibraryPage]:
    """Every page of the demo web, in the manifest's order, those that are not indexed included."""
    return map(load, manifest().page)


def entry_at(host: str, target: str) -> Entry | None:
    """What stands at `target` (path and query, as on the request line) of a host, or None.

    A query that no entry names is ignored, as a server of static files would.
    """
    entries = _by_address()
    path, _, query = unquote(target).partition("?")
    return entries.get((host, path, query)) or entries.get((host, path, ""))


def load(entry: Entry) -> LibraryPage:
    """The page of a manifest entry, with its bytes."""
    headers = {name.lower(): value for name, value in entry.headers.items()}
    if entry.type:
        headers["content-type"] = entry.type
    return LibraryPage(
        url=entry.url,
        title=entry.title,
        status=entry.status,
        headers=headers,
        body=_body(entry),
        charset=entry.charset,
        published=entry.published,
        lang=entry.lang,
        indexed=entry.indexed,
    )


@cache
def _by_address() -> dict[tuple[str, str, str], Entry]:
    addresses: dict[tuple[str, str, str], Entry] = {}
    for entry in manifest().page:
        parts = urlsplit(entry.url)
        addresses[parts.netloc, unquote(parts.path), unquote(parts.query)] = entry
    return addresses


def _body(entry: Entry) -> bytes:
    match entry.made:
        case None:
            pass
        case "logbook":
            from webcards.library.logbook import logbook_html

            return logbook_html().encode()
        case "pdf" | "png" as kind:
            from webcards.library import binaries

            return binaries.tide_table_pdf() if kind == "pdf" else binaries.chart_png()
    if entry.file is None:
        return b""
    body = read_file(entry.file)
    return body if entry.charset == "utf-8" else body.decode().encode(entry.charset)
