"""The Replay page in a real browser: three formats uploaded and walked by keyboard, a growing log, a report without a network."""

import gzip
import io
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import at_rest, serve_app
from tests.logs.made import HEAD, call, fetch, result, search
from tests.shared import shared_path

pytestmark = pytest.mark.browser

BRAVE = b"""{"type": "search", "query": {"original": "sea walls"}, "web": {"results": [
  {"url": "https://a.example/", "title": "Walls", "description": "a <strong>wall</strong>"}]}}"""
CLAUDE = b"""{"type":"assistant","sessionId":"s","uuid":"1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"WebFetch","input":{"url":"https://claude.example/","prompt":"p"}}]}}
{"type":"user","sessionId":"s","uuid":"2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"the text"}]},"toolUseResult":{"code":418,"url":"https://claude.example/","result":"the text"}}
"""


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose logs the app may open."""
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def replay_url(roots: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the Replay page of an app that may read that folder."""
    process: subprocess.Popen[bytes]
    process, address = serve_app(tmp_path_factory.mktemp("app") / "log", WEBCARDS_LOG_ROOTS=str(roots))
    yield f"{address}/replay"
    process.terminate()
    process.wait(timeout=20)


def _upload(page: Page, name: str, data: bytes) -> None:
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def _current(page: Page, n: int) -> None:
    """Waits until the call of this number is the one that is shown."""
    expect(page.locator(f".st-key-replay-current #call{n}")).to_be_visible()


def _press(page: Page, key: str) -> None:
    """Presses a key when the page is drawn and no field has the focus."""
    expect(page.locator('[data-testid="stApp"]')).to_have_attribute("data-test-script-state", "notRunning")
    page.locator("h1").click()
    page.keyboard.press(key)


def test_three_formats_are_uploaded_and_walked_by_keyboard(page: Page, replay_url: str) -> None:
    page.goto(replay_url)
    native = (
        HEAD
        + search("s1", queries=["harbour dues"])
        + fetch("f1")
        + call("e1")
        + result("e1", "Error: x", code="WEB_ABORTED")
    )
    _upload(page, "session.jsonl", native)
    _current(page, 1)
    expect(page.locator("#call1")).to_contain_text("harbour dues")
    _press(page, "j")
    _current(page, 2)
    expect(page.locator("#call2")).to_contain_text("HTTP 200")
    _press(page, "n")
    _current(page, 3)
    expect(page.locator("#call3")).to_contain_text("WEB_ABORTED")
    _press(page, "k")
    _current(page, 2)
    assert "call=2" in page.url

    _upload(page, "brave.json", BRAVE)
    expect(page.locator("#call1")).to_contain_text("sea walls")
    expect(page.locator("#call1")).to_contain_text("a <strong>wall</strong>")

    _upload(page, "claude.jsonl", CLAUDE)
    expect(page.locator("#call1")).to_contain_text("418")
    expect(page.locator("#call1")).to_contain_text("https://claude.example/")


def test_a_link_opens_one_call_of_a_log_on_the_server(page: Page, replay_url: str, roots: Path) -> None:
    (roots / "linked.jsonl").write_bytes(HEAD + search("s1") + fetch("f1", "https://d.example/linked"))
    page.goto(f"{replay_url}?log=linked.jsonl&call=2")
    _current(page, 2)
    expect(page.locator("#call2")).to_contain_text("https://d.example/linked")


def test_a_growing_log_is_followed(page: Page, replay_url: str, roots: Path) -> None:
    path = roots / "growing.jsonl"
    path.write_bytes(HEAD + search("s1"))
    page.goto(f"{replay_url}?log=growing.jsonl")
    _current(page, 1)
    page.get_by_text("Follow", exact=True).click()
    with path.open("ab") as file:
        file.write(fetch("f1", "https://d.example/later"))
    expect(page.locator("#listed2")).to_contain_text("https://d.example/later")


