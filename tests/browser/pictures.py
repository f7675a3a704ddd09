"""The reviewed pictures of every state, a group a sheet, in both themes and two widths; how they are taken and compared.

`python -m tests.browser.pictures` takes them anew and makes a page that shows what changed; with `--accept` they become the
reviewed ones.
"""

import hashlib
import io
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from components.gallery.catalogue import GROUPS
from components.gallery.drawing import state_html
from components.gallery.state import Group
from components.markup import page_html
from tests.browser.conftest import CHROMIUM, FLAGS, PATIENCE

FOLDER = Path(__file__).parent / "reviewed"
PRINT = FOLDER / "fonts.sha256"
# A channel may be this far off, of 255, and so many pixels of a million may be further off.
NEAR, FAR_PER_MILLION = 24, 60
# Cards of extreme size are shown down to here, in CSS pixels.
_TALLEST = 700
# Rows that are not in view are not painted by themselves, and a sheet is taller than any window.
_SHEET = f"<style>.wc{{max-height:{_TALLEST}px;overflow:hidden}}.wc .wc-list>li{{content-visibility:visible}}</style>"
# What follows after so many characters of a card lies far below that, and is taken out before anything is laid out: a
# browser without a graphics card would take minutes to photograph seven million of them.
_FARTHEST = 30_000
_CUT = """most => {
  for (const card of document.querySelectorAll('.wc')) {
    let left = most
    const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT), beyond = []
    while (walker.nextNode()) {
      const text = walker.currentNode
      if (left <= 0) beyond.push(text)
      else if (text.length > left) text.data = text.data.slice(0, left)
      left -= text.length
    }
    beyond.forEach(text => text.remove())
  }
  document.body.style.display = ''
}"""
# Letters of every script that the states use: where they look alike, so do the pictures.
_LETTERS = "Harbour dues 0123456789 海堤大风 港湾 항만 المدينة אגרות ท่าเรือ बंदरगाह துறை 👩🏽‍✈️ ⚓ Ẑ ‹›"


class Look(NamedTuple):
    """A theme and a width, in CSS pixels."""

    theme: str
    width: int

    def __str__(self) -> str:
        return f"{self.theme}-{self.width}"


LOOKS = [Look(theme, width) for theme in ("light", "dark") for width in (1280, 390)]


def opened(browser: Browser, look: Look) -> Page:
    """A page in that look, on which nothing moves."""
    context = browser.new_context(
        viewport={"width": look.width, "height": 900},
        color_scheme=look.theme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        locale="en-GB",
        offline=True,
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    return page


def taken(page: Page, group: Group) -> Image.Image:
    """The sheet of a group."""
    sheet = _SHEET + "\n".join(state_html(state, card_id=state.id) for state in group.states)
    page.set_content(page_html(sheet).replace("<body", "<body style='display:none'", 1))
    page.evaluate(_CUT, _FARTHEST)
    page.evaluate("document.fonts.ready")
    return Image.open(io.BytesIO(page.screenshot(full_page=True, animations="disabled"))).convert("RGB")


def boxes(page: Page) -> dict[str, tuple[int, int, int, int]]:
    """Where each state stands on the sheet that is open: left, top, right, bottom."""
    found = page.evaluate(
        "[...document.querySelectorAll('.wc')].map(card => { const box = card.getBoundingClientRect();"
        " return [card.id, box.left, box.top + scrollY, box.right, box.bottom + scrollY] })"
    )
    return {name: (int(left), int(top), int(right) + 1, int(bottom) + 1) for name, left, top, right, bottom in found}


def fonts_print(page: Page) -> str:
    """A print of how letters are drawn on this machine."""
    page.set_content(
        f'<p style="font:16px system-ui;margin:0">{_LETTERS}</p><p style="font:16px monospace">{_LETTERS}</p>'
    )
    return hashlib.sha256(Image.open(io.BytesIO(page.screenshot())).convert("RGB").tobytes()).hexdigest()


def path_of(group: Group, look: Look) -> Path:
    """The reviewed picture of a group in a look."""
    return FOLDER / f"{group.id}-{look}.webp"


def far_off(old: Image.Image, new: Image.Image) -> Image.Image:
    """White where the two differ by more than a little; both must be of one size."""
    strongest = ImageChops.difference(old, new).split()
    merged = ImageChops.lighter(ImageChops.lighter(strongest[0], strongest[1]), strongest[2])
    return merged.point([255 if value > NEAR else 0 for value in range(256)])


def differ(old: Image.Image, new: Image.Image) -> bool:
    """Whether two pictures of one card differ by more than the tolerance."""
    if old.size != new.size:
        return True
    far = far_off(old, new).histogram()[255]
    return far * 1_000_000 > FAR_PER_MILLION * old.width * old.height


def changed(reviewed: Path, new: Image.Image, cards: dict[str, tuple[int, int, int, int]]) -> list[str]:
    """The states that no longer look as on the reviewed sheet; all of them where the sheet has another height."""
    if not reviewed.exists():
        return list(cards)
    old = Image.open(reviewed).convert("RGB")
    if old.size != new.size:
        return list(cards)
    return [name for name, box in cards.items() if differ(old.crop(box), new.crop(box))]


def _changes(browser: Browser, out: Path) -> Iterator[tuple[Path, Path]]:
    """(reviewed, new) of each picture that changed; the new ones are written below `out`."""
    for look in LOOKS:
        page = opened(browser, look)
        for group in GROUPS:
            new, reviewed = taken(page, group), path_of(group, look)
            if not changed(reviewed, new, boxes(page)):
                continue
            written = out / reviewed.name
            new.save(written, lossless=True, method=4)
            yield reviewed, written
        page.context.close()


def main() -> int:
    """Takes the pictures anew; says what changed and where to look at it, or accepts it."""
    accept = "--accept" in sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    out = Path(tempfile.mkdtemp(prefix="webcards-pictures-"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        found = list(_changes(browser, out))
        if accept:
            for reviewed, new in found:
                reviewed.write_bytes(new.read_bytes())
            PRINT.write_text(fonts_print(opened(browser, LOOKS[0])) + "\n", encoding="ascii")
            known = {path_of(group, look) for group in GROUPS for look in LOOKS}
            for stray in set(FOLDER.glob("*.webp")) - known:
                stray.unlink()
        browser.close()
    rows = "".join(
        f"<h2>{escape(new.name)}</h2><p><img src='{reviewed.as_uri()}' alt='reviewed'> <img src='{new.as_uri()}' alt='new'></p>"
        for reviewed, new in found
    )
    review = out / "review.html"
    review.write_text(f"<!doctype html><meta charset=utf-8><title>Changed pictures</title>{rows}", encoding="utf-8")
    words = "accepted" if accept else "to be reviewed; accept them with --accept"
    sys.stdout.write(f"{len(found)} pictures changed ({words}): {review}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
