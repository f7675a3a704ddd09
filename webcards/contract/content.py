"""The model-facing text of a value. `render_fetch_output` is the one place that decides whether a page was cut."""

import html
import re
from functools import lru_cache

from msgspec import Struct

from webcards.contract.cut import closed_markdown, cut_markdown, first_unit, open_fence, reopening
from webcards.contract.links import link_hostname, safe_link
from webcards.contract.markdown import inline_text, link_destination, one_line, shows_nothing, without_surrogates
from webcards.contract.values import WebFetchBody, WebFetchResult, WebSearchResult, WebSource, given

NO_RESULTS = "No results found."
NAMELESS = "(a source with neither title nor URL)"
CITE = "Cite the URLs you use as Markdown links."


def render_search_output(value: WebSearchResult) -> str:
    """The answer, the sources one a line, a note if the list was cut, and how to cite; parts joined by a blank line."""
    answer = given(value.content)
    parts = [closed_markdown(without_surrogates(answer))] if answer else []
    if value.sources:
        parts.append("\n".join(["Sources:", *map(_source_line, value.sources)]))
    if not parts:
        parts.append(NO_RESULTS)
    if value.truncated:
        count = len(value.sources)
        parts.append(f"Only {count} {'source is' if count == 1 else 'sources are'} shown; more were found.")
    if value.sources:
        parts.append(CITE)
    return "\n\n".join(parts)


def source_label(source: WebSource) -> str:
    """What a source is called: its title, else its hostname, else its URL."""
    title = given(source.title)
    if title and not shows_nothing(title):
        return title
    return link_hostname(source.url) or source.url


def _source_line(source: WebSource) -> str:
    label = inline_text(source_label(source))
    url = without_surrogates(source.url)
    if safe_link(url):
        line = f"- [{label}]({link_destination(url)})"
    else:
        # What is not http(s) is no link for the model either: it stays text.
        text = inline_text(url)
        line = f"- {label}" if label == text else f"- {label} {text}"
        if shows_nothing(line[2:]):
            line = f"- {NAMELESS}"
    snippet, date = given(source.snippet), given(source.published_at)
    tail = " ".join([*([inline_text(snippet)] if snippet else []), *([f"({inline_text(date)})"] if date else [])])
    return f"{line} — {tail}" if tail else line


def render_fetch_output(value: WebFetchResult, max_chars: int, start: int = 0) -> tuple[str, bool]:
    """The page as the model reads it, and whether anything of it is missing.

    The whole text, header and footer included, is at most `max_chars` characters (code points) long. `start` is an
    offset into the body, in characters, as an earlier footer named it: reading goes on from there. A text that
    leaves out only what comes before `start` is not truncated.
    """
    part = fetch_part(value, max_chars, start)
    return part.text, part.truncated


class FetchPart(Struct, frozen=True, rename="camel"):
    """The part of a page that the model reads: the body's characters from `start` to `end`, of `total`.

    `lead` is the length of what stands before them and is not the body's: the first line of a code fence, opened again.
    """

    text: str
    truncated: bool
    start: int
    end: int
    total: int
    lead: int = 0


def fetch_part(value: WebFetchResult, max_chars: int, start: int = 0) -> FetchPart:
    """What `render_fetch_output` gives, and which part of the body it is."""
    body = body_markdown(value.body)
    header = f"Fetched {one_line(value.url)} (HTTP {value.status_code})\n\n"
    total = len(body)
    start = max(0, start)
    if start and start >= total:
        # An empty answer would leave a reader guessing.
        words = f"Nothing is left from character {start} on: the page ends at character {total}."
        whole = header + words + (_NEVER_READ if value.truncated else "")
        text = cut_markdown(whole, max(0, max_chars))[0]
        return FetchPart(text, value.truncated or text != whole, total, total, total)
    # What is read on from inside a code block begins with the block's own fence again.
    lead = reopening(body[:start]) if start else ""
    rest = lead + body[start:]
    if len(header) + len(rest) <= max_chars and not value.truncated:
        return FetchPart(header + rest, False, start, total, total, len(lead))
    if value.truncated:
        closed = header + rest + open_fence(rest) + _NEVER_READ
        if len(closed) <= max_chars:
            return FetchPart(closed, True, start, total, total, len(lead))
    shown_total = f"{'more than ' if value.truncated else ''}{total}"
    # The footer's own length depends on the offset that it names; room is kept for the longest it can get.
    room = max_chars - len(header) - len(_footer(start, total, shown_total, total))
    kept, closing = cut_markdown(rest, room)
    end = start + len(kept) - len(lead)
    if end > start:
        text = header + kept + closing + _footer(start, end, shown_total, end)
        return FetchPart(text, True, start, end, total, len(lead))
    # What stands here is longer than the room and may not be split; reading on has to get past it all the same.
    passed = first_unit(body[start:])
    footer = _footer(start, start, shown_total, start + passed, passed).lstrip()
    if len(header) + len(footer) <= max_chars:
        return FetchPart(header + footer, True, start, start, total)
    return FetchPart(cut_markdown(header.rstrip(), max(0, max_chars))[0], True, start, start, total)


_NEVER_READ = "\n\n[The page was too large and was cut: what follows was never read.]"


def _footer(start: int, end: int, total: str, following: int, passed: int = 0) -> str:
    left_out = f" A piece of {passed} characters that cannot be split does not fit and is left out." if passed else ""
    return (
        f"\n\n[Cut: characters {start} to {end} of {total}.{left_out} To read on, fetch again with start={following}.]"
    )


def body_markdown(body: WebFetchBody) -> str:
    """The body as Markdown; a conversion that is needed runs once, however often it is asked for."""
    if body.markdown is not None:
        return without_surrogates(body.markdown)
    return without_surrogates(body.content) if body.kind == "text" else _converted(body.content)


@lru_cache(maxsize=4)
def _converted(page: str) -> str:
    from html_to_markdown import convert

    try:
        result = convert(without_surrogates(page))
    except Exception:  # a page must come through even if the converter gives up on it: then as bare text
        return html.unescape(re.sub(r"<[^>]*>", " ", page))
    return str(getattr(result, "content", result)).strip()