def test_a_report_opens_from_the_disk_without_a_network(
    browser: Browser, page: Page, replay_url: str, tmp_path: Path
) -> None:
    page.goto(replay_url)
    path = shared_path("logs") / "langgraph" / "02-deerflow-thread-web-messages.json"
    _upload(page, path.name, path.read_bytes())
    _current(page, 1)
    page.get_by_role("button", name="Download").first.click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (HTML)").click()
    report = tmp_path / "report.html"
    started.value.save_as(report)
    context = browser.new_context(offline=True)
    alone = context.new_page()
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(report.as_uri())
    expect(alone.locator("article.wc")).to_have_count(14)
    assert asked == [report.as_uri()]
    # On paper nothing scrolls: every source of every list stands there, with its address.
    alone.emulate_media(media="print")
    hidden = "boxes => boxes.filter(box => box.scrollHeight > box.clientHeight + 1).length"
    assert alone.locator(".wc-list").count() > 1
    assert alone.locator(".wc-list").evaluate_all(hidden) == 0
    address = alone.locator(".wc-list a.wc-link").first
    shown = address.evaluate("link => getComputedStyle(link, '::after').content")
    assert address.get_attribute("href") in shown
    context.close()


def test_packed_logs_and_an_archive_of_several_formats_show_their_calls(page: Page, replay_url: str) -> None:
    native = HEAD + search("s1", queries=["harbour dues"])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("one/session.jsonl.zstd", zstandard.ZstdCompressor().compress(native))
        target.writestr("two.json", BRAVE)
        target.writestr("three.jsonl.gz", gzip.compress(CLAUDE))
    page.goto(replay_url)
    _upload(page, "packed.gz", gzip.compress(native))
    expect(page.locator("#call1")).to_contain_text("harbour dues")
    _upload(page, "logs.zip", archive.getvalue())
    expect(page.locator("#listed2")).to_contain_text("sea walls")
    expect(page.locator("#listed3")).to_contain_text("https://claude.example/")
    expect(page.get_by_text("one/session.jsonl.zstd, line 2").first).to_be_visible()


def test_a_folder_and_a_pattern_are_opened_searched_and_jumped_through(
    page: Page, replay_url: str, roots: Path
) -> None:
    folder = roots / "many"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(HEAD + b"".join(search(f"s{n}", queries=[f"tide {n}"]) for n in range(1, 81)))
    (folder / "b.json").write_bytes(BRAVE)
    (folder / "c.txt").write_bytes(b"no log")
    page.goto(replay_url)
    path = page.get_by_label("A path, a pattern or a folder on the server")
    path.fill("many")
    path.press("Enter")
    _current(page, 1)
    expect(page.get_by_text("81 calls").first).to_be_visible()
    path.fill("many/*.json*")
    path.press("Enter")
    # The log that was open before has as many calls: until its name is gone, it is that one which is on the page.
    expect(page.locator("strong", has_text="*.json*")).to_be_visible()
    at_rest(page)
    expect(page.locator("#listed50")).to_be_visible()
    expect(page.locator("#listed51")).to_have_count(0)
    jump = page.get_by_label("Go to call")
    jump.fill("500")
    jump.press("Enter")
    expect(page.get_by_text("There is no call of this number in the log.")).to_be_visible()
    page.get_by_role("button", name="Previous Shortcut K").click()
    _current(page, 81)
    at_rest(page)
    jump.fill("73")
    jump.press("Enter")
    _current(page, 73)
    expect(page.locator("#call73")).to_contain_text("tide 73")
    words = page.get_by_label("Search", exact=True)
    words.fill("walls")
    words.press("Enter")
    expect(page.get_by_text("1 of 81 calls").first).to_be_visible()
    expect(page.locator("#listed81")).to_contain_text("sea walls")


def test_checks_and_a_comparison_say_what_is_wrong_and_what_changed(page: Page, replay_url: str) -> None:
    source = {"url": "https://a.example/", "title": "Alpha", "snippet": "<b>x</b>"}
    before = (
        HEAD + search("s1", [source, source], queries=["dues"]) + call("u1", "web_fetch", {"url": "https://d.example/"})
    )
    after = HEAD + search("s1", [{**source, "title": "Beta"}], queries=["dues"])
    page.goto(replay_url)
    _upload(page, "before.jsonl", before)
    _current(page, 1)
    page.get_by_text("Checks", exact=True).click()
    page.get_by_role("button", name="Run the checks").click()
    for found in ("1 The same URL twice in one list", "2 Snippets with markup", "1 Calls without a result"):
        expect(page.get_by_text(found)).to_be_visible()
    page.get_by_text("Compare with a later log").click()
    page.locator("input[type=file]").nth(1).set_input_files(
        {"name": "after.jsonl", "mimeType": "text/plain", "buffer": after}
    )
    page.get_by_role("button", name="Compare the logs").click()
    expect(page.get_by_text("Alpha → Beta")).to_be_visible()
    expect(page.get_by_text("1 only before", exact=False).first).to_be_visible()
