"""Readers that go wrong in the ways in which a hostile file makes one go wrong; here, where other processes can import them."""

import os

from webcards.fetch.page import Page, read_page


def stumbling(body: bytes, *, url: str, content_type: str | None = None) -> Page:
    """Reads pages, but raises, dies or never ends where the body says so."""
    if b"please raise" in body:
        raise RuntimeError("the reader gave up")
    if b"please die" in body:
        os._exit(1)
    while b"please hang" in body:
        pass
    return read_page(body, url=url, content_type=content_type)
