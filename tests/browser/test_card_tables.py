"""A wide table in a narrow card: it scrolls in its own box, by keyboard too, and its words stay whole."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from components.markup import card_html, page_html
from webcards.contract import WebFetchResultView, WebSearchResultView

pytestmark = pytest.mark.browser

TABLE = (
    "| Harbour | Internationalisation | Dues | Where it stands |\n|---|---|--:|---|\n"
    "| Kittiwick | Extraordinarylonghyphenlessword | 14.20 | https://office.kittiwick.example/dues/of/2026/in/full |\n"
)
WORDS = ["Harbour", "Internationalisation", "Kittiwick", "Extraordinarylonghyphenlessword", "14.20"]


@pytest.mark.parametrize("page", [{"viewport": {"width": width, "height": 900}} for width in (320, 390)], indirect=True)
def test_a_wide_table_scrolls_in_its_own_box_and_breaks_no_word(page: Page, tmp_path: Path) -> None:
    cards = [
        card_html(WebSearchResultView(sources=[], answer=TABLE, truncated=False), card_id="a"),
        card_html(WebFetchResultView(url="https://a.example/", truncated=False), TABLE, card_id="b", opened=True),
    ]
    file = tmp_path / "cards.html"
    file.write_text(page_html("".join(cards)), encoding="utf-8")
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for number in (0, 1):
        box = page.get_by_role("group", name="Table").nth(number)
        for word in WORDS:
            cell = box.get_by_text(word, exact=True)
            lines = cell.evaluate(
                "cell => { const r = document.createRange(); r.selectNodeContents(cell); return r.getClientRects().length }"
            )
            assert lines == 1, word
        box.focus()
        assert box.evaluate("box => box === document.activeElement && box.scrollWidth > box.clientWidth")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
    violations = [found["id"] for found in Axe().run(page).response["violations"]]
    assert set(violations) <= {"page-has-heading-one"}
