"""Every HTTP engine's success, empty, error, rate-limit, timeout and bad-JSON answers, up to the text and the card."""

import json
import logging

import pytest

from tests.search.calling import call
from tests.search.engines import DUES, ENGINES, KEY, MEDIAWIKI, MOORING, Engine
from tests.search.loopback import HANGS, Answer, as_json, closed_port, page, serving
from webcards.contract import WebError
from webcards.search.provider import OPTIONAL_ARGS, SearchRequest
from webcards.search.seam import providers
from webcards.settings import read_settings

each_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.id)


@each_engine
async def test_results_come_out_clean_in_the_text_and_on_the_card(engine: Engine) -> None:
    async with serving(as_json(engine.found)) as server:
        called = await call(engine.open(server.url, 5))
    asked = server.asked[0]
    assert asked.target.split("?")[0] == engine.path
    if engine.authorization:
        name, value = engine.authorization
        assert asked.headers[name] == value
    assert KEY not in asked.target
    dues, mooring = (
        ("https://wiki.example/wiki/Quay_dues_explained", "https://wiki.example/wiki/Mooring")
        if engine is MEDIAWIKI
        else (DUES, MOORING)
    )
    date = f" ({engine.published})" if engine.published else ""
    assert f"- [Quay dues explained]({dues}) — How dues are worked'out.{date}\n" in called.text
    assert f"- [Mooring]({mooring})\n" in called.text
    assert called.view is not None
    assert [source.url for source in called.view.sources] == [dues, mooring]
    if engine.answer:
        assert called.text.startswith(engine.answer)
        assert called.view.answer == engine.answer


@each_engine
async def test_nothing_found_is_an_empty_list_and_no_error(engine: Engine) -> None:
    async with serving(as_json(engine.empty)) as server:
        called = await call(engine.open(server.url, 5))
    assert called.text == "No results found."
    assert called.view is not None
    assert called.view.sources == []


