"""Bodies of Google's custom search."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, search_outcome


def recognises(body: Any) -> bool:
    """The kind that the service writes first."""
    return isinstance(body, dict) and body.get("kind") == "customsearch#search"


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search."""
    request = next(mappings(mapping(body.get("queries")).get("request")), {})
    sources = [source(row.get("link"), row.get("title"), row.get("snippet")) for row in mappings(body.get("items"))]
    yield search_outcome(sources, query=request.get("searchTerms"))


FORMAT = body_format("google-cse", recognises, outcomes)
