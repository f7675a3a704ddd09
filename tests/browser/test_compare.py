"""The Compare page in a real Chromium, on the built-in library."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest

pytestmark = pytest.mark.browser

NARROW_DARK = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.mark.parametrize("page", [{}, NARROW_DARK], indirect=True, ids=["wide", "narrow"])
def test_two_answers_are_aligned_readable_and_fit_the_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/compare?q=harbour&left=library&right=auto")
    expect(page.locator(".wca tbody tr").first).to_contain_text("＝")
    expect(page.locator(".wc-list")).to_have_count(2)
    expect(page.get_by_label("Query", exact=True)).to_have_value("harbour")
    at_rest(page)
    for card in (".wca", ".wc"):
        results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}, context=card)
        assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_a_page_opened_at_its_own_address_writes_nothing_to_the_console(page: Page, app_url: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.goto(f"{app_url}/compare?q=harbour&left=library&right=library")
    expect(page.locator(".wc-list")).to_have_count(2)
    assert said == []


def test_back_and_forward_lead_through_the_comparisons(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/compare?q=tide&left=library&right=library")
    field, titles = page.get_by_label("Query", exact=True), page.locator(".wc-title")
    expect(titles).to_have_text(["tide", "tide"])
    field.fill("dues")
    field.press("Enter")
    expect(titles).to_have_text(["dues", "dues"])
    page.go_back()
    expect(titles).to_have_text(["tide", "tide"])
    expect(field).to_have_value("tide")
    page.go_forward()
    expect(titles).to_have_text(["dues", "dues"])
    expect(field).to_have_value("dues")
