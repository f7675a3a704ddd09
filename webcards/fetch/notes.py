"""What a person is told when a page is blocked, empty or busy: plain words above, or in place of, its text."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from webcards.fetch.exchange import retry_after
from webcards.fetch.retrieve import Retrieval

if TYPE_CHECKING:
    from webcards.fetch.page import Page


def told(retrieval: Retrieval, page: Page) -> tuple[str | None, str]:
    """The note on a page, or None, and the body's Markdown with that note above it."""
    parts = [part for part in (_server_words(retrieval), page.note) if part]
    if not page.markdown.strip() and not page.note:
        parts.append("The page is empty." if not retrieval.body else "The page has no text.")
    if not parts:
        return None, page.markdown
    note = " ".join(parts)
    return note, f"{note}\n\n{page.markdown}" if page.markdown.strip() else note


def _server_words(retrieval: Retrieval) -> str | None:
    """What the server asked for beside the page."""
    wait = retry_after(retrieval.status, retrieval.headers)
    if wait is not None:
        return f"The server answered {_status(retrieval.status)} and asks to be tried again after {wait:.0f} seconds."
    if retrieval.status in (401, 407) and "www-authenticate" in retrieval.headers:
        return f"The server answered {_status(retrieval.status)}: it wants a login."
    return None


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)
