"""Bodies of SerpApi, and the base of SearchApi's, which have the same shape."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source, text
from webcards.logs.outcome import Outcome, body_format, failed_outcome, search_outcome

_LISTS = ("organic_results", "news_results")


def has_shape(body: Any) -> bool:
    """Metadata of the search beside results, parameters or an error."""
    if not isinstance(body, dict) or not isinstance(body.get("search_metadata"), dict):
        return False
    return any(key in body for key in (*_LISTS, "search_parameters", "error"))


def recognises(body: Any) -> bool:
    """The shape, without the marks of SearchApi."""
    return has_shape(body)


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search. An error beside a "Success" says that there were no results."""
    query = mapping(body.get("search_parameters")).get("q")
    status = text(mapping(body["search_metadata"]).get("status"))
    if isinstance(body.get("error"), str) and status != "Success":
        yield failed_outcome(status, body["error"], query=query)
        return
    sources = [
        source(row.get("link"), row.get("title"), row.get("snippet"), row.get("date"))
        for kind in _LISTS
        for row in mappings(body.get(kind))
    ]
    answer = first_text(mapping(body.get("answer_box")), "answer", "snippet")
    yield search_outcome(sources, query=query, answer=answer)


FORMAT = body_format("serpapi", recognises, outcomes)
