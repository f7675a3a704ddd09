"""The Dashboard and the Batch page in a real Chromium: figures lead to calls, calls to cards, a typed list to
results.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import serve_app
from tests.browser.test_run import DARK, NARROW, no_sideways_scroll
from tests.store.events import HOUR, failed, fetch_call, fetched, found, record, search_call
from webcards.library.specimens import SPECIMENS
from webcards.store import Store
from webcards.store.store import now_ms

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def recorded_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app over a record of its own, with a day's calls in it."""
    folder = tmp_path_factory.mktemp("record")
    url = f"sqlite:///{folder}/calls.db"
    now = now_ms()
    with Store.open(url) as store:
        for number in range(40):
            at = now - number * HOUR // 2
            page = f"https://gazette.kittiwick.example/{number % 4}"
            record(
                store, fetch_call(page), fetched(page, status=404 if number % 8 == 3 else 200), at=at, ms=40 + number
            )
            fallback = ("$.sources[0].url", "missing") if number == 5 else None
            record(store, search_call(f"tide {number}"), found(page), at=at, ms=300, fallback=fallback)
        record(store, fetch_call("https://slow.example/"), failed("WEB_FETCH_TIMEOUT"), at=now - 5000, ms=30_000)
    process, address = serve_app(Path(folder) / "log", WEBCARDS_DATABASE_URL=url, WEBCARDS_SEARCH_PROVIDER="library")
    yield address
    process.terminate()
    process.wait(timeout=20)


# What is drawn last on each page.
LAST = {"Dashboard": ".st-key-wc-rows-call", "Batch": "[data-testid=stForm] button[kind=primaryFormSubmit]"}


def settled(page: Page, heading: str) -> None:
    """Waits until the page of that heading has been drawn to its end."""
    expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    expect(page.locator(LAST[heading])).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    # The app's own styles come after what they are for.
    expect(page.get_by_test_id("stCaptionContainer").first).to_have_css("opacity", "1")


def assert_accessible(page: Page) -> None:
    # Streamlit's own chart canvas is left out: what it shows stands in the table below it.
    context = {"include": [["[data-testid=stMain]"]], "exclude": [["[data-testid=stVegaLiteChart]"]]}
    results = Axe().run(page, context=context, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    assert results.violations_count == 0, results.generate_report()


def test_a_figure_leads_to_its_calls_a_call_to_its_card_and_back(page: Page, recorded_app: str) -> None:
    page.goto(f"{recorded_app}/dashboard")
    settled(page, "Dashboard")
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(3)
    page.get_by_role("button", name="Show 1 call").first.click()
    expect(page.get_by_role("button", name="Outcome: Failed")).to_be_visible()
    assert "outcome=error" in page.url
    assert "show=calls" in page.url
    # The calls alone, so that nobody has to look for them below the figures.
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(0)
    page.get_by_role("button", name="slow.example").click()
    expect(page.locator(".wc")).to_be_visible()
    expect(page.locator(".wc").get_by_text("WEB_FETCH_TIMEOUT").first).to_be_visible()
    assert "call=" in page.url
    page.get_by_role("button", name="Back to the dashboard").click()
    settled(page, "Dashboard")
    assert "outcome=error" in page.url


def test_a_link_reproduces_the_filter_and_the_order(page: Page, recorded_app: str) -> None:
    page.goto(f"{recorded_app}/dashboard?tool=web_search&order=slowest&span=7d")
    settled(page, "Dashboard")
    expect(page.get_by_role("button", name="Tool: web_search")).to_be_visible()
    expect(page.locator(".st-key-wc-rows-call button").first).to_contain_text("300 ms")
    assert page.locator(".st-key-wc-rows-call button").filter(has_text="web_fetch").count() == 0


def test_a_chart_is_also_a_table_that_a_screen_reader_reads(page: Page, recorded_app: str) -> None:
    page.goto(f"{recorded_app}/dashboard?by=error_code")
    settled(page, "Dashboard")
    page.get_by_text("As a table").last.click()
    table = page.get_by_role("table", name="Error")
    expect(table.get_by_role("row", name="WEB_FETCH_TIMEOUT")).to_be_visible()


@pytest.mark.parametrize("page", [{}, DARK, NARROW], ids=["light", "dark", "narrow"], indirect=True)
@pytest.mark.parametrize("path", ["dashboard?span=7d", "batch"])
def test_the_pages_are_accessible_and_never_wider_than_the_screen(page: Page, recorded_app: str, path: str) -> None:
    page.goto(f"{recorded_app}/{path}")
    settled(page, "Dashboard" if path.startswith("dashboard") else "Batch")
    assert no_sideways_scroll(page)
    assert_accessible(page)


def test_a_typed_list_runs_to_its_end_and_each_result_opens(page: Page, recorded_app: str) -> None:
    page.goto(f"{recorded_app}/batch")
    settled(page, "Batch")
    page.get_by_label("Queries and URLs, one a line").fill(
        f"{SPECIMENS['article']}\n{SPECIMENS['not-found']}\nharbour dues\n"
    )
    page.get_by_label("Name").fill("Three calls")
    page.get_by_role("button", name="Run the batch").click()
    expect(page.get_by_text("Done · 3 of 3 · 0 errors")).to_be_visible()
    assert "run=" in page.url
    page.get_by_role("button", name=SPECIMENS["not-found"].rpartition("/")[2]).click()
    expect(page.locator(".wc").get_by_text("404").first).to_be_visible()
    page.get_by_role("button", name="Back to the run").click()
    expect(page.get_by_text("Done · 3 of 3")).to_be_visible()
