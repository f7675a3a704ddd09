"""Bodies of SearXNG, and the rows that a client made of them: the engines that found a row are its mark."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.fields import first_text, mapping, mappings, sequence, source
from webcards.logs.outcome import Outcome, body_format, search_outcome


def recognises(body: Any) -> bool:
    """Rows with `engine` or `engines`, bare or as `results`; or a list of engines that did not answer."""
    if isinstance(body, list):
        return bool(body) and all(isinstance(row, dict) and _engined(row) for row in body)
    if not isinstance(body, dict) or not isinstance(body.get("results"), list):
        return False
    return "unresponsive_engines" in body or any(_engined(row) for row in mappings(body["results"]))


def outcomes(body: Any) -> Iterator[Outcome]:
    """One search. Newer versions write answers as objects."""
    fields = mapping(body)
    rows = body if isinstance(body, list) else fields.get("results")
    sources = []
    for row in mappings(rows):
        snippet, date = first_text(row, "content", "snippet"), first_text(row, "publishedDate", "pubdate")
        sources.append(source(first_text(row, "url", "link"), row.get("title"), snippet, date))
    answers = [
        words
        for item in sequence(fields.get("answers"))
        if isinstance(words := item if isinstance(item, str) else mapping(item).get("answer"), str) and words
    ]
    yield search_outcome(sources, query=fields.get("query"), answer="\n\n".join(answers) if answers else UNSET)


def _engined(row: dict[str, Any]) -> bool:
    return ("engine" in row or "engines" in row) and ("url" in row or "link" in row)


FORMAT = body_format("searxng", recognises, outcomes)
