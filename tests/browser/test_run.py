"""The Run page in a real Chromium, on the built-in library: what a newcomer does in the first minute."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import at_rest
from tests.shared import ROOT
from webcards.library.specimens import SPECIMENS

pytestmark = pytest.mark.browser

PICTURES = ROOT / "docs" / "pictures"
NARROW = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}


def fetch(page: Page, app_url: str, url: str) -> None:
    page.goto(f"{app_url}/?tool=web_fetch&url={url}")


def no_sideways_scroll(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def assert_accessible(page: Page) -> None:
    at_rest(page)
    results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}, context=".wc")
    assert results.violations_count == 0, results.generate_report()


def test_a_search_is_run_a_source_opened_and_fetched(page: Page, app_url: str) -> None:
    page.goto(app_url)
    page.get_by_label("Query", exact=True).fill("harbour dues")
    page.get_by_role("button", name="Search", exact=True).last.click()
    sources = page.locator(".wc-list > li")
    expect(sources.first).to_be_visible()
    expect(sources).to_have_count(8)
    assert [sources.nth(index).get_attribute("value") for index in range(8)] == [str(n) for n in range(1, 9)]
    link = sources.first.locator("a")
    assert link.get_attribute("target") == "_blank"
    assert set((link.get_attribute("rel") or "").split()) == {"noopener", "noreferrer"}
    snippet = page.locator(".wc-more").first
    closed = snippet.bounding_box()
    snippet.locator("summary").click()
    opened = snippet.bounding_box()
    assert closed
    assert opened
    assert opened["height"] >= closed["height"]

    url = link.get_attribute("href")
    sources.first.get_by_role("button").click()
    expect(page.locator(".wc-url").first).to_have_text(str(url))
    expect(page.locator(".wc-body").first).to_be_visible()
    assert "q=" not in page.url
    expect(page.locator(".wc-list"), "the search stays on the page, below the newer call").to_have_count(1)


def test_the_long_page_is_marked_truncated_and_can_be_read_on(page: Page, app_url: str) -> None:
    fetch(page, app_url, SPECIMENS["long"])
    expect(page.locator("[data-badge=truncated]")).to_have_text("truncated")
    count = page.locator(".wc-page .wc-count")
    first = count.text_content()
    page.get_by_role("button", name="Read on").click()
    expect(count).not_to_have_text(str(first))
    expect(page.locator(".wc-url")).to_have_count(1)
    expect(page.locator("[data-badge=truncated]")).to_have_count(0)


def test_the_link_of_a_page_read_on_shows_all_of_it_again(page: Page, app_url: str) -> None:
    fetch(page, app_url, SPECIMENS["long"])
    page.get_by_role("button", name="Read on").click()
    expect(page.get_by_text("2 parts")).to_be_visible()
    count = page.locator(".wc-page .wc-count").text_content()
    expect(page).to_have_url(re.compile("parts=2"))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_text("2 parts")).to_be_visible()
    expect(page.locator(".wc-page .wc-count")).to_have_text(str(count))


def test_the_page_is_found_by_its_name_without_a_word_in_the_console(page: Page, app_url: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.goto(f"{app_url}/run?tool=web_search&q=harbour+dues")
    expect(page.locator(".wc-list > li")).to_have_count(8)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert said == []


def test_back_and_forward_show_the_call_of_their_address_and_ask_nothing_again(page: Page, app_url: str) -> None:
    page.goto(app_url)
    field, titles = page.get_by_label("Query", exact=True), page.locator(".wc-title")
    for words in ("tide table", "harbour dues"):
        field.fill(words)
        field.press("Enter")
        expect(titles.first).to_have_text(words)
        expect(page.locator(".wc-pending")).to_have_count(0)
    page.go_back()
    expect(titles.first).to_have_text("tide table")
    expect(field).to_have_value("tide table")
    page.go_forward()
    expect(titles.first).to_have_text("harbour dues")
    expect(field).to_have_value("harbour dues")
    expect(titles).to_have_count(2)
    page.go_back()
    page.go_back()
    expect(field).to_have_value("")
    at_rest(page)
    expect(titles).to_have_text(["harbour dues", "tide table"])


def test_each_of_several_quick_clicks_fetches_its_source(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?tool=web_search&q=harbour")
    sources = page.locator(".wc-list > li")
    expect(sources).to_have_count(8)
    at_rest(page)
    wanted = {str(sources.nth(place).locator("a").get_attribute("href")) for place in range(1, 6)}
    page.evaluate(
        "document.querySelectorAll('.wc-list .wc-do').forEach((button, n) => n > 0 && n < 6 && button.click())"
    )
    expect(page.locator(".wc-url")).to_have_count(5)
    at_rest(page)
    assert {str(link) for link in page.locator(".wc-url").all_text_contents()} == wanted


@pytest.mark.parametrize("page", [NARROW], indirect=True)
def test_on_a_small_screen_a_click_on_a_source_says_where_its_page_comes(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?tool=web_search&q=harbour")
    button = page.locator(".wc-list .wc-do").nth(2)
    button.scroll_into_view_if_needed()
    at_rest(page)
    button.click()
    expect(page.get_by_text("Fetching the page; it is above.")).to_be_visible()
    expect(page.locator(".wc-url")).to_have_count(1)
    page.get_by_role("button", name="Fetch all").click()
    expect(page.get_by_text("Fetching 8 pages; they are above.")).to_be_visible()
    expect(page.locator(".wc-url")).to_have_count(9)


def test_what_was_typed_stays_while_another_tool_or_page_is_looked_at(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?tool=web_search&q=harbour&q=tide")
    expect(page.locator(".wc-list")).to_be_visible()
    for key in ("Query", "Query 2"):
        expect(page.get_by_label(key, exact=True)).to_have_value("harbour" if key == "Query" else "tide")
    page.get_by_text("Fetch a page", exact=True).click()
    expect(page.get_by_label("URL", exact=True)).to_have_value("")
    page.get_by_role("radio", name="Search").click()
    expect(page.get_by_label("Query 2", exact=True)).to_have_value("tide")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    page.get_by_role("link", name="Run").click()
    expect(page.get_by_label("Query", exact=True)).to_have_value("harbour")
    expect(page.locator(".wc-list")).to_be_visible()


def test_a_slow_fetch_shows_its_card_at_once_and_can_be_cancelled(page: Page, app_url: str) -> None:
    fetch(page, app_url, SPECIMENS["very-slow"])
    expect(page.locator(".wc-pending .wc-title")).to_have_text(SPECIMENS["very-slow"])
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".wc-error .wc-status")).to_have_text("WEB_ABORTED")
    expect(page.locator(".wc-pending")).to_have_count(0)


def test_the_session_log_holds_the_calls(page: Page, app_url: str, tmp_path: Path) -> None:
    fetch(page, app_url, SPECIMENS["article"])
    expect(page.locator(".wc-url")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the session log").click()
    download.value.save_as(tmp_path / "session.jsonl")
    events = [json.loads(line) for line in (tmp_path / "session.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [event["type"] for event in events] == ["session", "tool/call", "tool/result"]


@pytest.mark.parametrize("page", [{}, DARK, NARROW], indirect=True, ids=["light", "dark", "narrow"])
def test_the_cards_are_accessible_and_fit_the_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?tool=web_search&q=harbour")
    expect(page.locator(".wc-list")).to_be_visible()
    assert_accessible(page)
    assert no_sideways_scroll(page)
    fetch(page, app_url, SPECIMENS["article"])
    expect(page.locator(".wc-body")).to_be_visible()
    assert_accessible(page)
    assert no_sideways_scroll(page)


def test_nothing_of_the_hostile_page_runs_or_leads_astray(page: Page, app_url: str) -> None:
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    fetch(page, app_url, SPECIMENS["hostile"])
    expect(page.locator(".wc-body")).to_be_visible()
    card = page.locator(".wc").first
    assert card.locator("script, iframe, img, form, input, object").count() == 0
    for link in card.locator("a").all():
        assert str(link.get_attribute("href")).startswith(("http://", "https://"))
    page.goto(f"{app_url}/?tool=web_search&q=free+moorings")
    expect(page.locator(".wc-list")).to_be_visible()
    assert page.locator(".wc-list img, .wc-list script").count() == 0
    assert dialogs == []


def test_the_card_can_be_worked_with_the_keyboard_alone(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?tool=web_search&q=harbour+dues")
    first = page.locator(".wc-list > li").first
    first.locator("a").focus()
    page.keyboard.press("Tab")
    expect(first.get_by_role("button")).to_be_focused()
    page.keyboard.press("Tab")
    snippet = page.locator(".wc-more").first
    expect(snippet.locator("summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(snippet).to_have_attribute("open", "")
    first.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".wc-url").first).to_have_text(str(first.locator("a").get_attribute("href")))


def test_a_citation_chip_scrolls_to_its_source_without_a_rerun(page: Page, tmp_path: Path) -> None:
    from components.markup import card_html, page_html
    from webcards.contract import WebSearchResultView, WebSource

    sources = [WebSource(f"https://s{n}.example/", f"Source {n}", "words " * 40) for n in range(1, 41)]
    view = WebSearchResultView(sources=sources, answer="As the last one says [40].", truncated=False)
    file = tmp_path / "card.html"
    file.write_text(page_html(card_html(view)), encoding="utf-8")
    page.goto(file.as_uri())
    last = page.locator("#card-40")
    expect(last).not_to_be_in_viewport()
    page.get_by_role("link", name="40", exact=True).click()
    expect(last).to_be_in_viewport()


def test_the_answers_carry_the_security_headers(page: Page, app_url: str) -> None:
    response = page.goto(app_url)
    assert response is not None
    headers = response.headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("page", "name"), [({}, "run-light.png"), (DARK, "run-dark.png")], indirect=["page"], ids=["light", "dark"]
)
def test_the_readme_s_pictures_are_made(page: Page, app_url: str, name: str) -> None:
    page.goto(
        f"{app_url}/?tool=web_search&q=harbour+dues"
        if "light" in name
        else f"{app_url}/?tool=web_fetch&url={SPECIMENS['article']}"
    )
    expect(page.locator(".wc").first).to_be_visible()
    expect(page.locator(".wc-pending")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / name, animations="disabled")
    assert (PICTURES / name).stat().st_size > 20_000
