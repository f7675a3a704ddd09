"""Bodies of the Brave search service."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, failed_outcome, search_outcome

# Searches of other kinds list their results without an envelope.
_KINDS = ("news", "videos", "images")


def recognises(body: Any) -> bool:
    """A search with web results and the query in its original form; or an error response."""
    if not isinstance(body, dict):
        return False
    if body.get("type") == "ErrorResponse" and isinstance(body.get("error"), dict):
        return True
    if body.get("type") in _KINDS and isinstance(body.get("results"), list):
        return "original" in mapping(body.get("query"))
    return body.get("type") == "search" and ("web" in body or "original" in mapping(body.get("query")))


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search. The date is the ISO one if there is one, else the one for people."""
    query = mapping(body.get("query"))
    if isinstance(body.get("error"), dict):
        error = body["error"]
        yield failed_outcome(error.get("code") or error.get("status"), error.get("detail"), query=query.get("original"))
        return
    sources = []
    for row in mappings(body.get("results", mapping(body.get("web")).get("results"))):
        date = first_text(row, "page_age", "age")
        sources.append(source(row.get("url"), row.get("title"), row.get("description"), date))
    yield search_outcome(sources, query=query.get("original"), truncated=query.get("more_results_available") is True)


FORMAT = body_format("brave", recognises, outcomes)
