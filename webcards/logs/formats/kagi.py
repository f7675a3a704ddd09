"""Bodies of the Kagi search and FastGPT services."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import first_text, mapping, mappings, source
from webcards.logs.outcome import Outcome, body_format, failed_outcome, search_outcome


def recognises(body: Any) -> bool:
    """The node that answered, beside data or an error."""
    return isinstance(body, dict) and "node" in mapping(body.get("meta")) and ("data" in body or "error" in body)


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search. Rows of type 1 are related searches, no results."""
    if error := next(mappings(body.get("error")), None):
        yield failed_outcome(error.get("code"), error.get("msg"))
        return
    data = body.get("data")
    if isinstance(data, dict):
        sources = [_source(row) for row in mappings(data.get("references"))]
        yield search_outcome(sources, query=data.get("query"), answer=first_text(data, "output"))
        return
    yield search_outcome([_source(row) for row in mappings(data) if row.get("t", 0) == 0])


def _source(row: dict[str, Any]) -> Any:
    return source(row.get("url"), row.get("title"), row.get("snippet"), row.get("published"))


FORMAT = body_format("kagi", recognises, outcomes)
