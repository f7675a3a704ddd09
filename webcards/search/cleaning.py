"""From an engine's rows to sources that a person can trust: the one place that cleans, for every provider.

Texts become plain (`plain_text`), wrapped links are undone (`links`), dates read (`dates`), advertisements and the
engines' own placeholders dropped, a page that comes twice is listed once. Merging several queries is the tool's part.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import ada_url
from msgspec import UNSET, UnsetType

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult, WebSource
from webcards.search.dates import parse_date
from webcards.search.links import dedup_key, is_advertisement, same_site, unwrap
from webcards.search.plain_text import one_line, plain, shortened

TITLE_LIMIT = 400
"""Characters of a title that are kept."""
SNIPPET_LIMIT = 1_500
"""Characters of a snippet that are kept; some engines send the whole page."""
_READ_LIMIT = 4 * SNIPPET_LIMIT
"""Characters of a field that are looked at: enough to fill the limit after markup is out."""


class Row(NamedTuple):
    """What an engine says of one result, nothing of it checked: any field may be of any type."""

    url: object
    title: object = None
    snippet: object = None
    published: object = None


def result_from_rows(
    rows: Iterable[Row],
    *,
    engine: str,
    max_results: int,
    now: datetime,
    site: str | None = None,
    answer: object = None,
) -> WebSearchResult:
    """The rows as a clean result, cut to `max_results`; `truncated` if the cut dropped any.

    `now` is the time of the call, which relative dates count from. With `site`, only pages of that host are kept,
    since an engine may take `site:` for a mere hint. Raises `WEB_PROVIDER_ERROR` if there are rows and none of them
    has an address: that is an engine whose answers have changed, and not an engine that found nothing.
    """
    given = list(rows)
    if given and not any(isinstance(row.url, str) and row.url.strip() for row in given):
        raise WebError(
            "WEB_PROVIDER_ERROR",
            f"{engine} sent {len(given)} results without an address: its answers may have changed."
            " Choose another engine, or look for a newer version of Web Cards.",
        )
    sources: list[WebSource] = []
    seen: set[str] = set()
    for row in given:
        source = source_from_row(row, now=now)
        if source is None or (site and not same_site(source.url, site)) or (key := dedup_key(source.url)) in seen:
            continue
        if len(sources) == max_results:
            return WebSearchResult(sources, truncated=True, content=clean_answer(answer))
        seen.add(key)
        sources.append(source)
    return WebSearchResult(sources, content=clean_answer(answer))


def source_from_row(row: Row, *, now: datetime) -> WebSource | None:
    """A row as a source, or None if it is no result: without an address, an advertisement, an engine's placeholder."""
    url = clean_url(row.url)
    title = _text(row.title, TITLE_LIMIT)
    snippet = _text(row.snippet, SNIPPET_LIMIT)
    if url is None or _is_placeholder(url, title, snippet):
        return None
    published = parse_date(row.published, now) if isinstance(row.published, str) else None
    return WebSource(
        url=url, title=title or UNSET, snippet=snippet or UNSET, published_at=UNSET if published is None else published
    )


def clean_url(url: object) -> str | None:
    """The link to show: redirect wrappers undone, otherwise as given; None for no link, or an advertisement's.

    A text that is no http(s) URL stays the text that it is, and no card makes a link of it. But a wrapper that hides
    another scheme is a trap and no result.
    """
    if not isinstance(url, str) or not (given := _visible(url)) or is_advertisement(given):
        return None
    target = unwrap(given)
    if target == given:
        return given
    target = _visible(target)
    return target if _is_web(target) and not is_advertisement(target) else None


def clean_answer(answer: object) -> str | UnsetType:
    """An engine's own answer, its lines kept (it may be Markdown), each free of controls and bidi overrides."""
    if not isinstance(answer, str):
        return UNSET
    lines = [_indent(line) + one_line(line) for line in answer.splitlines()]
    return "\n".join(lines).strip() or UNSET


def as_markup(text: str) -> str:
    """Text that is plain already, written as the markup that rows are, so that it is not decoded twice."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _text(value: object, limit: int) -> str:
    return shortened(plain(value[:_READ_LIMIT]), limit) if isinstance(value, str) else ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _is_web(url: str) -> bool:
    try:
        return ada_url.URL(url).protocol in ("http:", "https:")
    except ValueError:
        return False


_STRIPPED = re.compile("[\t\n\r]|^[\x00-\x20]+|[\x00-\x20]+$")
"""What a browser leaves out of a URL before it parses it (WHATWG URL, basic URL parser)."""
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def _visible(url: str) -> str:
    """The URL without what browsers leave out; percent-encoded where a character could hide or turn round its text."""
    url = _STRIPPED.sub("", url).strip()
    return _HIDDEN.sub(lambda match: _percent(match[0]), url)


def _percent(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode("utf-8", "replace"))


_MARKER = re.compile(r"[A-Z]+(?:_[A-Z]+)*_(?:ERROR|NO_RESULTS?|NO_MORE_RESULTS?|EOF)(?:_[A-Z]+)*|EOF")
"""What engines write for themselves in place of a result ("DEEP_ERROR_NO_RESULTS")."""
_NOTHING = re.compile(r"no (?:more )?results(?: (?:were )?found)?(?: for .*)?\.?", re.IGNORECASE)
_ENGINE = re.compile(
    r"https?://(?:[a-z]+\.)?(?:duckduckgo\.com|google\.com|bing\.com|search\.yahoo\.com|startpage\.com|search\.brave\.com"
    r"|yandex\.(?:ru|com)|mojeek\.com|qwant\.com|ecosia\.org)(?P<rest>[/?#].*)?",
    re.IGNORECASE,
)
_ENGINE_SEARCH = re.compile(r"/(?:search|html/?|lite/?)?\?(?:.*&)?(?:q|p|text|query)=.*", re.IGNORECASE)


def _is_placeholder(url: str, title: str, snippet: str) -> bool:
    said = [text for text in (title, snippet) if text]
    empty_words = all(_MARKER.fullmatch(text) or _NOTHING.fullmatch(text) for text in said)
    engine = _ENGINE.fullmatch(url)
    if engine is None:
        return len(said) == 2 and empty_words and any(_MARKER.fullmatch(text) for text in said)
    rest = engine["rest"] or "/"
    # DuckDuckGo lists a search page of another engine where it has found nothing.
    return bool(_ENGINE_SEARCH.fullmatch(rest)) or (rest in ("/", "/html/", "/lite/") and empty_words)
