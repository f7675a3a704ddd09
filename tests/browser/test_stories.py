"""The four ways into the app, each walked from its first page to its end, in one app on a record of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest, serve_app
from tests.shared import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fresh_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app that nobody has used yet."""
    folder = tmp_path_factory.mktemp("stories")
    process, address = serve_app(folder / "log", WEBCARDS_DATABASE_URL=f"sqlite:///{folder}/calls.db")
    yield address
    process.terminate()
    process.wait(timeout=20)


def go_to(page: Page, name: str) -> None:
    """Opens another page of the app from its sidebar."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def test_a_newcomer_searches_reads_a_source_and_takes_the_calls_along(
    page: Page, fresh_app: str, tmp_path: Path
) -> None:
    page.goto(fresh_app)
    page.get_by_label("Query", exact=True).fill("when is high water")
    page.get_by_role("button", name="Search", exact=True).last.click()
    first = page.locator(".wc-list > li").first
    expect(first).to_be_visible()
    address = str(first.locator("a").get_attribute("href"))
    first.get_by_role("button").click()
    expect(page.locator(".wc-url").first).to_have_text(address)
    expect(page.locator(".wc-body").first).to_be_visible()
    at_rest(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Session log").click()
    log = tmp_path / "session.jsonl"
    started.value.save_as(log)
    assert address in log.read_text(encoding="utf-8")

    # What was taken along is what the app shows again.
    go_to(page, "Replay")
    page.locator("input[type=file]").first.set_input_files(log)
    expect(page.locator("#call1")).to_contain_text("when is high water")


def test_a_presenter_walks_the_whole_tour_on_the_arrow_keys(page: Page, fresh_app: str) -> None:
    page.goto(f"{fresh_app}/?demo=1")
    expect(page.get_by_role("heading", name="Web Cards")).to_be_visible()
    for step in range(1, 11):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".demo-step")).to_contain_text(f"{step} / 10")
        expect(page.locator(".wc:not(.wc-pending)").first).to_be_visible()
        at_rest(page)
    page.keyboard.press("Home")
    expect(page.locator(".demo-step")).to_have_count(0)


def test_a_tester_finds_the_three_faults_of_a_log_and_takes_a_report(
    page: Page, fresh_app: str, tmp_path: Path
) -> None:
    page.goto(f"{fresh_app}/replay")
    page.locator("input[type=file]").first.set_input_files(ROOT / "examples" / "night-shift.jsonl")
    expect(page.locator("#call1")).to_be_visible()
    page.get_by_text("Checks", exact=True).click()
    page.get_by_role("button", name="Run the checks").click()
    for fault in (
        "Calls without a card, and why",
        "The same URL twice in one list",
        "Truncated flag that disagrees with the text",
    ):
        expect(page.get_by_text(fault)).to_be_visible()
    at_rest(page)
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.locator("#call3")).to_contain_text("$.sources[1].url")
    at_rest(page)
    page.get_by_role("button", name="Download").first.click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (HTML)").click()
    report = tmp_path / "report.html"
    started.value.save_as(report)
    assert "$.sources[1].url" in report.read_text(encoding="utf-8")


def test_a_lead_goes_from_the_dashboard_to_the_one_call_that_failed(page: Page, fresh_app: str) -> None:
    page.goto(f"{fresh_app}/?tool=web_fetch&url=http://127.0.0.1:1/ledger")
    expect(page.locator(".wc")).to_contain_text("WEB_BLOCKED")
    page.goto(f"{fresh_app}/?tool=web_search&q=harbour+dues")
    expect(page.locator(".wc-list > li").first).to_be_visible()
    go_to(page, "Dashboard")
    page.get_by_role("button", name="Show 1 call").first.click()
    page.get_by_role("button", name="127.0.0.1").last.click()
    expect(page.locator(".wc").get_by_text("WEB_BLOCKED").first).to_be_visible()
    expect(page.locator(".wc")).to_contain_text("http://127.0.0.1:1/ledger")
    assert "call=" in page.url
