"""Bodies of the Bocha search service: Bing's shape inside an envelope."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.fields import mapping
from webcards.logs.formats.bing import web_pages
from webcards.logs.outcome import Outcome, body_format, failed_outcome, search_outcome


def recognises(body: Any) -> bool:
    """An envelope with a code and Bing's type; or its refusal, which has a log id."""
    if not isinstance(body, dict) or "code" not in body:
        return False
    return mapping(body.get("data")).get("_type") == "SearchResponse" or (
        "log_id" in body and not isinstance(body.get("data"), dict) and str(body["code"]) != "200"
    )


def outcomes(body: dict[str, Any]) -> Iterator[Outcome]:
    """One search; any code but 200 is an error."""
    data = mapping(body.get("data"))
    query = mapping(data.get("queryContext")).get("originalQuery")
    if str(body["code"]) != "200":
        yield failed_outcome(body["code"], body.get("message") or body.get("msg"), query=query)
        return
    yield search_outcome(web_pages(data), query=query)


FORMAT = body_format("bocha", recognises, outcomes)
