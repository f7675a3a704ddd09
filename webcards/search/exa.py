"""Exa: the search endpoint (exa.ai/docs, "Search", POST /search), with highlights as snippets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.http import ask
from webcards.search.keys import Account
from webcards.search.provider import SearchRequest, refuse_missing_options
from webcards.search.regions import read_region

if TYPE_CHECKING:
    from webcards.settings import Settings

_MOST = 100
_DAYS = {"d": 1, "w": 7, "m": 31, "y": 366}


class ExaRow(Struct, rename="camel"):
    url: object = None
    title: object = None
    highlights: object = None
    summary: object = None
    text: object = None
    published_date: object = None


class ExaAnswer(Struct):
    results: list[ExaRow]


class Exa:
    """A search by meaning."""

    id = "exa"
    label = "Exa"
    options = frozenset({"time_range", "site", "region", "safe"})

    def __init__(self, settings: Settings, *, base_url: str = "https://api.exa.ai") -> None:
        self._account = Account(self.label, "WEBCARDS_EXA_API_KEY", settings.exa_api_key, settings.search_timeout)
        self.address = base_url

    def available(self) -> str | None:
        return self._account.missing()

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = self._account.api("x-api-key")
        answer = await ask(api, "POST", f"{self.address}/search", ExaAnswer, json=_body(request, now))
        rows = (Row(row.url, row.title, _snippet(row), row.published_date) for row in answer.results)
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=now, site=request.site)


def _body(request: SearchRequest, now: datetime) -> dict[str, Any]:
    body: dict[str, Any] = {
        "query": request.query,
        "numResults": min(request.max_results, _MOST),
        "contents": {"highlights": True},
    }
    if request.time_range:
        since = now - timedelta(days=_DAYS[request.time_range])
        body["startPublishedDate"] = since.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    if request.site:
        body["includeDomains"] = [request.site]
    if request.region:
        body["userLocation"] = read_region(request.region).country.upper()
    if request.safe and request.safe != "off":
        body["moderation"] = True
    return body


def _snippet(row: ExaRow) -> object:
    if isinstance(row.highlights, list):
        parts = [part for part in row.highlights if isinstance(part, str)]
        if parts:
            return " … ".join(parts)
    return row.summary or row.text
