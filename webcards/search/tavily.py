"""Tavily: the search endpoint (docs.tavily.com, "API reference", POST /search)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.http import ask
from webcards.search.keys import Account
from webcards.search.provider import SearchRequest, refuse_missing_options
from webcards.search.regions import country_name

if TYPE_CHECKING:
    from webcards.settings import Settings

_MOST = 20
_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}


class TavilyRow(Struct):
    url: object = None
    title: object = None
    content: object = None
    published_date: object = None


class TavilyAnswer(Struct):
    results: list[TavilyRow]
    answer: object = None


class Tavily:
    """A search made for agents: its snippets are chunks of the pages themselves."""

    id = "tavily"
    label = "Tavily"
    options = frozenset({"time_range", "site", "region"})

    def __init__(self, settings: Settings, *, base_url: str = "https://api.tavily.com") -> None:
        self._account = Account(self.label, "WEBCARDS_TAVILY_API_KEY", settings.tavily_api_key, settings.search_timeout)
        self.address = base_url

    def available(self) -> str | None:
        return self._account.missing()

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = self._account.api("Authorization", "Bearer")
        answer = await ask(api, "POST", f"{self.address}/search", TavilyAnswer, json=_body(request))
        rows = (Row(row.url, row.title, row.content, row.published_date) for row in answer.results)
        return result_from_rows(
            rows, engine=self.label, max_results=request.max_results, now=now, site=request.site, answer=answer.answer
        )


def _body(request: SearchRequest) -> dict[str, Any]:
    body: dict[str, Any] = {"query": request.query, "max_results": min(request.max_results, _MOST)}
    if request.time_range:
        body["time_range"] = _RANGES[request.time_range]
    if request.site:
        body["include_domains"] = [request.site]
    if request.region:
        body["country"] = country_name(request.region)
    return body
