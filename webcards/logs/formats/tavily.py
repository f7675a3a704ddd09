"""Bodies of the Tavily search and extract services."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webcards.logs.fields import first_text, mappings, source, text
from webcards.logs.outcome import Outcome, body_format, failed_outcome, page_outcome, search_outcome

_MARKS = ("response_time", "follow_up_questions", "failed_results")


def recognises(body: Any) -> bool:
    """A list of results with one of the fields that only this service has; or its way of refusing."""
    if not isinstance(body, dict):
        return False
    if isinstance(body.get("results"), list):
        return any(mark in body for mark in _MARKS)
    return set(body) == {"detail"} and isinstance(body["detail"], dict) and set(body["detail"]) == {"error"}


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search; or a fetch for each page of an extract, those that failed included."""
    if "detail" in body:
        yield failed_outcome(None, body["detail"]["error"])
        return
    rows = list(mappings(body["results"]))
    if "query" not in body and ("failed_results" in body or any("raw_content" in row for row in rows)):
        for row in rows:
            yield page_outcome(text(row.get("url")) or "", text=text(row.get("raw_content")) or "")
        for row in mappings(body.get("failed_results")):
            failed = text(row.get("error")) or "the service names no reason"
            yield page_outcome(text(row.get("url")) or "", text=None, failed=failed)
        return
    sources = [source(row.get("url"), row.get("title"), row.get("content"), _date(row)) for row in rows]
    answer = body.get("answer")
    yield search_outcome(sources, query=body.get("query"), answer=answer if isinstance(answer, str) else UNSET)


def _date(row: dict[str, Any]) -> Any:
    date = first_text(row, "published_date")
    return date if isinstance(date, str) else None


FORMAT = body_format("tavily", recognises, outcomes)
