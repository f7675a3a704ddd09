"""Reads saved pages as a fetch would read them: as many bytes as a fetch reads and no more, packed ones unpacked."""

import time
from pathlib import Path
from typing import Any

from webcards.contract import WebError
from webcards.fetch.decoding import BLOCK, BodyDecoder, UndecodableError
from webcards.fetch.page import read_page

_GZIP = b"\x1f\x8b"
_NOWHERE = "https://page.example/"
"""Stands for the address of a page that came without one."""


class UnreadableError(Exception):
    """A saved page that cannot be read; `code` is one of the contract's, or `FILE`. The message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def read_saved(file: Path, *, url: str, content_type: str | None, limit: int) -> dict[str, Any]:
    """What the page says, as JSON; `ms` is how long it took to read it, without opening or unpacking. `cut` says that
    it is longer than `limit` bytes, unpacked, or broke off. Raises `UnreadableError`.
    """
    body, cut = _body(file, limit)
    began = time.perf_counter()
    address = url or _NOWHERE
    try:
        page = read_page(body, url=address, content_type=content_type, source_truncated=cut)
    except WebError as error:
        # The reader knows the page by its address, the one who asked by its file.
        raise UnreadableError(error.code, error.message.replace(address, str(file))) from None
    ms = (time.perf_counter() - began) * 1000
    known = {"title": page.title, "byline": page.byline, "published": page.published, "lang": page.lang}
    return {**known, "markdown": page.markdown, "text": page.text, "cut": page.cut, "ms": round(ms, 2)}


def _body(file: Path, limit: int) -> tuple[bytes, bool]:
    """The first `limit` bytes of a file, unpacked if it is packed, and whether there are more."""
    decoder = BodyDecoder(limit=limit)
    # No more at a time than may be read in all: the decoder refuses a longer piece as a whole.
    size = min(BLOCK, limit)
    try:
        with file.open("rb") as source:
            chunk = source.read(size)
            decoder.undo("gzip" if chunk.startswith(_GZIP) else None)
            while chunk and not decoder.full:
                decoder.feed(chunk)
                chunk = source.read(size)
    except OSError as error:
        raise UnreadableError("FILE", f"{file} cannot be read: {error.strerror or error}.") from None
    except UndecodableError:
        raise UnreadableError("FILE", f"{file} cannot be read: it begins as gzip does, and is none.") from None
    if not decoder.complete and not decoder.body:
        raise UnreadableError("FILE", f"{file} cannot be read: it breaks off before anything can be unpacked.")
    return bytes(decoder.body), decoder.full or not decoder.complete
