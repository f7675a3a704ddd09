"""Any wiki that runs MediaWiki, such as Wikipedia (mediawiki.org, "API:Search", list=search)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

from msgspec import Struct

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, result_from_rows
from webcards.search.http import Api, ask
from webcards.search.keys import require, wanted
from webcards.search.plain_text import plain, shortened
from webcards.search.provider import SearchRequest, refuse_missing_options

if TYPE_CHECKING:
    from webcards.settings import Settings

_MOST = 50


class WikiRow(Struct):
    title: object = None
    snippet: object = None


class Site(Struct):
    server: str
    articlepath: str


class Query(Struct):
    search: list[WikiRow]
    general: Site


class Fault(Struct):
    code: str = ""
    info: str = ""


class WikiAnswer(Struct):
    """Faults come with HTTP 200 and an `error` in place of the `query`."""

    query: Query | None = None
    error: Fault | None = None


class MediaWiki:
    """A wiki's own full-text search. It knows when a page was last changed, not when it was published: no dates."""

    id = "mediawiki"
    label = "The wiki"
    options = frozenset({"page"})

    def __init__(self, settings: Settings) -> None:
        self.address = settings.mediawiki_url
        self._timeout = settings.search_timeout

    def available(self) -> str | None:
        return (
            None if self.address else wanted("MediaWiki", "the address of a wiki's api.php", "WEBCARDS_MEDIAWIKI_URL")
        )

    async def search(self, request: SearchRequest) -> WebSearchResult:
        require(self.available())
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = Api(
            label=self.label,
            advice="Check that WEBCARDS_MEDIAWIKI_URL is the address of its api.php.",
            timeout=self._timeout,
            # Wikimedia asks every client to say what it is (foundation.wikimedia.org, "User-Agent Policy").
            headers={"User-Agent": "WebCards/0.1 (a search that a person asked for)"},
        )
        answer = await ask(api, "GET", self.address, WikiAnswer, params=_params(request))
        if answer.error is not None:
            raise _fault(answer.error)
        if answer.query is None:
            raise WebError("WEB_PROVIDER_ERROR", f"The wiki answered without results or an error. {api.advice}")
        site = answer.query.general
        rows = (Row(_page_url(self.address, site, row.title), row.title, row.snippet) for row in answer.query.search)
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=now)


def _params(request: SearchRequest) -> dict[str, str | int]:
    return {
        "action": "query",
        "format": "json",
        "formatversion": 2,
        "list": "search",
        "srsearch": request.query,
        "srlimit": min(request.max_results, _MOST),
        "sroffset": (request.page - 1) * request.max_results,
        "srprop": "snippet",
        "meta": "siteinfo",
        "siprop": "general",
    }


def _page_url(address: str, site: Site, title: object) -> str | None:
    """The page's address as the wiki writes it: `server` may lack a scheme, spaces are underscores."""
    if not isinstance(title, str):
        return None
    path = site.articlepath.replace("$1", quote(title.replace(" ", "_"), safe="/:@!$*(),;~-._"))
    return urljoin(urljoin(address, site.server), path)


def _fault(fault: Fault) -> WebError:
    said = shortened(plain(fault.info), 200)
    if fault.code in ("ratelimited", "maxlag", "search-error-rate"):
        return WebError(
            "WEB_RATE_LIMITED", f"The wiki asks to wait ({said or fault.code}). Try again in a minute.", retry_after=60
        )
    return WebError(
        "WEB_PROVIDER_ERROR", f"The wiki could not search: {said or fault.code}. Change the query, or try again."
    )
