"""Bare lists of results, as agent frameworks pass them on: an address, mostly a title, mostly some text."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, search_outcome

_URL = ("url", "link", "href")
_TITLE = ("title", "name")
_SNIPPET = ("snippet", "content", "body", "description", "text", "summary")
_DATE = ("publishedAt", "published_at", "published_date", "publishedDate", "date", "page_age")


def recognises(body: Any) -> bool:
    """A list of objects that all have an address, and of which one has a title or a text; bare, or as `results`."""
    rows = _rows(body)
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, dict) and any(isinstance(row.get(key), str) for key in _URL) for row in rows)
        and any(isinstance(row.get(key), str) for row in rows for key in (*_TITLE, *_SNIPPET))
    )


def outcomes(body: Any) -> Iterator[Outcome]:
    """One search."""
    sources = [
        source(first_text(row, *_URL), first_text(row, *_TITLE), first_text(row, *_SNIPPET), first_text(row, *_DATE))
        for row in mappings(_rows(body))
    ]
    fields = mapping(body)
    yield search_outcome(sources, query=fields.get("query"), answer=first_text(fields, "answer"))


def _rows(body: Any) -> Any:
    if isinstance(body, dict):
        return body.get("results") if isinstance(body.get("results"), list) else body.get("sources")
    return body


FORMAT = body_format("langchain", recognises, outcomes)
