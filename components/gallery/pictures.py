"""Pictures of cards, taken on this machine by a headless Chromium that is cut off from every network."""

import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from components.i18n import _, in_language, language
from components.markup import page_html

_WIDTH, _HEIGHT = 780, 900
# A picture of a card is no taller than this, in CSS pixels.
_TALLEST = 2_000
# A browser leaves rows out of view unpainted.
_PAINTED = "<style>.wc .wc-list>li{content-visibility:visible}</style>"
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The browser of this machine; None if there is none."""
    found = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    return found or ("/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else None)


def take_pictures(cards: Iterable[tuple[str, str]]) -> dict[str, bytes] | str:
    """PNGs of cards, given as (name, HTML); or, in words, why none can be taken."""
    browser = chromium()
    if browser is None:
        return _("There are no pictures: no Chromium was found on this machine.")
    if find_spec("playwright") is None:
        return _("There are no pictures: the package playwright is not installed.")
    pages = [(name, page_html(_PAINTED + card)) for name, card in cards]
    # Playwright's synchronous form needs a thread without an event loop, and the script's thread has one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_take, browser, pages, language()).result()


def _take(browser: str, pages: list[tuple[str, str]], tongue: str) -> dict[str, bytes] | str:
    from playwright.sync_api import Error, sync_playwright

    taken: dict[str, bytes] = {}
    try:
        with sync_playwright() as playwright:
            chrome = playwright.chromium.launch(executable_path=browser)
            context = chrome.new_context(
                viewport={"width": _WIDTH, "height": _HEIGHT},
                java_script_enabled=False,
                offline=True,
                color_scheme="light",
            )
            for name, page in pages:
                tab = context.new_page()
                tab.set_content(page)
                box = tab.locator(".wc").bounding_box()
                if box:
                    clip = {**box, "height": min(box["height"], _TALLEST)}
                    taken[name] = tab.screenshot(clip=clip, full_page=True, animations="disabled")  # type: ignore[arg-type]
                tab.close()
            chrome.close()
    except Error as error:
        with in_language(tongue):
            return _("There are no pictures: the browser failed (%(reason)s).") % {"reason": str(error).splitlines()[0]}
    return taken
