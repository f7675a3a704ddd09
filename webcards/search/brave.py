"""Brave Search: the Web Search API (api-dashboard.search.brave.com, "Web search", GET /res/v1/web/search)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.http import ask
from webcards.search.keys import Account
from webcards.search.provider import SearchRequest, refuse_missing_options
from webcards.search.regions import read_region

if TYPE_CHECKING:
    from webcards.settings import Settings

_MOST = 20
_LAST_PAGE = 10


class BraveRow(Struct):
    url: object = None
    title: object = None
    description: object = None
    page_age: object = None
    age: object = None


class BraveWeb(Struct):
    results: list[BraveRow] = []


class BraveAnswer(Struct):
    """`web` is left out where nothing was found."""

    type: Literal["search"]
    web: BraveWeb | None = None


class Brave:
    """Brave's own index of the web."""

    id = "brave"
    label = "Brave Search"
    options = frozenset({"time_range", "site", "region", "safe", "page"})

    def __init__(self, settings: Settings, *, base_url: str = "https://api.search.brave.com") -> None:
        self._account = Account(self.label, "WEBCARDS_BRAVE_API_KEY", settings.brave_api_key, settings.search_timeout)
        self.address = base_url

    def available(self) -> str | None:
        return self._account.missing()

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = self._account.api("X-Subscription-Token")
        answer = await ask(api, "GET", f"{self.address}/res/v1/web/search", BraveAnswer, params=_params(request))
        rows = (
            Row(row.url, row.title, row.description, row.page_age or row.age)
            for row in (answer.web.results if answer.web else [])
        )
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=now, site=request.site)


def _params(request: SearchRequest) -> dict[str, str | int]:
    params: dict[str, str | int] = {
        "q": f"{request.query} site:{request.site}" if request.site else request.query,
        "count": min(request.max_results, _MOST),
        "result_filter": "web",
    }
    if request.page > 1:
        params["offset"] = min(request.page, _LAST_PAGE) - 1
    if request.time_range:
        params["freshness"] = f"p{request.time_range}"
    if request.safe:
        params["safesearch"] = request.safe
    if request.region:
        country, language = read_region(request.region)
        params["country"] = country.upper()
        if language:
            params["search_lang"] = {"zh": "zh-hans", "ja": "jp", "pt": "pt-pt"}.get(language, language)
    return params
