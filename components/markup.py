"""The markup of every card: pure functions from a view to one HTML string. Nothing here looks anything up or knows the time."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import NamedTuple, assert_never
from zlib import crc32

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from components.amounts import number
from components.i18n import _, language, ngettext
from components.other_site import other_site
from components.safe_text import display_text, markdown_html
from webcards.contract import (
    Host,
    Refusal,
    ToolCallView,
    ToolResult,
    WebFetchResultView,
    WebResultView,
    WebSearchResultView,
    WebSource,
    given,
    link_host,
    link_hostname,
    safe_link,
    shows_nothing,
)
from webcards.tools.presenters import explain, present_call

TEMPLATES = Path(__file__).parent / "templates"
# What a card shows of a long text; the rest is a download away. A browser lays out more only slowly.
SHOWN_CHARS = 400_000
# A snippet this short fits on its two lines, so there is nothing to open.
SHORT_SNIPPET = 120
# Beyond this many sources the words found are not marked: a card of a thousand has to stay light.
MARKED_SOURCES = 100
# And so many words in one snippet: a snippet of 200,000 characters may hold the query 20,000 times.
MARKED_WORDS = 100


class Row(NamedTuple):
    """One source as the template unpacks it, in this order: all text, fit for display; "" for what is not there."""

    number: str
    label: str
    href: str
    host: str
    letter: str
    hue: str
    snippet: str
    long: str
    date: str
    datetime: str
    warning: str


def escaped_rows(rows: Iterable[Row]) -> Iterable[tuple[str, ...]]:
    """The rows with every text escaped, in one call for all: one a value takes half of the time that a long card has.

    No field holds a control character (`display_text`), so NUL can part them, and two others can stand for the marks.
    """
    fields = "\0".join(chain.from_iterable(rows))
    if not fields:
        return ()
    parts = iter(str(escape(fields)).replace(_MARK, "<mark>").replace(_MARK_END, "</mark>").split("\0"))
    return zip(*[parts] * len(Row._fields), strict=True)


_MARK, _MARK_END = "\x01", "\x02"


@lru_cache(maxsize=1)
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(_=_, ngettext=ngettext, number=number)
    return environment


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """The one stylesheet of the card family."""
    return (TEMPLATES / "card.css").read_text(encoding="utf-8")


def card_html(
    view: WebResultView,
    text: str = "",
    *,
    card_id: str = "card",
    page_title: str = "",
    actions: bool = False,
    opened: bool = False,
) -> str:
    """The web card, of either kind. `text` is the content that the model read: a fetched page is read below its head.

    `card_id` must be unique on the page. `page_title`, where it is known beside the meta, stands for a title that is only
    the URL. `actions` adds a button to each source for whoever listens to it; `opened` shows a page's text at once.
    """
    match view:
        case WebSearchResultView():
            return _search_html(view, card_id, actions)
        case WebFetchResultView():
            return _fetch_html(view, text, card_id, page_title, opened)
        case _:
            assert_never(view)


def _search_html(view: WebSearchResultView, card_id: str, actions: bool) -> str:
    answer = given(view.answer) or ""
    count = len(view.sources)
    words = _query_words(given(view.title)) if count <= MARKED_SOURCES else None
    return (
        _templates()
        .get_template("search.html")
        .render(
            card_id=card_id,
            lang=language(),
            title=display_text(given(view.title) or ""),
            answer=Markup(_answer_html(view, answer[:SHOWN_CHARS], card_id)),  # noqa: S704 (sanitised)
            hidden=max(0, len(answer) - SHOWN_CHARS),
            count=count,
            rows=escaped_rows(_row(str(number), source, words) for number, source in enumerate(view.sources, 1)),
            truncated=view.truncated,
            actions=actions,
        )
    )


def _answer_html(view: WebSearchResultView, answer: str, card_id: str) -> str:
    urls = tuple(source.url for source in view.sources) if answer else ()
    return markdown_html(answer, sources=len(view.sources), anchor=card_id, urls=urls) if answer else ""


def _fetch_html(view: WebFetchResultView, text: str, card_id: str, page_title: str, opened: bool) -> str:
    status = view.status_code if isinstance(view.status_code, int) else None
    title = page_title.strip() or given(view.title)
    host = link_host(view.url)
    body = _body_of(text)
    return (
        _templates()
        .get_template("fetch.html")
        .render(
            card_id=card_id,
            lang=language(),
            title=display_text(title or ""),
            url=display_text(view.url),
            opened=opened,
            href=safe_link(view.url),
            host=_host_text(host),
            letter=_letter(host),
            hue=_hue(host),
            status=_digits(status),
            phrase=status_phrase(status),
            status_class=status_class(status),
            truncated=view.truncated,
            body=Markup(markdown_html(body[:SHOWN_CHARS])) if body else "",  # noqa: S704 (sanitised)
            body_size=len(body),
            hidden=max(0, len(body) - SHOWN_CHARS),
        )
    )


def generic_html(
    title: str, text: str, *, refusal: Refusal | None = None, error_code: str = "", card_id: str = "card"
) -> str:
    """The generic card: the raw content as it is, and why there is no better card."""
    return (
        _templates()
        .get_template("generic.html")
        .render(
            card_id=card_id,
            lang=language(),
            title=display_text(title),
            text=display_text(text[:SHOWN_CHARS]),
            hidden=max(0, len(text) - SHOWN_CHARS),
            why=(display_text(refusal.path), display_text(refusal.reason)) if refusal else None,
            error_code=display_text(error_code),
        )
    )


def pending_html(view: ToolCallView, progress: str = "", *, card_id: str = "card") -> str:
    """The card of a call that runs."""
    return (
        _templates()
        .get_template("pending.html")
        .render(
            card_id=card_id,
            lang=language(),
            title=display_text(view.title),
            kind=view.kind,
            progress=display_text(progress),
        )
    )


def page_html(cards: str) -> str:
    """A standalone document around cards, which loads nothing."""
    return (
        _templates()
        .get_template("page.html")
        .render(
            cards=Markup(cards),  # noqa: S704 (made by the functions above)
            stylesheet=Markup(stylesheet()),  # noqa: S704 (our own file)
            lang=language(),
        )
    )


def _row(number: str, source: WebSource, words: re.Pattern[str] | None) -> Row:
    host = link_host(source.url)
    title = given(source.title)
    snippet = display_text(given(source.snippet) or "")
    date = display_text(given(source.published_at) or "")
    iso = _is_iso(date)
    return Row(
        number,
        label=_visible(title)
        or link_hostname(source.url)
        or _visible(source.url)
        or _("(a source with neither title nor address)"),
        href=safe_link(source.url) or "",
        host=_host_text(host) if host else (display_text(source.url) if title else ""),
        letter=_letter(host),
        hue=_hue(host),
        snippet=words.sub(rf"{_MARK}\g<0>{_MARK_END}", snippet, MARKED_WORDS) if words else snippet,
        long="long" if len(snippet) > SHORT_SNIPPET else "",
        date=date[:10] if iso else date,
        datetime=date if iso else "",
        warning=display_text(other_site(title, host)) if title and host else "",
    )


def _visible(title: str | None) -> str:
    """The title as it is shown; "" for one that shows nothing: a link that nobody sees cannot be followed."""
    shown = display_text(title or "")
    return "" if shows_nothing(shown) else shown


_ISO_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII | re.IGNORECASE
)


def _is_iso(date: str) -> bool:
    """Whether it is a day, or a day and a time, that there is, in ISO 8601 and with nothing behind it."""
    if _ISO_DATE.fullmatch(date) is None:
        return False
    try:
        datetime.fromisoformat(date.upper())
    except ValueError:
        return False
    return True


def _host_text(host: Host | None) -> str:
    """The host as it is looked up, an internationalised one behind the name that its readers know."""
    if host is None:
        return ""
    return f"{display_text(host.unicode)} ({host.ascii})" if host.is_idn else host.ascii


def _letter(host: Host | None) -> str:
    if host is None:
        return "?"
    name = host.unicode.removeprefix("www.")
    return name[0].upper() if name[:1].isalnum() else "#"


@lru_cache(maxsize=4096)
def _hue(host: Host | None) -> str:
    """A colour of the site's own, in degrees: the same in every card."""
    return str(crc32(host.ascii.encode()) % 360) if host else "0"


