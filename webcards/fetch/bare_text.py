"""The bare text of a page that could not be laid out in time: its tags cut away, in one pass that nothing can slow down."""

from __future__ import annotations

import html
import re

import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.charset import decode
from webcards.fetch.markdown_inline import escape, guard_line_starts, visible_lines
from webcards.fetch.page import Page
from webcards.fetch.sniff import sniff

MAX_BYTES = 12 * 1024 * 1024
_SILENT = re.compile(r"<!--|<(script|style|template|svg|noscript|title)\b", re.IGNORECASE)
# No tag reaches over the next "<", so that a page of those alone is read in one pass too.
_IN_LINE_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")
BARE_NOTE = "This page was too much to lay out in the time there was; what follows is its bare text."


def read_bare(body: bytes, *, url: str, content_type: str | None = None, source_truncated: bool = False) -> Page:
    """Read a body without building a tree. Raises WebError for what is no text, and for a PDF (it has no text to cut out)."""
    sniffed = sniff(body, content_type, url)
    if sniffed.form == "pdf":
        raise WebError("WEB_FETCH_TIMEOUT", f"{url} is a PDF that takes too long to read.")
    text, charset = decode(body[:MAX_BYTES], content_type)
    cut = source_truncated or len(body) > MAX_BYTES
    if sniffed.form != "html":
        said = text.replace("\0", "")
        return Page(
            kind="text",
            markdown=said,
            text=said,
            content_type=sniffed.media_type,
            charset=charset,
            note=BARE_NOTE,
            cut=cut,
        )
    return msgspec.structs.replace(bare_page(text, sniffed.media_type, cut), charset=charset)


def bare_page(source: str, media_type: str, cut: bool) -> Page:
    """The page that an HTML source is without its tags."""
    title, said = strip_tags(source)
    return Page(
        kind="html",
        markdown=guard_line_starts(escape(said)),
        text=said,
        content_type=media_type,
        title=title,
        note=BARE_NOTE,
        cut=cut,
    )


def strip_tags(source: str) -> tuple[str | None, str]:
    """The title of an HTML source, and the text between its tags, a line for each block."""
    spoken, title = _without_silent(source)
    text = _BLOCK_TAG.sub("\n", _IN_LINE_TAG.sub("", spoken))
    text = visible_lines(html.unescape(text))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return title, "\n".join(line for line in lines if line)


def _without_silent(source: str) -> tuple[str, str | None]:
    """The source without comments, scripts and the like, and the title that it had."""
    parts: list[str] = []
    title: str | None = None
    position = 0
    for opening in _SILENT.finditer(source):
        if opening.start() < position:
            continue
        parts.append(source[position : opening.start()])
        name = opening[1]
        if name is None:
            closing = source.find("-->", opening.end())
            position = len(source) if closing < 0 else closing + 3
            continue
        start = source.find(">", opening.end()) + 1
        end = _end_of(source, name.lower(), start) if start else len(source)
        if name.lower() == "title" and title is None:
            title = " ".join(html.unescape(source[start:end]).split())[:500] or None
        position = end
    parts.append(source[position:])
    return "".join(parts), title


def _end_of(source: str, name: str, start: int) -> int:
    """Where the end tag of an element without markup begins; without one, the rest of the page is inside."""
    position = start
    while True:
        closing = source.find("</", position)
        if closing < 0:
            return len(source)
        if source[closing + 2 : closing + 2 + len(name)].lower() == name:
            return closing
        position = closing + 2
