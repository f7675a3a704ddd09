"""Tells web tools from others by their names, as the many agents spell them."""

import re
from functools import lru_cache

WEB_SEARCH = "web_search"
WEB_FETCH = "web_fetch"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_RUN_TOGETHER = {
    "websearch": "web search",
    "webfetch": "web fetch",
    "webpage": "web page",
    "webpages": "web page",
    "website": "web site",
    "webscrape": "web scrape",
    "webreader": "web read",
    "urlfetch": "url fetch",
    "fetchurl": "fetch url",
    "googlesearch": "google search",
    "bingsearch": "bing search",
    "serpapi": "google search",
    "searx": "searxng search",
}
_SEARCH_VERBS = frozenset({"search", "searches", "searching", "searcher", "query", "results"})
_SEARCH_PLACES = _set(
    "web google bing brave tavily duckduckgo ddg exa serper searxng kagi perplexity internet online news "
    "bocha baidu naver yandex linkup scholar x twitter firecrawl jina zhipu metaso sogou you ollama "
    "websites image images browser"
)
_FETCH_VERBS = _set(
    "fetch fetcher get read reader open visit browse crawl crawling crawler scrape scraper extract load "
    "retrieve download view contents content navigate"
)
_FETCH_PLACES = _set("web url urls uri page http https html site link internet firecrawl tavily exa jina")
_ALONE = {
    "search": WEB_SEARCH,
    "fetch": WEB_FETCH,
    "scrape": WEB_FETCH,
    "crawl": WEB_FETCH,
    "browse": WEB_FETCH,
    "visit": WEB_FETCH,
    "tavily": WEB_SEARCH,
    "duckduckgo": WEB_SEARCH,
    "serper": WEB_SEARCH,
    "url context": WEB_FETCH,
    "crawl tool": WEB_FETCH,
    "find in page": WEB_FETCH,
}
_NOT_THE_WEB = _set(
    "file files code codebase memory grep tool tools symbol symbols repo repository issues mail email "
    "database db vector knowledge conversation session history replace directory"
)


@lru_cache(maxsize=4096)
def web_tool(name: str) -> str | None:
    """`web_search` or `web_fetch` if that is what a tool of this name does, else None."""
    if name in (WEB_SEARCH, WEB_FETCH):
        return name
    # mcp__server__tool, functions.tool and server/tool: the last part says what it does, the server's name where.
    words = _words(name[:200])
    last = _words(re.split(r"__|[./:]", name[:200])[-1])
    if " ".join(last) in _ALONE:
        return _ALONE[" ".join(last)]
    if _NOT_THE_WEB & set(last):
        return None
    return _by_words(set(last)) or (_by_words(set(words)) if _SEARCH_VERBS & set(last) else None)


def _by_words(words: set[str]) -> str | None:
    if words & _SEARCH_VERBS and words & _SEARCH_PLACES:
        return WEB_SEARCH
    if words & _FETCH_VERBS and words & _FETCH_PLACES:
        return WEB_FETCH
    return None


def _words(name: str) -> list[str]:
    parts = _SEPARATORS.split(_CAMEL.sub(" ", name).lower())
    return [word for part in parts if part for word in _RUN_TOGETHER.get(part, part).split()]
