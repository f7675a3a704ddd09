"""The cases of kind `ui`: what a person sees of an awkward result, on a page in a real Chromium."""

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer

from components.markup import page_html, result_html
from tests.browser.conftest import serve_app
from tests.cases import load_cases
from webcards.contract import WebSource
from webcards.search.citations import as_markdown

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("case", load_cases("ui"))
def test_every_case_of_this_kind_is_known_here(case: dict[str, Any]) -> None:
    assert case["id"].split("-")[0] in {"234", "236", "238", "240", "242"}, "a new case: write down what its steps mean"


def test_a_rate_limit_is_seen_as_one(page: Page, httpserver: HTTPServer, tmp_path: Path) -> None:
    """Case 236: nothing found and nothing worked must not look the same."""
    httpserver.expect_request("/html/").respond_with_data("", status=429, headers={"Retry-After": "120"})
    process, address = serve_app(
        tmp_path / "log",
        WEBCARDS_DUCKDUCKGO_URL=httpserver.url_for("/html/"),
        WEBCARDS_SEARCH_PROVIDER="duckduckgo",
        WEBCARDS_SEARCH_TIMEOUT="10",
    )
    try:
        page.goto(f"{address}/?tool=web_search&q=quay+dues")
        card = page.locator(".wc-error")
        expect(card.locator(".wc-status")).to_have_text("WEB_RATE_LIMITED")
        words = str(card.text_content())
        assert "rate" in words.lower() or "too many" in words.lower() or "limit" in words.lower()
        assert "No results found" not in words
        assert "Traceback" not in str(page.content())
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_a_long_unbroken_title_does_not_widen_the_page(page: Page, tmp_path: Path) -> None:
    """Case 240."""
    source = {"url": "https://d.example/" + "b" * 2000, "title": "A" * 2000}
    content = [{"type": "text", "text": "C" * 3000}]
    search = {"content": content, "meta": {"sources": [source], "truncated": False}}
    fetch = {"content": content, "meta": {"url": source["url"], "statusCode": 200, "truncated": True}}
    cards = [
        result_html("web_search", {"query": "q" * 2000}, search, card_id="a"),
        result_html("web_fetch", {"url": source["url"]}, fetch, card_id="b"),
        result_html("web_search", {"query": "q" * 2000}, {"content": content}, card_id="c"),
    ]
    file = tmp_path / "cards.html"
    file.write_text(page_html("\n".join(cards)), encoding="utf-8")
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_copied_sources_are_whole() -> None:
    """Case 242: one of them has a ] in its title."""
    sources = [WebSource(f"https://d.example/{n}", title) for n, title in enumerate(["Alpha", "Beta ] gamma", "Delta"])]
    tokens = MarkdownIt("commonmark").parse(as_markdown(sources))
    links = [token for block in tokens for token in block.children or [] if token.type == "link_open"]
    assert len(links) == 3


def replay_log(tmp_path: Path, calls: list[tuple[str, str, dict[str, Any], dict[str, Any]]]) -> Path:
    """A session log of (call id, tool, args, result)."""
    events: list[dict[str, Any]] = [{"type": "session", "version": 0, "id": "s", "createdAt": 1}]
    for call_id, tool, args, result in calls:
        block = {"type": "tool-result", "toolCallId": call_id, "content": result["content"], "isError": False}
        message = {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [block]}
        events.append({"type": "tool/call", "data": {"callId": call_id, "name": tool, "arguments": json.dumps(args)}})
        events.append({"type": "tool/result", "data": {"message": message, "meta": result["meta"]}})
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
    return file


def replayed(page: Page, app_url: str, log: Path) -> None:
    """Drops a log on the Replay page."""
    page.goto(f"{app_url}/replay")
    page.locator("input[type=file]").set_input_files(log)


def test_identical_calls_are_all_drawn(page: Page, app_url: str, tmp_path: Path) -> None:
    """Case 234: the same call and result three times, under different ids."""
    result = {
        "content": [{"type": "text", "text": "Sources:\n- x"}],
        "meta": {"sources": [{"url": "https://d.example/a", "title": "Alpha"}], "truncated": False},
    }
    calls = [(f"c{n}", "web_search", {"queries": ["quay dues"]}, result) for n in range(3)]
    replayed(page, app_url, replay_log(tmp_path, calls))
    expect(page.locator(".wc .wc-list")).to_have_count(3)


def test_a_page_of_seven_million_characters_does_not_choke_the_replay(page: Page, app_url: str, tmp_path: Path) -> None:
    """Case 238: one line of base64 between two sentences."""
    text = "Fetched https://d.example/a (HTTP 200)\n\nFirst sentence.\n" + "QUJD" * 1_675_000 + "\nLast sentence."
    meta = {"url": "https://d.example/a", "statusCode": 200, "truncated": False}
    result = {"content": [{"type": "text", "text": text}], "meta": meta}
    replayed(page, app_url, replay_log(tmp_path, [("c1", "web_fetch", {"url": "https://d.example/a"}, result)]))
    expect(page.locator(".wc .wc-status")).to_contain_text("200")
    assert page.evaluate("1 + 1") == 2
    assert "First sentence." in str(page.locator(".wc").first.text_content())
