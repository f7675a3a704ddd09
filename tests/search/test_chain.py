"""A chain says which engine answered and why the ones before it did not, and never passes the library off as the web."""

import asyncio

import pytest
from msgspec import UNSET

from tests.search import duckduckgo_pages as pages
from tests.search.engines import SEARXNG
from tests.search.loopback import HANGS, as_json, closed_port, page, serving
from webcards.contract import WebError, WebSearchResult, WebSource
from webcards.search.auto import auto, chain_ids
from webcards.search.chain import Chain, Outages, ask, within_reach
from webcards.search.provider import SearchProvider, SearchRequest
from webcards.search.seam import providers, select_provider
from webcards.settings import read_settings

DUES = SearchRequest(query="quay dues")


class Engine:
    """An engine that answers, or fails, as it is told."""

    def __init__(self, id_: str, outcome: WebSearchResult | WebError | None, *, wants: str | None = None) -> None:
        self.id = id_
        self.label = id_.capitalize()
        self.options: frozenset[str] = frozenset({"time_range"} if id_ != "library" else ())
        self.asked = 0
        self._outcome = outcome
        self._wants = wants

    def available(self) -> str | None:
        return self._wants

    async def search(self, request: SearchRequest) -> WebSearchResult:
        self.asked += 1
        match self._outcome:
            case WebError() as error:
                raise error
            case None:
                await asyncio.Event().wait()
                raise AssertionError
            case result:
                return result


def found(*urls: str, answer: str | None = None) -> WebSearchResult:
    return WebSearchResult([WebSource(url) for url in urls], content=answer or UNSET)


def down(name: str) -> WebError:
    return WebError("WEB_PROVIDER_UNAVAILABLE", f"{name} cannot be reached.")


LIMITED = WebError("WEB_RATE_LIMITED", "Pond refuses. Try again in 60 seconds.", retry_after=60)
FAILED = WebError("WEB_PROVIDER_ERROR", "Lake sent a web page.")


def chain(*members: SearchProvider, timeout: float = 30, outages: Outages | None = None) -> Chain:
    return Chain("auto", members, outages=outages or Outages(), timeout=timeout)


async def test_the_first_engine_that_answers_answers_alone_and_nothing_is_said() -> None:
    lake = Engine("lake", found("https://lake.example"))
    result = await chain(Engine("pond", found("https://pond.example")), lake).search(DUES)
    assert result == found("https://pond.example")
    assert lake.asked == 0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (down("Pond"), "Pond could not be reached, so Lake answered."),
        (LIMITED, "Pond refused for now because of too many searches, so Lake answered."),
        (FAILED, "Pond failed, so Lake answered."),
        (WebError("WEB_FETCH_TIMEOUT", "Slow."), "Pond did not answer in time, so Lake answered."),
    ],
    ids=lambda value: value.code if isinstance(value, WebError) else "",
)
async def test_the_next_engine_answers_and_the_answer_says_why(error: WebError, reason: str) -> None:
    result = await chain(Engine("pond", error), Engine("lake", found("https://lake.example"))).search(DUES)
    assert result == found("https://lake.example", answer=reason)


async def test_who_answered_and_who_did_not_is_known_beside_the_result() -> None:
    lake = Engine("lake", found("https://lake.example"))
    answered = await ask(chain(Engine("pond", down("Pond")), lake), DUES)
    assert answered.engine is lake
    assert [(skip.id, skip.label, skip.error.code) for skip in answered.skipped] == [
        ("pond", "Pond", "WEB_PROVIDER_UNAVAILABLE")
    ]
    alone = await ask(lake, DUES)
    assert (alone.result, alone.engine, alone.skipped) == (found("https://lake.example"), lake, ())


async def test_the_note_stands_before_the_engines_own_answer() -> None:
    lake = Engine("lake", found("https://lake.example", answer="Four crowns."))
    result = await chain(Engine("pond", down("Pond")), lake).search(DUES)
    assert result.content == "Pond could not be reached, so Lake answered.\n\nFour crowns."


async def test_several_reasons_make_one_sentence() -> None:
    sea = Engine("sea", found("https://sea.example"), wants=None)
    result = await chain(Engine("pond", down("Pond")), Engine("lake", None, wants="Lake needs a key."), sea).search(
        DUES
    )
    assert result.content == "Pond could not be reached and Lake is not set up, so Sea answered."


