"""What the sources of an index (folders, web archives, sitemaps) give: documents as they came, one at a time."""

from collections.abc import Awaitable, Callable

import msgspec

LARGEST = 64 << 20
"""Bytes of a document that is read; a larger one is reported instead."""


class Body(msgspec.Struct, frozen=True):
    """A document as it came. `where` is what a person calls it: its path, or its URL."""

    where: str
    url: str
    content_type: str | None
    body: bytes
    keep: bool = True
    """Whether the body goes into the index too, to answer for its URL (stored.py)."""


class Failure(msgspec.Struct, frozen=True):
    """A document that is not in the index, and why."""

    where: str
    reason: str


class Skipped(msgspec.Struct, frozen=True):
    """A file of a kind that the index does not read: a picture, a program."""

    where: str


class FetchedBody(msgspec.Struct, frozen=True):
    """An answer from the network with a good status; `url` is the final one."""

    url: str
    content_type: str | None
    body: bytes


Source = Body | Failure | Skipped
Fetch = Callable[[str], Awaitable[FetchedBody]]
"""Fetches one URL, or raises an exception whose text says to a person why not."""


def too_large(where: str) -> Failure:
    """The report of a document that is larger than is read."""
    return Failure(where, f"It is larger than {LARGEST >> 20} MB.")
