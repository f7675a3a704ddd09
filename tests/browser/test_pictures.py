"""Every state against its reviewed picture, in both themes and two widths."""

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from components.gallery.catalogue import GROUPS
from components.gallery.state import Group
from tests.browser.pictures import LOOKS, PRINT, Look, boxes, changed, differ, fonts_print, opened, path_of, taken

pytestmark = [pytest.mark.browser, pytest.mark.pictures]
ANEW = "look at it with `make pictures`, and accept it with `make pictures ACCEPT=--accept`"


@pytest.fixture(scope="module")
def same_letters(browser: Browser) -> None:
    """Skips where letters are drawn otherwise than on the machine of the review: every picture would differ."""
    page = opened(browser, LOOKS[0])
    here = fonts_print(page)
    page.context.close()
    if here != PRINT.read_text(encoding="ascii").strip():
        pytest.skip(
            "the fonts or the browser of this machine draw letters otherwise than those of the reviewed pictures"
        )


@pytest.mark.usefixtures("same_letters")
@pytest.mark.parametrize("look", [pytest.param(look, id=str(look)) for look in LOOKS])
@pytest.mark.parametrize("group", [pytest.param(group, id=group.id) for group in GROUPS])
def test_a_group_looks_as_it_was_reviewed(browser: Browser, group: Group, look: Look, tmp_path: Path) -> None:
    page = opened(browser, look)
    try:
        new = taken(page, group)
        others = changed(path_of(group, look), new, boxes(page))
        if others:
            new.save(tmp_path / "new.png")
            pytest.fail(
                f"{', '.join(others[:5])} no longer look as in {path_of(group, look)} ({tmp_path}/new.png): {ANEW}"
            )
    finally:
        page.context.close()


def test_one_changed_word_is_seen(browser: Browser) -> None:
    page = opened(browser, LOOKS[0])
    try:
        group = next(group for group in GROUPS if group.id == "sources")
        before = taken(page, group)
        page.evaluate("document.querySelectorAll('#sources-3 .wc-count')[0].textContent = '8 sources'")
        after = Image.open(io.BytesIO(page.screenshot(full_page=True, animations="disabled"))).convert("RGB")
        assert [name for name, box in boxes(page).items() if differ(before.crop(box), after.crop(box))] == ["sources-3"]
    finally:
        page.context.close()