async def test_the_library_answers_if_every_engine_before_it_could_not_be_reached() -> None:
    library = Engine("library", found("https://office.kittiwick.example"))
    result = await chain(Engine("pond", down("Pond")), Engine("lake", None, wants="Lake needs a key."), library).search(
        DUES
    )
    assert result.sources
    assert result.content == "Pond could not be reached and Lake is not set up, so Library answered."


@pytest.mark.parametrize(
    "error", [LIMITED, FAILED, WebError("WEB_FETCH_TIMEOUT", "Pond was slow.")], ids=lambda error: error.code
)
async def test_the_library_never_stands_in_for_an_engine_that_was_reached(error: WebError) -> None:
    library = Engine("library", found("https://office.kittiwick.example"))
    with pytest.raises(WebError) as caught:
        await chain(Engine("pond", error), library).search(DUES)
    assert (caught.value.code, caught.value.message) == (error.code, error.message)
    assert library.asked == 0


async def test_a_library_that_finds_nothing_says_so_beside_the_reason() -> None:
    result = await chain(Engine("pond", down("Pond")), Engine("library", found())).search(DUES)
    assert result.content == "Pond could not be reached, so Library answered. It found nothing."


async def test_an_engine_that_lacks_an_arg_is_passed_over_with_the_reason() -> None:
    plain = Engine("pond", found("https://pond.example"))
    plain.options = frozenset()
    result = await chain(plain, Engine("lake", found("https://lake.example"))).search(
        SearchRequest(query="quay dues", time_range="w")
    )
    assert result.content == "Pond cannot do what was asked (has no time_range), so Lake answered."
    assert plain.asked == 0


async def test_an_arg_that_no_engine_has_is_refused() -> None:
    with pytest.raises(WebError) as caught:
        await chain(Engine("pond", found())).search(SearchRequest(query="quay dues", safe="strict"))
    assert caught.value.code == "WEB_INVALID_ARGUMENTS"


async def test_if_none_answers_the_error_says_why_of_each_and_when_the_first_may_be_asked_again() -> None:
    with pytest.raises(WebError) as caught:
        await chain(Engine("sea", down("Sea")), Engine("pond", LIMITED), Engine("lake", FAILED)).search(DUES)
    assert caught.value.code == "WEB_RATE_LIMITED"
    assert caught.value.retry_after == 60
    for words in ("Sea cannot be reached.", "Pond refuses.", "Lake sent a web page."):
        assert words in caught.value.message


async def test_a_slow_engine_leaves_the_next_one_time() -> None:
    result = await chain(Engine("pond", None), Engine("lake", found("https://lake.example")), timeout=0.2).search(DUES)
    assert result.content == "Pond did not answer in time, so Lake answered."


async def test_an_engine_that_is_out_of_reach_is_not_tried_again_at_once() -> None:
    now = [100.0]
    outages = Outages(30, clock=lambda: now[0])
    pond, library = Engine("pond", down("Pond")), Engine("library", found("https://office.kittiwick.example"))
    together = chain(pond, library, outages=outages)
    for moment, asked in ((100.0, 1), (101.0, 1), (129.0, 1), (131.0, 2)):
        now[0] = moment
        result = await together.search(DUES)
        assert result.content == "Pond could not be reached, so Library answered."
        assert pond.asked == asked


async def test_who_would_answer_is_known_without_asking() -> None:
    outages = Outages(30, clock=lambda: 100.0)
    pond, lake = Engine("pond", down("Pond")), Engine("lake", None, wants="Lake needs a key.")
    library = Engine("library", found("https://office.kittiwick.example"))
    together = chain(pond, lake, library, outages=outages)
    assert within_reach(together) == [pond]
    assert pond.asked == 0
    await together.search(DUES)
    assert within_reach(together) == [library], "what could not be reached a moment ago would not answer"
    assert within_reach(pond) == [pond]


async def test_an_arg_that_only_the_engine_out_of_reach_has_is_refused_with_what_can_be_done() -> None:
    library = Engine("library", found("https://office.kittiwick.example"))
    with pytest.raises(WebError) as caught:
        await chain(Engine("pond", down("Pond")), library).search(SearchRequest(query="quay dues", time_range="w"))
    assert caught.value.code == "WEB_INVALID_ARGUMENTS"
    assert caught.value.message == (
        "No search engine answered. Pond cannot be reached. Library has no time_range. Without that, Library can be asked."
    )


