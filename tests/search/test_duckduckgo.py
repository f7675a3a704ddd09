"""The real ddgs against a local server that answers as DuckDuckGo's HTML endpoint does."""

import asyncio
import socket
from collections.abc import Iterator

import primp
import pytest
from ddgs.ddgs import DDGS
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from msgspec import UNSET

from tests.search import duckduckgo_pages as pages
from tests.search.loopback import HANGS, Answer, closed_port, page, serving
from webcards.contract import WebError, WebSearchResult
from webcards.search.duckduckgo import DuckDuckGo
from webcards.search.provider import SearchRequest
from webcards.settings import read_settings

ROWS = (
    (
        "Quay <b>dues</b> &lt;T&gt;",
        "https://docs.example/dues?id=7&p=100%2F(1%2B1)",
        "How <b>dues</b> &amp;amp; fees are worked out.",
    ),
    ("Mooring", "https://docs.example/mooring", None),
)


def duckduckgo(url: str, timeout: float = 5) -> DuckDuckGo:
    return DuckDuckGo(read_settings(duckduckgo_url=f"{url}/html/", search_timeout=timeout))


async def failure(provider: DuckDuckGo) -> WebError:
    with pytest.raises(WebError) as caught:
        await provider.search(SearchRequest(query="quay dues"))
    return caught.value


async def test_results_come_with_their_own_addresses_decoded_once_and_their_words_as_they_are_shown() -> None:
    async with serving(page(pages.results(*ROWS))) as server:
        result = await duckduckgo(server.url).search(SearchRequest(query="quay dues"))
    dues, mooring = result.sources
    assert dues.url == "https://docs.example/dues?id=7&p=100%2F(1%2B1)"
    assert dues.title == "Quay dues <T>"
    assert dues.snippet == "How dues &amp; fees are worked out."
    assert (mooring.url, mooring.title, mooring.snippet) == ("https://docs.example/mooring", "Mooring", UNSET)
    assert not result.truncated


async def test_advertisements_are_left_out() -> None:
    async with serving(page(pages.results(*ROWS, ad=True)), page(pages.results(ad=True))) as server:
        provider = duckduckgo(server.url)
        with_results = await provider.search(SearchRequest(query="quay dues"))
        advertisement_only = await provider.search(SearchRequest(query="quay dues"))
    assert len(with_results.sources) == 2
    assert advertisement_only == WebSearchResult(sources=[])


@pytest.mark.parametrize("status", [200, 202])
async def test_nothing_found_is_an_empty_list_whatever_the_status(status: int) -> None:
    async with serving(page(pages.nothing(), status)) as server:
        result = await duckduckgo(server.url).search(SearchRequest(query="zzzqqq"))
    assert result == WebSearchResult(sources=[])


@pytest.mark.parametrize("status", [200, 202])
async def test_the_test_for_robots_is_a_rate_limit_and_no_empty_list(status: int) -> None:
    async with serving(page(pages.robot_test(), status)) as server:
        error = await failure(duckduckgo(server.url))
    assert error.code == "WEB_RATE_LIMITED"
    assert "too many" in error.message


async def test_an_empty_page_is_a_refusal_if_it_comes_with_202_and_else_a_page_that_changed() -> None:
    async with serving(page(" ", 202), page(" ", 200)) as server:
        provider = duckduckgo(server.url)
        assert [(await failure(provider)).code for _ in range(2)] == ["WEB_RATE_LIMITED", "WEB_PROVIDER_ERROR"]


async def test_a_query_about_the_robot_test_is_no_robot_test() -> None:
    query = 'anomaly.js class="anomaly-modal" no-results'
    async with serving(page(pages.results(*ROWS, query=query)), page(pages.nothing(query))) as server:
        provider = duckduckgo(server.url)
        assert len((await provider.search(SearchRequest(query=query))).sources) == 2
        assert (await provider.search(SearchRequest(query=query))).sources == []


@pytest.mark.parametrize("status", [403, 429])
async def test_a_refusal_is_a_rate_limit_that_says_when_to_come_back(status: int) -> None:
    async with serving(page("no", status, Retry_After="120")) as server:
        error = await failure(duckduckgo(server.url))
    assert error.code == "WEB_RATE_LIMITED"
    assert error.retry_after == 120
    assert "Try again in 2 minutes." in error.message


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (page("<h1>Oops</h1>", 500), "HTTP 500"),
        (Answer(401, b'{"error":"bad key sk-live-12345"}', {"Content-Type": "application/json"}), "HTTP 401"),
        (page(pages.changed()), "cannot be read as results"),
        (page(""), "cannot be read as results"),
        (Answer(200, b"\x00\xff\xfe" * 30), "cannot be read as results"),
        (page("<!--" + "x" * 4_100_000), "cannot be read as results"),
        (Answer(200, pages.results(*ROWS).encode(), breaks=True), "broke off"),
    ],
    ids=["500", "401", "changed", "empty", "bytes", "huge", "broken-off"],
)
async def test_an_answer_that_is_no_answer_is_an_error_and_no_empty_list(answer: Answer, says: str) -> None:
    async with serving(answer) as server:
        error = await failure(duckduckgo(server.url))
    assert error.code == "WEB_PROVIDER_ERROR"
    assert says in error.message
    assert "12345" not in error.message


