"""The Gallery in a real Chromium: states in both themes and at 390 px, the editor as one types, a pass with the keyboard."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from components.gallery.catalogue import GROUPS, states
from components.gallery.drawing import state_html
from components.markup import page_html
from tests.browser.conftest import at_rest

pytestmark = pytest.mark.browser

NARROW = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}
BOTH_THEMES_AND_WIDTHS = [
    pytest.param({}, id="light-1280"),
    pytest.param(DARK, id="dark-1280"),
    pytest.param(NARROW, id="light-390"),
    pytest.param({**NARROW, **DARK}, id="dark-390"),
]


def go(page: Page, app_url: str, query: str = "") -> None:
    """Opens the Gallery at an address."""
    page.goto(f"{app_url}/gallery{query}")
    expect(page.get_by_role("heading", name="Gallery", level=1)).to_be_visible()


def sideways(page: Page) -> int:
    """How many pixels the page can be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def assert_accessible(page: Page, context: str) -> None:
    if page.get_by_test_id("stApp").count():
        at_rest(page)
    # Streamlit fades its colours in; halfway there nothing has the contrast that it is going to have.
    # (Asked by evaluate: what Playwright waits for inside the page is a string of script, which the page's policy forbids.)
    page.evaluate(FADED)
    results = Axe().run(page, context=context)
    assert results.violations_count == 0, results.generate_report()


# Looked at again and again: the promise of one whose element goes meanwhile is never kept.
FADED = """() => new Promise(faded => {
  const runs = one => one.playState === 'running' && one.effect.getComputedTiming().endTime < 10000
  const look = () => document.getAnimations().some(runs) ? setTimeout(look, 20) : faded()
  look()
})"""
# Rows out of view are left unpainted, and what is not painted is not checked.
PAINTED = "<style>.wc .wc-list>li{content-visibility:visible}</style>"
CUT_OFF = """() => [...document.querySelectorAll('.wc *')].filter(element => {
  const style = getComputedStyle(element)
  if (element.closest('summary, .wc-generic .wc-raw')) return false
  const hides = box => box === 'hidden' || box === 'clip'
  return (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 1)
      || (hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1)
}).map(element => element.className || element.tagName)"""

ESCAPES = """() => [...document.querySelectorAll('.wc')].flatMap(card => {
  const box = card.getBoundingClientRect()
  return [...card.querySelectorAll('*')].filter(element => {
    if (element.closest('pre, table, details:not([open])')) return false
    const inner = element.getBoundingClientRect()
    return inner.width > 0 && (inner.right > box.right + 1 || inner.left < box.left - 1)
  }).map(element => card.id + ' ' + (element.className || element.tagName))
})"""


@pytest.mark.parametrize("page", BOTH_THEMES_AND_WIDTHS, indirect=True)
@pytest.mark.parametrize("group", [pytest.param(group, id=group.id) for group in GROUPS])
def test_every_state_is_accessible_and_stays_in_its_card(page: Page, group: Any) -> None:
    members = [state for state in group.states if state.id != "page-7-million-characters"]
    page.set_content(page_html(PAINTED + "\n".join(state_html(state, card_id=state.id) for state in members)))
    assert page.locator(".wc").count() == len(members)
    assert sideways(page) <= 0
    assert page.evaluate(ESCAPES) == []
    assert page.evaluate(CUT_OFF) == []
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert sideways(page) <= 0
    assert_accessible(page, "main")


@pytest.mark.parametrize("page", BOTH_THEMES_AND_WIDTHS, indirect=True)
@pytest.mark.parametrize(
    "query", ["?group=titles", "?state=search-meta-source-title-number", "?view=break", "?view=checklist"]
)
def test_each_view_is_accessible_and_fits_the_window(page: Page, app_url: str, query: str) -> None:
    go(page, app_url, query)
    expect(page.locator(".wc, .gallery-table").first).to_be_visible()
    if "state=" in query:
        expect(page.locator("textarea").first).to_be_visible()
    assert sideways(page) <= 0
    assert_accessible(page, "[data-testid=stMain]")