def _query_words(query: str | None) -> re.Pattern[str] | None:
    """What marks the query's words in a snippet; None if there is no word to mark."""
    words = sorted(set(re.findall(r"\w{2,40}", query or "")), key=len, reverse=True)[:12]
    if not words:
        return None
    # Scripts written without spaces are found anywhere, others only at the beginning of a word, with a short ending.
    patterns = (re.escape(word) if word[0] > "\u2e80" else rf"\b{re.escape(word)}\w{{0,3}}" for word in words)
    return re.compile("|".join(patterns), re.IGNORECASE)


def status_class(status: int | None) -> str:
    """`s2` to `s5` after the first digit of an HTTP status; `s0` for any other number and for none."""
    return f"s{status // 100}" if status is not None and 100 <= status <= 599 else "s0"


def status_phrase(status: int | None) -> str:
    """The standard phrase of a status (RFC 9110 and the IANA registry); "" for one that has none."""
    try:
        return HTTPStatus(status).phrase if status is not None else ""
    except ValueError:
        return ""


def _digits(status: int | None) -> str:
    if status is None:
        return ""
    return str(status) if abs(status) < 10**12 else f"{status:.3e}" if abs(status) < 10**300 else "…"


_HEAD = re.compile(r"Fetched [^\n]* \(HTTP -?\d+\)\n\n")


def _body_of(text: str) -> str:
    """The page's text without the line that the contract puts before it: the card's head says the same."""
    head = _HEAD.match(text)
    return text[head.end() :] if head else text


def result_html(tool: str, args: object, result: object, *, card_id: str = "card", actions: bool = False) -> str:
    """The card of a recorded result, or the generic card with the reason why there is no better one. Never raises."""
    settled = ToolResult.from_json(result)
    outcome = explain(tool, args, settled)
    if isinstance(outcome, Refusal):
        code = error_code_of(result) if settled.is_error else ""
        return generic_html(
            present_call(tool, args).title, settled.text, refusal=outcome, error_code=code, card_id=card_id
        )
    return card_html(outcome, settled.text, card_id=card_id, actions=actions)


def error_code_of(result: object) -> str:
    """The code of an error result where it is recorded beside it; else a plain word."""
    error = result.get("error") if isinstance(result, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return display_text(code) if isinstance(code, str) and code else _("error")