async def test_no_answer_in_time_is_a_timeout() -> None:
    async with serving(HANGS) as server:
        error = await failure(duckduckgo(server.url, timeout=0.2))
    assert error.code == "WEB_FETCH_TIMEOUT"


async def test_no_connection_is_an_engine_that_cannot_be_reached() -> None:
    error = await failure(duckduckgo(closed_port()))
    assert error.code == "WEB_PROVIDER_UNAVAILABLE"
    assert "cannot be reached" in error.message


@pytest.fixture
def deaf_port() -> Iterator[str]:
    """The address of a port that takes no connection and refuses none: its queue is full."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        for client in waiting:
            client.close()


async def test_a_connection_that_never_comes_is_not_waited_for_as_long_as_an_answer(
    deaf_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webcards.search.ddgs_engine.CONNECT_SECONDS", 0.2)
    async with asyncio.timeout(20):
        error = await failure(duckduckgo(deaf_port, timeout=60))
    assert error.code == "WEB_PROVIDER_UNAVAILABLE"


async def test_a_search_that_is_cancelled_ends_its_request() -> None:
    async with serving(HANGS) as server:
        search = asyncio.create_task(duckduckgo(server.url, timeout=60).search(SearchRequest(query="quay dues")))
        await server.reached.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        async with asyncio.timeout(10):
            await server.left.wait()


async def test_the_args_are_asked_for_as_duckduckgos_own_form_does() -> None:
    request = SearchRequest(
        query="quay dues", time_range="w", region="gb-en", safe="strict", page=2, site="docs.example/guide"
    )
    async with serving(page(pages.results(*ROWS))) as server:
        result = await duckduckgo(server.url).search(request)
    asked = server.asked[0]
    assert (asked.method, asked.target) == ("POST", "/html/")
    assert asked.form == {
        "q": "quay dues site:docs.example/guide",
        "b": "",
        "l": "uk-en",
        "s": "10",
        "df": "w",
        "kp": "1",
    }
    assert result.sources == [], "neither page is below the site that was asked for"


@pytest.mark.parametrize(
    ("region", "name"), [("gb", "uk-en"), ("jp", "jp-jp"), ("tw-zh", "tw-tzh"), ("de-DE", "de-de"), (None, "wt-wt")]
)
async def test_regions_go_by_duckduckgos_names(region: str | None, name: str) -> None:
    async with serving(page(pages.nothing())) as server:
        await duckduckgo(server.url).search(SearchRequest(query="dues", region=region))
    assert server.asked[0].form["l"] == name


async def test_more_results_than_asked_for_are_cut_and_that_is_said() -> None:
    rows = [(f"Page {number}", f"https://docs.example/{number}", "dues") for number in range(10)]
    async with serving(page(pages.results(*rows))) as server:
        result = await duckduckgo(server.url).search(SearchRequest(query="dues", max_results=3))
    assert [source.title for source in result.sources] == ["Page 0", "Page 1", "Page 2"]
    assert result.truncated


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (RatelimitException("https://html.duckduckgo.com/html/ 202 Ratelimit"), "WEB_RATE_LIMITED"),
        (TimeoutException("operation timed out"), "WEB_FETCH_TIMEOUT"),
        (
            DDGSException("DNSError: DNSError('error resolving DNS > failed to lookup address')"),
            "WEB_PROVIDER_UNAVAILABLE",
        ),
        (DDGSException("ConnectError: ConnectError('client error (Connect)')"), "WEB_PROVIDER_UNAVAILABLE"),
        (DDGSException("ConnectError: invalid peer certificate: UnknownIssuer"), "WEB_PROVIDER_ERROR"),
        (DDGSException("TimeoutError: operation timed out"), "WEB_FETCH_TIMEOUT"),
        (DDGSException(RatelimitException("202 Ratelimit")), "WEB_RATE_LIMITED"),
        (OSError("[Errno 101] Network is unreachable"), "WEB_PROVIDER_UNAVAILABLE"),
        (DDGSException("BodyError: connection reset"), "WEB_PROVIDER_ERROR"),
        (primp.DNSError("error resolving DNS"), "WEB_PROVIDER_UNAVAILABLE"),
        (KeyError("vqd"), "WEB_PROVIDER_ERROR"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
async def test_whatever_ddgs_raises_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, code: str
) -> None:
    def text(self: DDGS, query: str, **kwargs: object) -> list[dict[str, str]]:
        raise raised

    monkeypatch.setattr(DDGS, "text", text)
    assert (await failure(duckduckgo(closed_port()))).code == code


async def test_ddgs_own_word_for_nothing_found_is_an_empty_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def text(self: DDGS, query: str, **kwargs: object) -> list[dict[str, str]]:
        raise DDGSException("No results found.")

    monkeypatch.setattr(DDGS, "text", text)
    assert (await duckduckgo(closed_port()).search(SearchRequest(query="zzz"))).sources == []
