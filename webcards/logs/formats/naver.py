"""Rows of the Naver search service: a link, a description and an RFC 2822 date."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, search_outcome


def recognises(body: Any) -> bool:
    """Rows with exactly these names, bare or as `items` below a build date."""
    rows = body if isinstance(body, list) else mapping(body).get("items") if "lastBuildDate" in mapping(body) else None
    return isinstance(rows, list) and bool(rows) and all(_is_row(row) for row in rows)


def outcomes(body: Any) -> Iterator[Outcome]:
    """One search."""
    rows = body if isinstance(body, list) else body["items"]
    yield search_outcome(
        source(row.get("link"), row.get("title"), row.get("description"), row.get("pubDate") or row.get("postdate"))
        for row in mappings(rows)
    )


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict) and "link" in row and "description" in row and ("pubDate" in row or "bloggername" in row)
    )


FORMAT = body_format("naver", recognises, outcomes)
