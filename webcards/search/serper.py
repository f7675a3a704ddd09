"""Serper: Google's results (serper.dev, "Search", POST /search)."""

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

_MOST = 100
_STEPS = (10, 20, 30, 50, 100)


class SerperRow(Struct):
    link: object = None
    title: object = None
    snippet: object = None
    date: object = None


class AnswerBox(Struct):
    answer: object = None
    snippet: object = None


class SerperAnswer(Struct, rename="camel"):
    """`organic` may be left out where nothing was found, but `searchParameters` is always there."""

    search_parameters: dict[str, Any]
    organic: list[SerperRow] = []
    answer_box: AnswerBox | None = None


class Serper:
    """Google, read by another."""

    id = "serper"
    label = "Serper"
    options = frozenset({"time_range", "site", "region", "page"})

    def __init__(self, settings: Settings, *, base_url: str = "https://google.serper.dev") -> None:
        self._account = Account(self.label, "WEBCARDS_SERPER_API_KEY", settings.serper_api_key, settings.search_timeout)
        self.address = base_url

    def available(self) -> str | None:
        return self._account.missing()

    async def search(self, request: SearchRequest) -> WebSearchResult:
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = self._account.api("X-API-KEY")
        answer = await ask(api, "POST", f"{self.address}/search", SerperAnswer, json=_body(request))
        rows = (Row(row.link, row.title, row.snippet, row.date) for row in answer.organic)
        box = answer.answer_box
        said = (box.answer or box.snippet) if box else None
        return result_from_rows(
            rows, engine=self.label, max_results=request.max_results, now=now, site=request.site, answer=said
        )


def _body(request: SearchRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "q": f"{request.query} site:{request.site}" if request.site else request.query,
        "num": next((step for step in _STEPS if step >= request.max_results), _MOST),
    }
    if request.page > 1:
        body["page"] = request.page
    if request.time_range:
        body["tbs"] = f"qdr:{request.time_range}"
    if request.region:
        country, language = read_region(request.region)
        body["gl"] = country
        if language:
            body["hl"] = language
    return body