@each_engine
async def test_the_engines_own_error_is_told_in_its_words(engine: Engine) -> None:
    async with serving(as_json(engine.error, engine.error_status)) as server:
        called = await call(engine.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert called.text.startswith("Error: ")
    assert engine.error_says in called.text
    assert called.view is None


@each_engine
async def test_a_rate_limit_says_when_to_try_again(engine: Engine) -> None:
    async with serving(as_json({"error": "slow down"}, 429, retry_after="90")) as server:
        provider = engine.open(server.url, 5)
        with pytest.raises(WebError) as caught:
            await provider.search(SearchRequest(query="quay dues"))
        called = await call(provider)
    assert caught.value.code == "WEB_RATE_LIMITED"
    assert caught.value.retry_after == 90
    assert "Try again in 90 seconds." in called.text
    assert "No results found" not in called.text
    assert len(server.asked) == 2, "a wait that does not fit into the deadline is not waited for"


@each_engine
async def test_no_answer_in_time_is_a_timeout_and_the_request_is_ended(engine: Engine) -> None:
    async with serving(HANGS) as server:
        called = await call(engine.open(server.url, 0.2))
        await server.left.wait()
    assert called.code == "WEB_FETCH_TIMEOUT"
    assert "did not answer within 0.2 seconds" in called.text


@each_engine
async def test_no_connection_is_an_engine_that_cannot_be_reached(engine: Engine) -> None:
    called = await call(engine.open(closed_port(), 5))
    assert called.code == "WEB_PROVIDER_UNAVAILABLE"
    assert "cannot be reached" in called.text


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (page("<!DOCTYPE html><title>Sign in</title>"), "a web page instead of JSON"),
        (Answer(200, b'{"results": [', {"Content-Type": "application/json"}), "not JSON"),
        (Answer(200, b"", {"Content-Type": "application/json"}), "an empty answer"),
        (Answer(200, b'{"results": "\xff"}', {"Content-Type": "application/json"}), ""),
        (as_json([1, 2]), "another shape"),
        (as_json({"unknown": True}), ""),
        (as_json(None), "another shape"),
        (Answer(200, b'{"results": []}', {"Content-Type": "application/json"}, breaks=True), "broke off"),
    ],
    ids=["html", "cut-json", "empty", "not-utf8", "list", "other-object", "null", "broken-off"],
)
@each_engine
async def test_an_answer_of_another_shape_is_an_error_and_never_an_empty_list(
    engine: Engine, answer: Answer, says: str
) -> None:
    async with serving(answer) as server:
        called = await call(engine.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert says in called.text
    assert called.view is None


@each_engine
async def test_a_refused_key_is_an_error_that_names_the_setting_and_repeats_no_key(engine: Engine) -> None:
    refused = as_json({"error": f"bad key sk-live-12345, not {KEY}"}, 401)
    async with serving(refused) as server:
        called = await call(engine.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert "WEBCARDS_" in called.text
    assert KEY not in called.text
    assert "12345" not in called.text


@each_engine
async def test_an_error_that_repeats_the_key_is_shown_without_it(engine: Engine) -> None:
    async with serving(
        as_json({"message": f"Quota of {KEY} is used up, as is that of tvly-dev-123abc."}, 400)
    ) as server:
        called = await call(engine.open(server.url, 5))
    assert "Quota of … is used up" in called.text
    assert "123abc" not in called.text


@each_engine
async def test_rows_of_strange_types_cost_only_their_own_fields(engine: Engine) -> None:
    text = json.dumps(engine.found).replace('"Quay dues explained"', "[5]")
    async with serving(Answer(200, text.encode(), {"Content-Type": "application/json"})) as server:
        result = await engine.open(server.url, 5).search(SearchRequest(query="quay dues"))
    assert MOORING in [source.url for source in result.sources] or engine is MEDIAWIKI
    assert all(isinstance(source.url, str) for source in result.sources)


@each_engine
async def test_an_engine_whose_addresses_have_gone_has_changed_and_not_found_nothing(engine: Engine) -> None:
    text = json.dumps(engine.found).replace('"url"', '"u"').replace('"link"', '"l"').replace('"title": "', '"t": "')
    async with serving(Answer(200, text.encode(), {"Content-Type": "application/json"})) as server:
        called = await call(engine.open(server.url, 5))
    assert called.code == "WEB_PROVIDER_ERROR"
    assert "without an address" in called.text


@each_engine
async def test_an_arg_that_the_engine_lacks_is_refused_with_what_it_has(engine: Engine) -> None:
    provider = engine.open(closed_port(), 5)
    given: dict[str, object] = {"time_range": "w", "site": "docs.example", "region": "gb", "safe": "strict", "page": 2}
    for option in OPTIONAL_ARGS:
        request = SearchRequest(query="quay dues", **{option: given[option]})  # type: ignore[arg-type]
        with pytest.raises(WebError) as caught:
            await provider.search(request)
        if option in provider.options:
            assert caught.value.code == "WEB_PROVIDER_UNAVAILABLE", "it was asked, and there is no server"
        else:
            assert caught.value.code == "WEB_INVALID_ARGUMENTS"
            assert f"no {option}" in caught.value.message
            assert "It has max_results" in caught.value.message


def test_without_its_setting_an_engine_is_not_available_and_says_which_one_it_wants() -> None:
    wanting = {provider.id: provider.available() for provider in providers(read_settings(), plug_ins=[])}
    assert wanting["brave"] == "Brave Search needs a key: set WEBCARDS_BRAVE_API_KEY."
    assert wanting["searxng"] == "SearXNG needs an address: set WEBCARDS_SEARXNG_URL."
    for engine in ENGINES:
        assert f"WEBCARDS_{engine.id.upper()}_" in (wanting[engine.id] or "")
    for usable in ("duckduckgo", "library", "auto"):
        assert wanting[usable] is None


@each_engine
async def test_asked_without_its_setting_an_engine_says_so(engine: Engine) -> None:
    (provider,) = (each for each in providers(read_settings(), plug_ins=[]) if each.id == engine.id)
    called = await call(provider)
    assert called.code == "WEB_PROVIDER_CREDENTIAL_MISSING"
    assert f"WEBCARDS_{engine.id.upper()}_" in called.text


@each_engine
async def test_no_key_is_logged(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(as_json(engine.found), as_json({"error": KEY}, 401)) as server:
        provider = engine.open(server.url, 5)
        await call(provider)
        await call(provider)
    assert caplog.records
    for record in caplog.records:
        assert KEY not in record.getMessage()
        assert "YW5uOmxpdmU" not in record.getMessage()


@each_engine
def test_no_key_is_seen_in_what_a_provider_prints(engine: Engine) -> None:
    provider = engine.open(closed_port(), 5)
    assert KEY not in repr(provider)
    assert KEY not in repr(vars(provider))
