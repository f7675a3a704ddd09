"""SearXNG, and its ancestor searx: a metasearch of one's own.

Documented at docs.searxng.org, "Search API": GET /search?format=json.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.http import Api, ask
from webcards.search.keys import basic_authorization, require, wanted
from webcards.search.provider import SearchRequest, refuse_missing_options
from webcards.search.regions import read_region

if TYPE_CHECKING:
    from webcards.settings import Settings

_RANGES = {"d": "day", "w": "week", "m": "month", "y": "year"}
_SAFE = {"off": 0, "moderate": 1, "strict": 2}


class SearxngRow(Struct):
    url: object = None
    title: object = None
    content: object = None
    published: object = field(default=None, name="publishedDate")


class SearxngAnswer(Struct):
    results: list[SearxngRow]
    answers: list[object] = []
    unresponsive_engines: list[object] = []


class Searxng:
    """Whatever engines its owner has switched on. The JSON format must be among them: it is off by default."""

    id = "searxng"
    label = "SearXNG"
    options = frozenset({"time_range", "site", "region", "safe", "page"})

    def __init__(self, settings: Settings) -> None:
        self.address = settings.searxng_url.rstrip("/").removesuffix("/search")
        self._user = settings.searxng_user
        self._password = settings.searxng_password
        self._timeout = settings.search_timeout

    def available(self) -> str | None:
        return None if self.address else wanted(self.label, "an address", "WEBCARDS_SEARXNG_URL")

    async def search(self, request: SearchRequest) -> WebSearchResult:
        require(self.available())
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = Api(
            label=self.label,
            advice="Check WEBCARDS_SEARXNG_URL, and that its settings.yml lists json among the formats of search.",
            timeout=self._timeout,
            headers=basic_authorization(self._user, self._password.get_secret_value()),
            secrets=(self._password.get_secret_value(),),
        )
        answer = await ask(api, "GET", f"{self.address}/search", SearxngAnswer, params=_params(request))
        if not answer.results and answer.unresponsive_engines:
            raise WebError(
                "WEB_PROVIDER_ERROR",
                f"SearXNG found nothing because its engines failed: {_engines(answer.unresponsive_engines)}."
                " Try again later, or switch on other engines in its settings.",
            )
        rows = (Row(row.url, row.title, row.content, row.published) for row in answer.results)
        return result_from_rows(
            rows,
            engine=self.label,
            max_results=request.max_results,
            now=now,
            site=request.site,
            answer=_answer(answer.answers),
        )


def _params(request: SearchRequest) -> dict[str, str | int]:
    params: dict[str, str | int] = {
        "q": f"{request.query} site:{request.site}" if request.site else request.query,
        "format": "json",
    }
    if request.page > 1:
        params["pageno"] = request.page
    if request.time_range:
        params["time_range"] = _RANGES[request.time_range]
    if request.safe:
        params["safesearch"] = _SAFE[request.safe]
    if request.region:
        country, language = read_region(request.region)
        params["language"] = f"{language}-{country.upper()}" if language else "all"
    return params


def _answer(answers: list[object]) -> object:
    """The first answer: a text, or since 2025 an object with the text as its `answer`."""
    texts = (answer.get("answer") if isinstance(answer, dict) else answer for answer in answers)
    return next((text for text in texts if isinstance(text, str) and text), None)


def _engines(unresponsive: list[object]) -> str:
    """The engines' names and reasons, as far as they can be read: `[[name, reason], …]`."""
    named = [
        f"{entry[0]} ({entry[1]})" if len(entry) > 1 else f"{entry[0]}"
        for entry in unresponsive[:5]
        if isinstance(entry, list) and entry
    ]
    return ", ".join(named) or "all of them"