def test_a_key_press_in_the_editor_is_answered_with_the_card_and_the_line(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=sources-3")
    meta = page.get_by_label("Meta: leave it empty for a result without one")
    expect(page.locator("#card .wc-link").first).to_have_text("Harbour dues, part 1")
    meta.fill(meta.input_value().replace("part 1", "the first part"))
    expect(page.locator("#card .wc-link").first).to_have_text("Harbour dues, the first part")

    meta.fill(meta.input_value().replace('"Harbour dues, part 2"', "2"))
    status = page.locator(".status").first
    expect(status).to_have_text("$.sources[1].title: expected str, got int (line 11)")
    expect(page.locator("#card .wc-why")).to_contain_text("$.sources[1].title")
    line = meta.input_value().splitlines()[10].strip()
    assert line == '"title": 2,'

    meta.fill('{"sources": [')
    expect(status).to_contain_text("Line 1")
    expect(page.locator(".gallery-wait")).to_be_visible()

    page.get_by_role("button", name="Undo all changes").click()
    expect(page.locator("#card .wc-link").first).to_have_text("Harbour dues, part 1")
    expect(meta).to_have_count(1)
    expect(meta).to_have_value(json.dumps(states()["sources-3"].result["meta"], indent=2))


def test_what_is_typed_key_by_key_stays_as_typed(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=page-plain")
    args = page.get_by_label("Args of the call")
    args.fill("")
    args.press_sequentially('{"url": "https://lowwater.example/typed/by/hand"}', delay=15)
    expect(page.locator("#card .wc-title")).to_have_text("https://lowwater.example/typed/by/hand")
    expect(args).to_have_value('{"url": "https://lowwater.example/typed/by/hand"}')
    expect(args).to_be_focused()


def test_the_test_case_that_is_downloaded_is_the_one_that_is_shown(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=title-markup")
    page.get_by_role("radio", name="Test case").or_(page.get_by_role("button", name="Test case")).first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the test case").click()
    case = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert case["id"] == "title-markup"
    assert case["kind"] == "card-render"
    assert case["expect"] == dict(states()["title-markup"].expect)


def test_a_state_is_shown_in_a_theme_a_width_and_a_direction_of_its_own(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=sources-3&width=390&theme=dark&dir=rtl&cardlang=zh")
    card = page.locator("#card")
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box
    assert box["width"] <= 390
    assert card.evaluate("card => getComputedStyle(card).backgroundColor") == "rgb(23, 27, 34)"
    assert card.evaluate("card => getComputedStyle(card).direction") == "rtl"
    expect(card.locator(".wc-count")).to_have_text("3 个来源")


def test_a_pass_is_made_with_the_keyboard_and_its_report_holds_a_picture(page: Page, app_url: str) -> None:
    go(page, app_url, "?view=checklist")
    name = page.locator(".gallery-id").first
    first = name.inner_text()
    note = page.get_by_label("Note", exact=True)
    note.fill("the badge is missing")
    note.press("Tab")
    page.keyboard.press("Alt+f")
    expect(name).not_to_have_text(first)
    second = name.inner_text()
    page.keyboard.press("Alt+p")
    expect(name).not_to_have_text(second)

    page.get_by_role("button", name="Make the report").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    report = json.loads(download.value.path().read_text(encoding="utf-8"))
    marks = {line["state"]: line for line in report["states"]}
    assert (marks[first.strip()]["mark"], marks[first.strip()]["note"]) == ("fail", "the badge is missing")
    assert marks[second.strip()]["mark"] == "pass"
    assert marks[first.strip()]["picture"].startswith("iVBORw0KGgo")


def test_a_broken_meta_is_opened_from_the_grid(page: Page, app_url: str) -> None:
    go(page, app_url, "?view=break&state=page-plain")
    row = page.locator(".gallery-table tr", has_text="$.statusCode").filter(has_text="null").first
    row.get_by_role("link").click()
    expect(page.locator("#card .wc-why")).to_contain_text("$.statusCode")
    expect(page.locator(".status").first).to_contain_text("expected int, got null")


def test_the_page_of_seven_million_characters_stays_quick(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=page-7-million-characters")
    expect(page.locator("#card .wc-title")).to_be_visible()
    page.locator("#card summary").first.click()
    expect(page.locator("#card .wc-body")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#card")).to_contain_text("First block.")


@pytest.mark.parametrize("page", [{"viewport": {"width": 1280, "height": 720}}], indirect=True)
def test_the_demo_is_walked_with_the_arrow_keys_and_needs_no_network(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?demo=1")
    expect(page.get_by_role("heading", name="Web Cards")).to_be_visible()
    expect(page.locator("[data-testid=stSidebar]")).not_to_be_visible()
    # A key is heard once the button that it presses is there.
    expect(page.get_by_role("button", name="Begin Shortcut →")).to_be_visible()
    at_rest(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".wc-list > li").first).to_be_visible()
    expect(page.locator(".demo-step")).to_contain_text("1 / 10")
    assert "step=1" in page.url
    page.keyboard.press("ArrowRight")
    expect(page.locator(".demo-step")).to_contain_text("2 / 10")
    expect(page.locator(".wc-list > li").first).to_be_visible()
    assert sideways(page) <= 0
    assert_accessible(page, "[data-testid=stMain]")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".demo-step")).to_contain_text("1 / 10")
    page.keyboard.press("Home")
    expect(page.get_by_role("heading", name="Web Cards")).to_be_visible()
    assert "step" not in page.url


def test_arrow_keys_in_the_run_bar_move_the_cursor_not_the_tour(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/?demo=1&step=4")
    expect(page.locator(".wc-body")).to_be_visible()
    page.get_by_text("Ask something else").click()
    query = page.get_by_label("Query", exact=True)
    query.fill("tide")
    query.press("ArrowLeft")
    query.press("ArrowRight")
    query.press("Enter")
    expect(page.locator(".wc-title", has_text="tide")).to_be_visible()
    expect(page.locator(".wc-list > li").first).to_be_visible()


@pytest.mark.parametrize("page", [pytest.param({}, id="1280"), pytest.param(NARROW, id="390")], indirect=True)
def test_a_card_is_read_with_the_keyboard_alone(page: Page) -> None:
    state = next(state for group in GROUPS for state in group.states if state.id == "snippet-long")
    page.set_content(page_html(state_html(state, card_id="s")))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "wc-list"
    page.keyboard.press("Tab")
    expect(page.locator(".wc-link").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("details")).to_have_attribute("open", "")
    opened_height = page.locator("summary").evaluate("element => element.scrollHeight <= element.clientHeight + 1")
    assert opened_height, "the whole of the snippet is shown"
    page.keyboard.press("Enter")
    expect(page.locator("details")).not_to_have_attribute("open", "")


def test_the_list_scrolls_in_place_with_the_arrow_keys(page: Page) -> None:
    state = next(state for group in GROUPS for state in group.states if state.id == "sources-1000")
    page.set_content(page_html(state_html(state, card_id="s")))
    listed = page.locator(".wc-list")
    listed.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.wc-list').scrollTop > 1000")
    assert page.evaluate("scrollY") == 0
    expect(page.locator("#s-1000")).to_be_in_viewport()


def test_a_citation_leads_to_its_source_without_leaving_the_page(page: Page, app_url: str) -> None:
    go(page, app_url, "?state=answer-citations-brackets")
    page.locator("#card .wc-cite", has_text="3").click()
    expect(page.locator("#card-3")).to_be_in_viewport()
    assert page.locator("#card-3").evaluate("row => row.matches(':target')")
    assert len(page.context.pages) == 1
