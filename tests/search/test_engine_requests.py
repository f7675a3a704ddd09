"""What each engine is asked in its own words, and what is peculiar to its answers."""

import gzip
import json

import pytest

from tests.search.calling import call
from tests.search.engines import (
    BRAVE,
    DUES,
    EXA,
    MEDIAWIKI,
    MOORING,
    OPENSEARCH,
    PERPLEXITY,
    SEARXNG,
    SERPER,
    TAVILY,
    Engine,
)
from tests.search.loopback import Answer, Asked, as_json, page, serving
from webcards.contract import WebError
from webcards.search.provider import SearchRequest


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        (
            BRAVE,
            {
                "q": "quay dues site:docs.example",
                "count": "5",
                "result_filter": "web",
                "offset": "2",
                "freshness": "pw",
                "safesearch": "strict",
                "country": "GB",
                "search_lang": "en",
            },
        ),
        (
            TAVILY,
            {
                "query": "quay dues",
                "max_results": 5,
                "time_range": "week",
                "include_domains": ["docs.example"],
                "country": "united kingdom",
            },
        ),
        (
            PERPLEXITY,
            {
                "model": "sonar",
                "messages": [{"role": "user", "content": "quay dues"}],
                "search_recency_filter": "week",
                "search_domain_filter": ["docs.example"],
                "web_search_options": {"user_location": {"country": "GB"}},
            },
        ),
        (
            SERPER,
            {"q": "quay dues site:docs.example", "num": 10, "page": 3, "tbs": "qdr:w", "gl": "gb", "hl": "en"},
        ),
        (
            SEARXNG,
            {
                "q": "quay dues site:docs.example",
                "format": "json",
                "pageno": "3",
                "time_range": "week",
                "safesearch": "2",
                "language": "en-GB",
            },
        ),
    ],
    ids=lambda value: value.id if isinstance(value, Engine) else "",
)
async def test_the_args_are_asked_for_in_the_engines_own_words(engine: Engine, expected: object) -> None:
    asked = await _asked(engine)
    assert (asked.json if asked.method == "POST" else asked.params) == expected


async def test_exa_is_asked_from_a_moment_on() -> None:
    asked = (await _asked(EXA)).json
    assert isinstance(asked, dict)
    assert asked.pop("startPublishedDate").endswith("Z")
    assert asked == {
        "query": "quay dues",
        "numResults": 5,
        "contents": {"highlights": True},
        "includeDomains": ["docs.example"],
        "userLocation": "GB",
        "moderation": True,
    }


async def test_mediawiki_is_asked_for_its_addresses_with_the_results() -> None:
    params = (await _asked(MEDIAWIKI)).params
    assert params["srsearch"] == "quay dues"
    assert (params["srlimit"], params["sroffset"]) == ("5", "10")
    assert (params["list"], params["meta"], params["format"]) == ("search", "siteinfo", "json")


async def test_opensearch_is_asked_for_words_in_weighted_fields_since_a_day() -> None:
    asked = (await _asked(OPENSEARCH)).json
    assert isinstance(asked, dict)
    assert (asked["size"], asked["from"]) == (5, 10)
    query = asked["query"]["bool"]
    assert query["must"][0]["simple_query_string"]["fields"] == ["title^3", "text"]
    assert query["filter"] == [{"range": {"published": {"gte": "now-7d"}}}]


async def _asked(engine: Engine) -> Asked:
    async with serving(as_json(engine.empty)) as server:
        provider = engine.open(server.url, 5)
        given = {"time_range": "w", "site": "docs.example", "region": "gb-en", "safe": "strict", "page": 3}
        options = {option: value for option, value in given.items() if option in provider.options}
        await provider.search(SearchRequest(query="quay dues", max_results=5, **options))  # type: ignore[arg-type]
    return server.asked[0]


async def test_results_of_other_hosts_are_left_out_where_the_engine_takes_site_for_a_hint() -> None:
    rows = [{"url": "https://other.example/", "title": "Other"}, {"url": "https://www.docs.example/a", "title": "Own"}]
    async with serving(as_json({"results": rows})) as server:
        result = await SEARXNG.open(server.url, 5).search(SearchRequest(query="dues", site="https://docs.example/"))
    assert [source.url for source in result.sources] == ["https://www.docs.example/a"]


