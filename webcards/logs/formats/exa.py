"""Bodies of the Exa search, contents and answer services."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.fields import first_text, mapping, mappings, number, sequence, source, text
from webcards.logs.outcome import Outcome, body_format, page_outcome, search_outcome


def recognises(body: Any) -> bool:
    """A request id with results, results whose ids are URLs, or an answer with citations."""
    if not isinstance(body, dict):
        return False
    rows = body.get("results")
    if isinstance(rows, list):
        first = mapping(rows[0]) if rows else {}
        return "requestId" in body or ("id" in first and "url" in first and "title" in first and "engine" not in first)
    return isinstance(body.get("answer"), str) and isinstance(body.get("citations"), list) and "choices" not in body


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search; or, for the contents service, a fetch for each page."""
    if isinstance(body.get("statuses"), list):
        yield from _pages(body)
        return
    rows = body.get("results")
    listed = rows if isinstance(rows, list) else body.get("citations")
    sources = [
        source(row.get("url"), row.get("title"), _snippet(row), row.get("publishedDate")) for row in mappings(listed)
    ]
    answer = body.get("answer")
    yield search_outcome(sources, query=body.get("query"), answer=answer if isinstance(answer, str) else UNSET)


def _pages(body: dict[str, Any]) -> Iterator[Outcome]:
    rows = {text(row.get("id")) or text(row.get("url")): row for row in mappings(body.get("results"))}
    for status in mappings(body["statuses"]):
        url = text(status.get("id")) or ""
        row = rows.pop(url, None)
        if row is not None:
            yield page_outcome(text(row.get("url")) or url, text=text(row.get("text")) or "")
        else:
            error = mapping(status.get("error"))
            code = number(error.get("httpStatusCode"))
            words = text(error.get("tag")) or text(status.get("status")) or "the service names no reason"
            yield page_outcome(url, text=None, failed=words if code is None else f"{words} (HTTP {code})")
    for row in rows.values():
        yield page_outcome(text(row.get("url")) or "", text=text(row.get("text")) or "")


def _snippet(row: dict[str, Any]) -> Any:
    """The highlights, else the text, else the summary."""
    highlights = [item for item in sequence(row.get("highlights")) if isinstance(item, str)]
    if highlights:
        return "\n".join(highlights)
    words = first_text(row, "text", "summary", "snippet")
    return words if isinstance(words, str) else None


FORMAT = body_format("exa", recognises, outcomes)
