"""Bodies of the Jina search and reader services. Their code is the service's own, not the page's status."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source, text
from webcards.logs.outcome import Outcome, body_format, failed_outcome, page_outcome, search_outcome


def recognises(body: Any) -> bool:
    """A code beside the five-digit status that only this service has."""
    if not isinstance(body, dict) or "code" not in body:
        return False
    status = body.get("status")
    return isinstance(status, int) and not isinstance(status, bool) and 20000 <= status < 60000


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """A search (a list) or a fetch (one page)."""
    data = body.get("data")
    if body.get("code") != 200:
        yield failed_outcome(
            first_text(body, "name") or body["code"], body.get("readableMessage") or body.get("message")
        )
    elif isinstance(data, list):
        sources = []
        for row in mappings(data):
            snippet = first_text(row, "description", "content")
            date = first_text(row, "publishedTime", "date")
            sources.append(source(row.get("url"), row.get("title"), snippet, date))
        yield search_outcome(sources)
    else:
        page = mapping(data)
        yield page_outcome(text(page.get("url")) or "", text=text(page.get("content")) or "")


FORMAT = body_format("jina", recognises, outcomes)
