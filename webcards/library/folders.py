"""A team's own files as sources: which of a folder's files are pages, and at what address each stands."""

import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from webcards.library.sources import LARGEST, Body, Failure, Skipped, Source, too_large

RESERVED = "library.example"
"""Hosts under `.example` are nobody's (RFC 2606): a folder that is not on the web has its address here."""
_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".rst": "text/plain",
    ".adoc": "text/plain",
    ".org": "text/plain",
    ".pdf": "application/pdf",
}
_NOT_PAGES = frozenset({"_sources", "_static", "node_modules"})
"""Folders of what pages are made from and with (Sphinx, npm): their texts stand in the pages already."""


def address_of(folder: Path, base_url: str | None, taken: set[str]) -> str:
    """Where a folder's pages stand: at `base_url`, else at a reserved host with the folder's name, each its own.

    Raises ValueError if `base_url` is no http(s) URL.
    """
    if base_url is not None:
        if urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).hostname:
            raise ValueError(
                f"{base_url} cannot be the base of pages. Give an address like https://docs.example/guide/."
            )
        return base_url.rstrip("/") + "/"
    label = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:50].strip("-") or "folder"
    name, number = label, 2
    while name in taken:
        name, number = f"{label}-{number}", number + 1
    taken.add(name)
    return f"https://{name}.{RESERVED}/"


def files_of(folder: Path) -> list[Path]:
    """The files in a folder and below, in order. Hidden ones, and links that lead out of the folder, are not its own."""
    found: list[Path] = []
    inside = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_PAGES)
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or (path.is_symlink() and not path.resolve().is_relative_to(inside)):
                continue
            if path.is_file():
                found.append(path)
    return found


def read_file(path: Path, folder: Path, address: str) -> Source:
    """One file of a folder whose pages stand at `address`."""
    where = os.fsencode(path).decode(errors="replace")
    content_type = _TYPES.get(path.suffix.lower())
    if content_type is None:
        return Skipped(where)
    try:
        if path.stat().st_size > LARGEST:
            return too_large(where)
        body = path.read_bytes()
    except OSError as error:
        return Failure(where, f"It cannot be read: {error.strerror or error}.")
    return Body(where, address + quote(os.fsencode(path.relative_to(folder).as_posix())), content_type, body)
