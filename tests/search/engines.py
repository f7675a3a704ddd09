"""Each HTTP engine's answers as its documentation prints them, cut to what a test needs, with the harbour's own pages.

The documentation is named at each engine. Recorded answers of real engines are read in test_recorded.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webcards.search.brave import Brave
from webcards.search.exa import Exa
from webcards.search.mediawiki import MediaWiki
from webcards.search.opensearch import OpenSearch
from webcards.search.perplexity import Perplexity
from webcards.search.provider import SearchProvider
from webcards.search.searxng import Searxng
from webcards.search.serper import Serper
from webcards.search.tavily import Tavily
from webcards.settings import Settings, read_settings

KEY = "live-0badc0ffee0badc0ffee"
DUES, MOORING = "https://docs.example/dues", "https://docs.example/mooring"


@dataclass(frozen=True)
class Engine:
    """An engine, and what it says: results for `DUES` (dated `published`) and `MOORING`, nothing found, its own error."""

    id: str
    documentation: str
    open: Callable[[str, float], SearchProvider]
    path: str
    found: Any
    empty: Any
    published: str | None
    error_status: int
    error: Any
    error_says: str
    authorization: tuple[str, str] | None = None
    answer: str | None = None


def _settings(timeout: float, **settings: object) -> Settings:
    return read_settings(search_timeout=timeout, **settings)


BRAVE = Engine(
    id="brave",
    # api-dashboard.search.brave.com: "Web search", "Response objects", "Rate limiting"
    documentation="Brave Search API reference, GET /res/v1/web/search",
    open=lambda url, timeout: Brave(_settings(timeout, brave_api_key=KEY), base_url=url),
    path="/res/v1/web/search",
    found={
        "type": "search",
        "query": {"original": "quay dues", "more_results_available": True},
        "web": {
            "type": "search",
            "results": [
                {
                    "title": "Quay dues explained",
                    "url": DUES,
                    "description": "How <strong>dues</strong> are worked&#x27;out.",
                    "page_age": "2025-04-30T09:00:00",
                    "age": "April 30, 2025",
                    "language": "en",
                    "family_friendly": True,
                },
                {"title": "Mooring", "url": MOORING, "description": ""},
            ],
        },
    },
    empty={"type": "search", "query": {"original": "zzz"}},
    published="2025-04-30T09:00:00",
    error_status=422,
    error={
        "type": "ErrorResponse",
        "error": {
            "id": "d2f",
            "status": 422,
            "code": "VALIDATION",
            "detail": "Unable to validate request parameter(s)",
        },
    },
    error_says="Unable to validate request parameter",
    authorization=("x-subscription-token", KEY),
)

TAVILY = Engine(
    id="tavily",
    # docs.tavily.com, "Tavily Search", and help.tavily.com, "Understanding HTTP errors"
    documentation="Tavily API reference, POST /search",
    open=lambda url, timeout: Tavily(_settings(timeout, tavily_api_key=KEY), base_url=url),
    path="/search",
    found={
        "query": "quay dues",
        "follow_up_questions": None,
        "answer": "Dues are 4 crowns a metre.",
        "images": [],
        "results": [
            {
                "title": "Quay dues explained",
                "url": DUES,
                "content": "How dues are worked'out.",
                "score": 0.99,
                "raw_content": None,
                "published_date": "Wed, 30 Apr 2025 09:00:00 GMT",
            },
            {"title": "Mooring", "url": MOORING, "content": "", "score": 0.9, "raw_content": None},
        ],
        "response_time": 0.89,
        "request_id": "3b2f",
    },
    empty={"query": "zzz", "answer": None, "images": [], "results": [], "response_time": 0.4},
    published="2025-04-30T09:00:00Z",
    error_status=432,
    error={"detail": {"error": "This request exceeds your plan's set usage limit. Please upgrade your plan."}},
    error_says="exceeds your plan's set usage limit",
    authorization=("authorization", f"Bearer {KEY}"),
    answer="Dues are 4 crowns a metre.",
)

EXA = Engine(
    id="exa",
    # exa.ai/docs has "Search", "Contents", "Error codes"
    documentation="Exa API reference, POST /search",
    open=lambda url, timeout: Exa(_settings(timeout, exa_api_key=KEY), base_url=url),
    path="/search",
    found={
        "requestId": "a78e",
        "resolvedSearchType": "neural",
        "results": [
            {
                "id": DUES,
                "url": DUES,
                "title": "Quay dues explained",
                "publishedDate": "2025-04-30T09:00:00.000Z",
                "author": None,
                "highlights": ["How dues are worked'out."],
                "highlightScores": [0.5],
            },
            {"id": MOORING, "url": MOORING, "title": "Mooring", "author": None},
        ],
        "costDollars": {"total": 0.005},
    },
    empty={"requestId": "a78e", "results": []},
    published="2025-04-30T09:00:00Z",
    error_status=402,
    error={"requestId": "a78e", "error": "You have no credits left.", "tag": "NO_MORE_CREDITS"},
    error_says="You have no credits left",
    authorization=("x-api-key", KEY),
)

PERPLEXITY = Engine(
    id="perplexity",
    # docs.perplexity.ai has "Chat completions", "Error handling"
    documentation="Perplexity API reference, POST /chat/completions",
    open=lambda url, timeout: Perplexity(_settings(timeout, perplexity_api_key=KEY), base_url=url),
    path="/chat/completions",
    found={
        "id": "7027",
        "model": "sonar",
        "object": "chat.completion",
        "citations": [DUES, MOORING],
        "search_results": [
            {
                "title": "Quay dues explained",
                "url": DUES,
                "date": "2025-04-30",
                "last_updated": "2026-01-01",
                "snippet": "How dues are worked'out.",
            },
            {"title": "Mooring", "url": MOORING, "date": None},
        ],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "Dues are **4 crowns** a metre.[1]"},
            }
        ],
    },
    empty={"id": "7028", "model": "sonar", "choices": [], "citations": [], "search_results": []},
    published="2025-04-30",
    error_status=400,
    error={"error": {"message": "Invalid model 'moon'.", "type": "invalid_model", "code": 400}},
    error_says="Invalid model 'moon'",
    authorization=("authorization", f"Bearer {KEY}"),
    answer="Dues are **4 crowns** a metre.[1]",
)

SERPER = Engine(
    id="serper",
    # serper.dev: the playground's "Search" request and response
    documentation="Serper, POST /search",
    open=lambda url, timeout: Serper(_settings(timeout, serper_api_key=KEY), base_url=url),
    path="/search",
    found={
        "searchParameters": {"q": "quay dues", "type": "search", "engine": "google"},
        "answerBox": {"title": "Dues", "answer": "4 crowns a metre"},
        "organic": [
            {
                "title": "Quay dues explained",
                "link": DUES,
                "snippet": "How dues are worked'out.",
                "date": "Apr 30, 2025",
                "position": 1,
            },
            {"title": "Mooring", "link": MOORING, "position": 2},
        ],
        "credits": 1,
    },
    empty={"searchParameters": {"q": "zzz", "type": "search"}, "organic": [], "credits": 1},
    published="2025-04-30",
    error_status=400,
    error={"message": "Not enough credits", "statusCode": 400},
    error_says="Not enough credits",
    authorization=("x-api-key", KEY),
    answer="4 crowns a metre",
)

SEARXNG = Engine(
    id="searxng",
    # docs.searxng.org has "Search API", "Simple theme's JSON results" (searx/result_types)
    documentation="SearXNG developer documentation, GET /search?format=json",
    open=lambda url, timeout: Searxng(_settings(timeout, searxng_url=url, searxng_user="ann", searxng_password=KEY)),
    path="/search",
    found={
        "query": "quay dues",
        "number_of_results": 2,
        "results": [
            {
                "url": DUES,
                "title": "Quay dues explained",
                "content": "How dues are worked'out.",
                "publishedDate": "2025-04-30T09:00:00",
                "engine": "harbour",
                "engines": ["harbour"],
                "category": "general",
            },
            {"url": MOORING, "title": "Mooring", "content": "", "engine": "harbour", "publishedDate": None},
        ],
        "answers": ["Dues are 4 crowns a metre."],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [["pond", "timeout"]],
    },
    empty={"query": "zzz", "results": [], "answers": [], "infoboxes": [], "unresponsive_engines": []},
    published="2025-04-30T09:00:00",
    error_status=500,
    error={"error": "engine out of order"},
    error_says="engine out of order",
    authorization=("authorization", "Basic YW5uOmxpdmUtMGJhZGMwZmZlZTBiYWRjMGZmZWU="),
    answer="Dues are 4 crowns a metre.",
)

MEDIAWIKI = Engine(
    id="mediawiki",
    # mediawiki.org has "API:Search", "API:Siteinfo", "API:Errors and warnings"
    documentation="MediaWiki Action API, action=query&list=search",
    open=lambda url, timeout: MediaWiki(_settings(timeout, mediawiki_url=f"{url}/w/api.php")),
    path="/w/api.php",
    found={
        "batchcomplete": True,
        "continue": {"sroffset": 2, "continue": "-||"},
        "query": {
            "searchinfo": {"totalhits": 5},
            "search": [
                {
                    "ns": 0,
                    "title": "Quay dues explained",
                    "pageid": 7,
                    "snippet": 'How <span class="searchmatch">dues</span> are worked&#039;out.',
                    "timestamp": "2025-04-30T09:00:00Z",
                },
                {"ns": 0, "title": "Mooring", "pageid": 8, "snippet": ""},
            ],
            "general": {"sitename": "Harbour", "server": "https://wiki.example", "articlepath": "/wiki/$1"},
        },
    },
    empty={
        "batchcomplete": True,
        "query": {
            "searchinfo": {"totalhits": 0},
            "search": [],
            "general": {"server": "https://wiki.example", "articlepath": "/wiki/$1"},
        },
    },
    published=None,
    error_status=200,
    error={"error": {"code": "cirrussearch-too-many", "info": "The query is too long."}, "servedby": "mw1"},
    error_says="The query is too long",
)

OPENSEARCH = Engine(
    id="opensearch",
    # docs.opensearch.org has "Search API", "Highlight query matches"
    documentation="OpenSearch documentation, POST /index/_search",
    open=lambda url, timeout: OpenSearch(
        _settings(timeout, opensearch_url=url, opensearch_index="pages", opensearch_api_key=KEY)
    ),
    path="/pages/_search",
    found={
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": 2, "relation": "eq"},
            "max_score": 1.2,
            "hits": [
                {
                    "_index": "pages",
                    "_id": "1",
                    "_score": 1.2,
                    "_source": {
                        "url": DUES,
                        "title": "Quay dues explained",
                        "text": "A long page.",
                        "published": "2025-04-30T09:00:00Z",
                    },
                    "highlight": {"text": ["How <em>dues</em> are worked&#39;out."]},
                },
                {"_index": "pages", "_id": "2", "_score": 1.0, "_source": {"url": MOORING, "title": "Mooring"}},
            ],
        },
    },
    empty={
        "took": 1,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "hits": {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []},
    },
    published="2025-04-30T09:00:00Z",
    error_status=404,
    error={
        "error": {
            "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [pages]"}],
            "type": "index_not_found_exception",
            "reason": "no such index [pages]",
        },
        "status": 404,
    },
    error_says="no such index [pages]",
    authorization=("authorization", f"ApiKey {KEY}"),
)

ENGINES = (BRAVE, EXA, MEDIAWIKI, OPENSEARCH, PERPLEXITY, SEARXNG, SERPER, TAVILY)
