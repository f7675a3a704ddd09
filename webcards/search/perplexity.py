"""Perplexity: Sonar, which searches and writes an answer.

Documented at docs.perplexity.ai, "Chat completions": POST /chat/completions.
"""

from __future__ import annotations

from datetime import UTC, datetime
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

_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}


class PerplexityRow(Struct):
    url: object = None
    title: object = None
    snippet: object = None
    date: object = None


class Message(Struct):
    content: object = None


class Choice(Struct):
    message: Message


class PerplexityAnswer(Struct):
    """`search_results` is the list; older answers have the bare `citations` only."""

    choices: list[Choice]
    search_results: list[PerplexityRow] | None = None
    citations: list[object] | None = None


class Perplexity:
    """A model that searches: its answer cites the sources by their numbers."""

    id = "perplexity"
    label = "Perplexity"
    options = frozenset({"time_range", "site", "region"})

    def __init__(self, settings: Settings, *, base_url: str = "https://api.perplexity.ai") -> None:
        self._account = Account(
            self.label, "WEBCARDS_PERPLEXITY_API_KEY", settings.perplexity_api_key, settings.search_timeout
        )
        self._model = settings.perplexity_model
        self.address = base_url

    def available(self) -> str | None:
        return self._account.missing()

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = self._account.api("Authorization", "Bearer")
        answer = await ask(
            api, "POST", f"{self.address}/chat/completions", PerplexityAnswer, json=_body(request, self._model)
        )
        rows = (
            [Row(row.url, row.title, row.snippet, row.date) for row in answer.search_results]
            if answer.search_results
            else [Row(url) for url in answer.citations or []]
        )
        said = answer.choices[0].message.content if answer.choices else None
        return result_from_rows(
            rows, engine=self.label, max_results=request.max_results, now=now, site=request.site, answer=said
        )


def _body(request: SearchRequest, model: str) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": request.query}]}
    if request.time_range:
        body["search_recency_filter"] = _RANGES[request.time_range]
    if request.site:
        body["search_domain_filter"] = [request.site]
    if request.region:
        country = read_region(request.region).country.upper()
        body["web_search_options"] = {"user_location": {"country": country}}
    return body
