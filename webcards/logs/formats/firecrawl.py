"""Bodies of the Firecrawl search, scrape and crawl services."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, number, source, text
from webcards.logs.outcome import Outcome, body_format, failed_outcome, page_outcome, search_outcome

_PAGE_FIELDS = frozenset({"markdown", "html", "rawHtml", "metadata", "links", "screenshot", "summary"})
_LISTS = ("web", "news", "images")


def recognises(body: Any) -> bool:
    """Success beside the data of a search, or of a page; or a failure with its error."""
    if not isinstance(body, dict) or not isinstance(body.get("success"), bool):
        return False
    data = body.get("data")
    if isinstance(data, dict):
        return any(key in data for key in _LISTS) or bool(_PAGE_FIELDS & set(data))
    if isinstance(data, list):
        return all(isinstance(row, dict) and ("url" in row or "metadata" in row) for row in data)
    return body["success"] is False and isinstance(body.get("error"), str)


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """A search, or a fetch for each page."""
    data = body.get("data")
    if body["success"] is False:
        yield failed_outcome(body.get("code"), body.get("error"))
    elif isinstance(data, dict) and not any(key in data for key in _LISTS):
        yield _page(data)
    elif isinstance(data, list) and data and not any("url" in row for row in mappings(data)):
        yield from (_page(page) for page in mappings(data))
    else:
        lists = [data] if isinstance(data, list) else [mapping(data).get(kind) for kind in _LISTS]
        sources = [_source(row) for rows in lists for row in mappings(rows)]
        yield search_outcome(sources)


def _source(row: dict[str, Any]) -> Any:
    snippet = first_text(row, "description", "snippet", "markdown")
    return source(row.get("url"), row.get("title"), snippet, row.get("date"))


def _page(page: dict[str, Any]) -> Outcome:
    meta = mapping(page.get("metadata"))
    url = text(meta.get("sourceURL")) or text(meta.get("url")) or ""
    failed = text(meta.get("error")) or text(meta.get("pageError"))
    words = first_text(page, "markdown", "content", "html", "rawHtml", "summary")
    status = number(meta.get("statusCode", meta.get("pageStatusCode")))
    if failed and not isinstance(words, str) and status is None:
        return page_outcome(url, text=None, failed=failed)
    return page_outcome(url, text=words if isinstance(words, str) else "", status=status)


FORMAT = body_format("firecrawl", recognises, outcomes)
