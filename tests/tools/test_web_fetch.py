"""web_fetch as a tool, on the built-in library: content, meta and footer agree."""

import re

import pytest

from webcards.library.specimens import SPECIMENS
from webcards.settings import Settings
from webcards.tools.opening import open_registry
from webcards.tools.registry import Execution


async def fetch(args: dict[str, object], **settings: object) -> Execution:
    async with open_registry(Settings(**settings)) as registry:  # type: ignore[arg-type]
        return await registry.execute("web_fetch", args)


async def test_an_article_comes_as_text_meta_and_view() -> None:
    execution = await fetch({"url": SPECIMENS["article"]})
    text = execution.tool_result.text
    assert text.startswith(f"Fetched {SPECIMENS['article']} (HTTP 200)\n\n")
    assert execution.tool_result.meta == {"url": SPECIMENS["article"], "statusCode": 200, "truncated": False}
    details = execution.result.data.details
    assert details["contentType"].startswith("text/html")
    assert details["fromLibrary"] is True
    assert details["title"]


async def test_a_missing_page_is_a_result_with_its_status() -> None:
    execution = await fetch({"url": SPECIMENS["not-found"]})
    assert not execution.tool_result.is_error
    assert execution.tool_result.meta["statusCode"] == 404
    assert "(HTTP 404)" in execution.tool_result.text


@pytest.mark.parametrize("max_chars", [0, 100, 2_000])
async def test_a_long_page_is_cut_and_all_three_say_so(max_chars: int) -> None:
    execution = await fetch({"url": SPECIMENS["long"]}, fetch_max_chars=max_chars)
    assert execution.tool_result.meta["truncated"] is True
    assert len(execution.tool_result.text) <= max_chars
    view = execution.view
    assert view is not None
    assert view.truncated


async def test_the_details_say_how_much_was_kept_and_cut() -> None:
    details = (await fetch({"url": SPECIMENS["long"]}, fetch_max_chars=2_000)).result.data.details
    assert 0 < details["charactersKept"] < 2_000
    assert details["charactersKept"] + details["charactersCut"] == details["characters"]
    whole = (await fetch({"url": SPECIMENS["article"]})).result.data.details
    assert (whole["charactersKept"], whole["charactersCut"]) == (whole["characters"], 0)


async def test_the_footer_s_offset_reads_on_where_the_text_ended() -> None:
    first = await fetch({"url": SPECIMENS["long"]}, fetch_max_chars=2_000)
    offset = re.findall(r"start=(\d+)\.\]$", first.tool_result.text)[0]
    second = await fetch({"url": SPECIMENS["long"], "start": int(offset)}, fetch_max_chars=2_000)
    whole = (await fetch({"url": SPECIMENS["long"]}, fetch_max_chars=3_000)).tool_result.text

    def body(text: str) -> str:
        return text.split("\n\n", 1)[1].rsplit("\n\n[", 1)[0]

    assert whole.split("\n\n", 1)[1].startswith(body(first.tool_result.text) + body(second.tool_result.text)[:500])


async def test_a_page_as_it_was_sent_keeps_its_markup() -> None:
    raw = await fetch({"url": SPECIMENS["article"], "raw": True})
    assert "<html" in raw.tool_result.text


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "WEB_INVALID_URL"),
        ("www.kittiwick.example", "WEB_INVALID_URL"),
        ("file:///etc/passwd", "WEB_INVALID_URL"),
        ("http://169.254.169.254/latest/", "WEB_BLOCKED_URL"),
        ("http://localhost:9/", "WEB_BLOCKED_URL"),
        ("https://user:pass@gazette.kittiwick.example/", "WEB_BLOCKED_URL"),
        (SPECIMENS["redirect-loop"], "WEB_REDIRECT_BLOCKED"),
        (SPECIMENS["image"], "WEB_UNSUPPORTED_CONTENT_TYPE"),
    ],
)
async def test_what_may_not_or_cannot_be_read_is_an_error_with_its_code(url: str, code: str) -> None:
    execution = await fetch({"url": url})
    assert execution.result.data.error.code == code  # type: ignore[union-attr]
    assert execution.tool_result.text.startswith("Error: ")


async def test_a_slow_page_ends_at_the_deadline() -> None:
    execution = await fetch({"url": SPECIMENS["very-slow"]}, fetch_timeout=0.3)
    assert execution.result.data.error.code == "WEB_FETCH_TIMEOUT"  # type: ignore[union-attr]
    assert "0.3" in execution.tool_result.text