async def test_searxng_whose_engines_all_failed_has_not_found_nothing() -> None:
    failed = {**SEARXNG.empty, "unresponsive_engines": [["pond", "timeout"], ["lake", "Suspended: too many requests"]]}
    async with serving(as_json(failed)) as server:
        called = await call(SEARXNG.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert "pond (timeout), lake (Suspended: too many requests)" in called.text


async def test_searxng_without_its_json_format_says_where_to_switch_it_on() -> None:
    async with serving(page("<h1>403 Forbidden</h1>", 403)) as server:
        called = await call(SEARXNG.open(f"{server.url}/search/", 5))
    assert "lists json among the formats" in called.text
    assert server.asked[0].target.startswith("/search?")


async def test_a_shard_that_failed_is_no_empty_index() -> None:
    failed = {**OPENSEARCH.empty, "_shards": {"total": 5, "successful": 4, "failed": 1}}
    async with serving(as_json(failed)) as server:
        called = await call(OPENSEARCH.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert "1 of 5 shards" in called.text


async def test_braves_windows_say_how_long_to_wait() -> None:
    # api-dashboard.search.brave.com, "Rate limiting": a second's window is used up, the month's is not.
    limited = as_json(
        {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED"}},
        429,
        X_RateLimit_Remaining="0, 1422",
        X_RateLimit_Reset="45, 1419704",
    )
    async with serving(limited) as server:
        with pytest.raises(WebError) as caught:
            await BRAVE.open(server.url, 5).search(SearchRequest(query="dues"))
    assert caught.value.retry_after == 45


async def test_a_key_that_brave_does_not_know_is_a_refusal_though_the_status_is_422() -> None:
    answer = {
        "type": "ErrorResponse",
        "error": {"status": 422, "detail": "The provided subscription token is invalid."},
    }
    async with serving(as_json(answer, 422)) as server:
        called = await call(BRAVE.open(server.url, 5))
    assert "WEBCARDS_BRAVE_API_KEY" in called.text


async def test_a_wiki_that_asks_to_wait_is_a_rate_limit() -> None:
    async with serving(as_json({"error": {"code": "ratelimited", "info": "Too fast."}})) as server:
        called = await call(MEDIAWIKI.open(server.url, 5))
    assert called.code == "WEB_RATE_LIMITED"


async def test_a_wikis_own_address_may_lack_its_scheme_and_titles_may_hold_anything() -> None:
    answer = json.loads(json.dumps(MEDIAWIKI.found))
    answer["query"]["general"]["server"] = "//wiki.example"
    answer["query"]["search"][0]["title"] = "C++ & 50% (naïve)?"
    async with serving(as_json(answer)) as server:
        result = await MEDIAWIKI.open(server.url, 5).search(SearchRequest(query="dues"))
    assert result.sources[0].url == "http://wiki.example/wiki/C%2B%2B_%26_50%25_(na%C3%AFve)%3F"


async def test_perplexitys_older_answers_have_bare_addresses_only() -> None:
    answer = {key: value for key, value in PERPLEXITY.found.items() if key != "search_results"}
    async with serving(as_json(answer)) as server:
        result = await PERPLEXITY.open(server.url, 5).search(SearchRequest(query="dues"))
    assert [source.url for source in result.sources] == [DUES, MOORING]


async def test_an_asked_for_wait_that_fits_is_waited_for_and_the_search_goes_on() -> None:
    async with serving(
        as_json({}, 429, retry_after="0"), as_json({}, 503, retry_after="0"), as_json(BRAVE.found)
    ) as server:
        result = await BRAVE.open(server.url, 5).search(SearchRequest(query="dues"))
    assert len(result.sources) == 2
    assert len(server.asked) == 3


async def test_waiting_ends_after_three_attempts() -> None:
    async with serving(as_json({}, 429, retry_after="0")) as server:
        with pytest.raises(WebError) as caught:
            await BRAVE.open(server.url, 5).search(SearchRequest(query="dues"))
    assert caught.value.code == "WEB_RATE_LIMITED"
    assert len(server.asked) == 3


async def test_a_redirect_is_not_followed_since_the_key_would_go_with_it() -> None:
    async with (
        serving(as_json(BRAVE.found)) as elsewhere,
        serving(Answer(302, b"", {"Location": elsewhere.url})) as server,
    ):
        called = await call(BRAVE.open(server.url, 5))
    assert "redirects to another address" in called.text
    assert not elsewhere.asked


async def test_a_compressed_answer_is_read_and_a_bomb_is_not() -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    small = Answer(200, gzip.compress(json.dumps(BRAVE.found).encode()), headers)
    bomb = Answer(200, gzip.compress(b'{"web":"' + b"x" * 20_000_000 + b'"}'), headers)
    damaged = Answer(200, b"\x1f\x8b\x08\x00\0\0\0\0\0\x03\xff\xff\xff", headers)
    strange = Answer(200, b"{}", {"Content-Encoding": "br"})
    async with serving(small, bomb, damaged, strange) as server:
        provider = BRAVE.open(server.url, 5)
        assert (await call(provider)).view is not None
        assert "more than 5 MB" in (await call(provider)).text
        assert "damaged" in (await call(provider)).text
        assert "an encoding that was not asked for" in (await call(provider)).text
