"""Answers that others have recorded of the real engines (beside the project, in shared/logs), through our providers."""

import json
from typing import Any

import pytest

from tests.search.engines import BRAVE, EXA, PERPLEXITY, SERPER, TAVILY, Engine
from tests.search.loopback import as_json, serving
from tests.shared import shared_path
from webcards.contract import WebSearchResult
from webcards.search.provider import SearchRequest


async def replayed(engine: Engine, name: str, max_results: int = 100) -> tuple[WebSearchResult, Any]:
    recorded = json.loads((shared_path("logs") / engine.id / name).read_text("utf-8"))
    async with serving(as_json(recorded)) as server:
        found = await engine.open(server.url, 5).search(SearchRequest(query="what was asked", max_results=max_results))
    return found, recorded


@pytest.mark.parametrize(
    ("engine", "name", "path", "url"),
    [
        (BRAVE, "01-web-search.json", ("web", "results"), "url"),
        (EXA, "01-search.json", ("results",), "url"),
        (EXA, "03-contents.json", ("results",), "url"),
        (EXA, "05-recorded-search-via-mcp.json", ("results",), "url"),
        (PERPLEXITY, "05-prism-structured.json", ("search_results",), "url"),
        (SERPER, "01-search-answerbox.json", ("organic",), "link"),
        (TAVILY, "01-basic-search.json", ("results",), "url"),
        (TAVILY, "04-null-answer.json", ("results",), "url"),
    ],
    ids=lambda value: value.id if isinstance(value, Engine) else str(value),
)
async def test_a_recorded_answer_gives_its_sources_in_order_and_clean(
    engine: Engine, name: str, path: tuple[str, ...], url: str
) -> None:
    found, rows = await replayed(engine, name)
    for key in path:
        rows = rows[key]
    assert [source.url for source in found.sources] == list(dict.fromkeys(row[url] for row in rows))
    for source in found.sources:
        for text in (source.title, source.snippet):
            assert not isinstance(text, str) or ("<strong>" not in text and "&#x27;" not in text and "\n" not in text)


async def test_braves_dates_are_those_of_the_pages() -> None:
    found, recorded = await replayed(BRAVE, "01-web-search.json")
    dated = {row["url"]: row["page_age"] for row in recorded["web"]["results"] if row.get("page_age")}
    assert {source.url: source.published_at for source in found.sources if source.url in dated} == dated


async def test_perplexitys_answer_and_bare_citations_are_read() -> None:
    found, recorded = await replayed(PERPLEXITY, "01-chat-citations.json")
    listed = [row["url"] for row in recorded.get("search_results") or []] or recorded["citations"]
    assert [source.url for source in found.sources] == listed
    assert isinstance(found.content, str)
    assert found.content.split()[0] == recorded["choices"][0]["message"]["content"].split()[0]


async def test_serpers_answer_box_is_the_answer_and_its_dates_are_iso() -> None:
    found, _ = await replayed(SERPER, "01-search-answerbox.json")
    assert found.content == "Argentina national football team"
    dates = [source.published_at for source in found.sources if isinstance(source.published_at, str)]
    assert "2024-05-23" in dates
