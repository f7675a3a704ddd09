"""Bodies of the Bing search service."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, failed_outcome, search_outcome


def recognises(body: Any) -> bool:
    """The type that the service writes first."""
    return isinstance(body, dict) and body.get("_type") in ("SearchResponse", "ErrorResponse", "News")


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search."""
    query = mapping(body.get("queryContext")).get("originalQuery")
    if body.get("_type") == "ErrorResponse":
        error = next(mappings(body.get("errors")), {})
        yield failed_outcome(error.get("code"), error.get("message"), query=query)
        return
    if body.get("_type") == "News":
        rows = mappings(body.get("value"))
        news = [
            source(row.get("url"), row.get("name"), row.get("description"), row.get("datePublished")) for row in rows
        ]
        yield search_outcome(news, query=query)
        return
    yield search_outcome(web_pages(body), query=query)


def web_pages(body: dict[str, Any]) -> Iterator[Any]:
    """The pages. The day on which a page was last crawled is not when it was published."""
    for row in mappings(mapping(body.get("webPages")).get("value")):
        snippet = first_text(row, "snippet", "summary")
        yield source(row.get("url"), row.get("name"), snippet, row.get("datePublished"))


FORMAT = body_format("bing", recognises, outcomes)
