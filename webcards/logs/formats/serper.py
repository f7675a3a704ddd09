"""Bodies of the Serper search service: web, news, images, places."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, search_outcome

_LISTS = ("organic", "news", "images", "videos", "places", "shopping", "scholar", "patents")


def recognises(body: Any) -> bool:
    """The parameters of the search, as this service names them."""
    return isinstance(body, dict) and isinstance(body.get("searchParameters"), dict)


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search."""
    sources = []
    for kind in _LISTS:
        for row in mappings(body.get(kind)):
            url = first_text(row, "link", "website")
            sources.append(source(url, row.get("title"), row.get("snippet"), row.get("date")))
    answer = first_text(mapping(body.get("answerBox")), "answer", "snippet")
    yield search_outcome(sources, query=body["searchParameters"].get("q"), answer=answer)


FORMAT = body_format("serper", recognises, outcomes)