async def test_an_engine_that_answers_again_is_forgiven() -> None:
    outages = Outages(30, clock=lambda: 100.0)
    outages.note("pond ")
    assert outages.standing("pond ")
    outages.forget("pond ")
    await chain(pond := Engine("pond", found("https://pond.example")), outages=outages).search(DUES)
    assert pond.asked == 1


def test_a_chain_is_available_if_any_of_its_engines_is() -> None:
    assert chain(Engine("lake", None, wants="Lake needs a key."), Engine("pond", None)).available() is None
    assert chain(Engine("lake", None, wants="Lake needs a key.")).available() == "Lake needs a key."
    assert "WEBCARDS_SEARCH_CHAIN" in (chain().available() or "")


def test_the_chain_is_duckduckgo_and_then_the_library_unless_the_settings_say_otherwise() -> None:
    assert chain_ids(read_settings()) == ("duckduckgo", "library")
    assert chain_ids(read_settings(search_chain=("brave", "duckduckgo"))) == ("brave", "duckduckgo")
    assert chain_ids(read_settings(searxng_url="http://127.0.0.1:8888")) == ("searxng", "duckduckgo", "library")
    chosen = read_settings(searxng_url="http://127.0.0.1:8888", search_chain=("library",))
    assert chain_ids(chosen) == ("library",)


def test_a_chain_that_names_an_engine_that_is_none_says_so_instead_of_leaving_it_out() -> None:
    settings = read_settings(search_chain=("duckduckgoose", "library"))
    found = providers(settings, plug_ins=[])
    with pytest.raises(WebError, match="WEBCARDS_SEARCH_CHAIN names duckduckgoose") as caught:
        select_provider(settings, found)
    assert caught.value.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"


async def test_a_plug_in_with_a_fault_of_its_own_hands_over_to_the_next() -> None:
    class Fragile(Engine):
        async def search(self, request: SearchRequest) -> WebSearchResult:
            raise KeyError("reed")

    result = await chain(Fragile("pond", None), Engine("lake", found("https://lake.example"))).search(DUES)
    assert result.content == "Pond failed, so Lake answered."


def test_the_chain_may_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_SEARCH_CHAIN", "brave, duckduckgo")
    assert chain_ids(read_settings()) == ("brave", "duckduckgo")


async def test_without_a_network_auto_answers_from_the_library_and_says_so() -> None:
    settings = read_settings(duckduckgo_url=f"{closed_port()}/html/")
    (chosen,) = (provider for provider in providers(settings, plug_ins=[]) if provider.id == "auto")
    result = await chosen.search(DUES)
    assert result.sources
    assert all(".example" in source.url for source in result.sources)
    assert result.content == "DuckDuckGo could not be reached, so the built-in library answered."


@pytest.mark.parametrize("status", [202, 429])
async def test_while_duckduckgo_refuses_auto_does_not_answer_from_the_library(status: int) -> None:
    async with serving(page(pages.robot_test(), status)) as server:
        settings = read_settings(duckduckgo_url=f"{server.url}/html/")
        with pytest.raises(WebError) as caught:
            await auto(settings, providers(settings, plug_ins=[])).search(DUES)
    assert caught.value.code == "WEB_RATE_LIMITED"


async def test_with_a_searxng_of_ones_own_auto_asks_that() -> None:
    async with serving(as_json(SEARXNG.found)) as server:
        settings = read_settings(searxng_url=server.url, duckduckgo_url=f"{closed_port()}/html/")
        result = await auto(settings, providers(settings, plug_ins=[])).search(DUES)
    assert [source.title for source in result.sources] == ["Quay dues explained", "Mooring"]


async def test_an_engine_that_hangs_is_given_up_for_the_next_one_in_half_the_time() -> None:
    async with (
        serving(HANGS) as slow,
        serving(page(pages.results(("Dues", "https://docs.example/dues", "x")))) as quick,
    ):
        settings = read_settings(searxng_url=slow.url, duckduckgo_url=f"{quick.url}/html/", search_timeout=0.6)
        result = await auto(settings, providers(settings, plug_ins=[])).search(DUES)
    assert result.content == "SearXNG did not answer in time, so DuckDuckGo answered."
