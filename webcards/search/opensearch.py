"""An index of one's own pages in OpenSearch or Elasticsearch.

Documented at docs.opensearch.org, "Search API" and "Simple query string": POST /index/_search.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct, field

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.cleaning import Row, as_markup, result_from_rows
from webcards.search.http import Api, ask
from webcards.search.keys import basic_authorization, require, wanted
from webcards.search.provider import SearchRequest, refuse_missing_options

if TYPE_CHECKING:
    from webcards.settings import Settings


class IndexHit(Struct):
    source: dict[str, Any] = field(default_factory=dict, name="_source")
    highlight: dict[str, Any] = {}


class Hits(Struct):
    hits: list[IndexHit]


class Shards(Struct):
    failed: int = 0
    total: int = 0


class IndexAnswer(Struct):
    hits: Hits
    timed_out: bool = False
    shards: Shards = field(default_factory=Shards, name="_shards")


class OpenSearch:
    """One's own pages. `WEBCARDS_OPENSEARCH_FIELDS` says which of the index's fields hold URL, title, text and date."""

    id = "opensearch"
    label = "OpenSearch"

    def __init__(self, settings: Settings) -> None:
        self.address = settings.opensearch_url.rstrip("/")
        self._index = settings.opensearch_index
        self._fields = settings.opensearch_fields
        self._user = settings.opensearch_user
        self._password = settings.opensearch_password
        self._key = settings.opensearch_api_key
        self._timeout = settings.search_timeout

    @property
    def options(self) -> frozenset[str]:
        """Without a date field there is nothing to choose a time range by."""
        return frozenset({"page", "time_range"}) if len(self._fields) > 3 else frozenset({"page"})

    def available(self) -> str | None:
        if not self.address:
            return wanted(self.label, "an address", "WEBCARDS_OPENSEARCH_URL")
        if not self._index:
            return wanted(self.label, "the name of an index", "WEBCARDS_OPENSEARCH_INDEX")
        if len(self._fields) < 3:
            return wanted(self.label, "the fields for URL, title, text and date", "WEBCARDS_OPENSEARCH_FIELDS")
        return None

    async def search(self, request: SearchRequest) -> WebSearchResult:
        require(self.available())
        refuse_missing_options(self, request)
        now = datetime.now(UTC)
        api = Api(
            label=self.label,
            advice="Check WEBCARDS_OPENSEARCH_URL, WEBCARDS_OPENSEARCH_INDEX, and the user name or the key for it.",
            timeout=self._timeout,
            headers=self._authorization(),
            secrets=(self._password.get_secret_value(), self._key.get_secret_value()),
        )
        url = f"{self.address}/{quote(self._index, safe=',*-_')}/_search"
        answer = await ask(api, "POST", url, IndexAnswer, json=_body(request, self._fields))
        if not answer.hits.hits and (answer.timed_out or answer.shards.failed):
            raise WebError(
                "WEB_PROVIDER_ERROR",
                f"OpenSearch found nothing because {answer.shards.failed} of {answer.shards.total} shards failed or were"
                " too slow. Try again, or look at the state of the cluster.",
            )
        rows = (_row(hit, self._fields) for hit in answer.hits.hits)
        return result_from_rows(rows, engine=self.label, max_results=request.max_results, now=now)

    def _authorization(self) -> dict[str, str]:
        if key := self._key.get_secret_value():
            return {"Authorization": f"ApiKey {key}"}
        return basic_authorization(self._user, self._password.get_secret_value())


def _body(request: SearchRequest, fields: tuple[str, ...]) -> dict[str, Any]:
    _, title, text = fields[:3]
    words: dict[str, Any] = {
        "simple_query_string": {"query": request.query, "fields": [f"{title}^3", text], "default_operator": "and"}
    }
    if request.time_range:
        since = {"d": "now-1d", "w": "now-7d", "m": "now-1M", "y": "now-1y"}[request.time_range]
        words = {"bool": {"must": [words], "filter": [{"range": {fields[3]: {"gte": since}}}]}}
    return {
        "query": words,
        "size": request.max_results,
        "from": (request.page - 1) * request.max_results,
        "_source": [*fields],
        "highlight": {"fields": {text: {"fragment_size": 240, "number_of_fragments": 2}}, "encoder": "html"},
    }


def _row(hit: IndexHit, fields: tuple[str, ...]) -> Row:
    url, title, text = (hit.source.get(name) for name in fields[:3])
    fragments = hit.highlight.get(fields[2])
    if isinstance(fragments, list) and fragments:
        # Encoded as HTML by the engine, since it puts its marks into it.
        snippet: object = " … ".join(part for part in fragments if isinstance(part, str))
    else:
        snippet = _markup(text)
    return Row(url, _markup(title), snippet, hit.source.get(fields[3]) if len(fields) > 3 else None)


def _markup(value: object) -> object:
    return as_markup(value) if isinstance(value, str) else None
