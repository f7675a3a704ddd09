"""The language of what people read: gettext catalogues, and the one that is in force while a page or a card is drawn."""

import gettext as gettext_module
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

LOCALE_DIR = Path(__file__).parent / "locale"
LANGUAGES = {"en": "English", "zh": "中文"}

_language: ContextVar[str] = ContextVar("language", default="en")
_browser: ContextVar[str] = ContextVar("browser", default="")


def language() -> str:
    """The language in force: a key of `LANGUAGES`."""
    return _language.get()


def choose(wanted: str | None) -> str:
    """The language to use for a wish such as a browser's `zh-CN`; English where there is none of ours in it."""
    tag = (wanted or "").replace("_", "-").split("-")[0].lower()
    return tag if tag in LANGUAGES else "en"


def set_language(wanted: str | None, *, browser: str | None = None) -> None:
    """Puts a language in force for what is drawn from here on in this script run.

    `browser` is the browser's own locale, such as `de-AT`: what numbers and dates are written in.
    """
    _language.set(choose(wanted))
    _browser.set(browser or "")


def reader_locale() -> str:
    """The locale of whoever reads, such as `de-AT`: the browser's, unless a language was chosen that is not its own."""
    browser = _browser.get()
    return browser if browser and choose(browser) == _language.get() else _language.get()


@contextmanager
def in_language(wanted: str | None) -> Iterator[None]:
    """Puts a language in force for a while."""
    token = _language.set(choose(wanted))
    try:
        yield
    finally:
        _language.reset(token)


@lru_cache(maxsize=len(LANGUAGES))
def _catalogue(name: str) -> gettext_module.NullTranslations:
    return gettext_module.translation("webcards", LOCALE_DIR, languages=[name], fallback=True)


def _(message: str) -> str:
    """The message in the language in force."""
    return _catalogue(_language.get()).gettext(message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """The message for a number of things, in the language in force."""
    return _catalogue(_language.get()).ngettext(singular, plural, count)


def N_(message: str) -> str:  # noqa: N802 (gettext's own name for it)
    """The message as it is: marks one that stands in data, for the catalogues, and that is translated where it is drawn."""
    return message
