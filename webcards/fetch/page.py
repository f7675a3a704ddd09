"""One fetched body read into a Page: the main content as Markdown and as plain text, with what the page says of itself.

Pure and synchronous; it is given bytes and a URL and never touches the network. Running it where it can be stopped is
worker.py's part.
"""

from __future__ import annotations

import re
from typing import Literal, assert_never

import msgspec

from webcards.fetch.charset import decode
from webcards.fetch.sniff import Sniffed, sniff


class Page(msgspec.Struct, frozen=True):
    """What a body says, ready for a model and a card. `silent`: it says nothing, and the text is how it describes itself."""

    kind: Literal["html", "text"]
    markdown: str
    text: str
    content_type: str
    title: str | None = None
    byline: str | None = None
    published: str | None = None
    site: str | None = None
    lang: str | None = None
    charset: str | None = None
    note: str | None = None
    cut: bool = False
    silent: bool = False
    redirect: str | None = None
    alternate: str | None = None


_UNENCODABLE = re.compile("[\ud800-\udfff]")
_FENCES = re.compile(r"`{3,}")


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    source_truncated: bool = False,
    raw: bool = False,
) -> Page:
    """Read one body. `url` is the final URL (links are resolved against it), `content_type` the header as sent.

    `raw` gives the source as it is, unextracted. Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for a body that is no text.
    """
    sniffed = sniff(body, content_type, url)
    if sniffed.form == "pdf":
        return _pdf(body, url, sniffed, source_truncated)
    text, charset = decode(body, content_type)
    page = _source(text, sniffed) if raw else _read(text, url, sniffed, source_truncated)
    return msgspec.structs.replace(page, charset=charset, cut=page.cut or source_truncated)


def _read(text: str, url: str, sniffed: Sniffed, source_truncated: bool) -> Page:
    match sniffed.form:
        case "html":
            from webcards.fetch.html_page import read_html

            return read_html(text, url, sniffed.media_type, source_truncated)
        case "json":
            return _json(text, url, sniffed)
        case "xml":
            return _xml(text, url, sniffed, source_truncated)
        case "csv" | "tsv":
            from webcards.fetch.csv_table import csv_table

            table, cut = csv_table(text, tabs=sniffed.form == "tsv")
            return Page(
                kind="text", markdown=table, text=text, content_type=sniffed.media_type, cut=cut, note=_empty(text)
            )
        case "markdown" | "plain" | "pdf":
            said = text.replace("\0", "")
            return Page(kind="text", markdown=said, text=said, content_type=sniffed.media_type, note=_empty(said))
        case _:
            assert_never(sniffed.form)


def _json(text: str, url: str, sniffed: Sniffed) -> Page:
    from webcards.fetch.feeds import read_json_feed
    from webcards.fetch.json_text import pretty_json

    feed = read_json_feed(text, url)
    if feed is not None:
        return Page(
            kind="text",
            markdown=feed.markdown,
            text=feed.text,
            content_type=sniffed.media_type,
            title=feed.title,
            cut=feed.cut,
        )
    pretty = pretty_json(text.replace("\0", ""))
    return Page(
        kind="text", markdown=_fenced(pretty, "json"), text=pretty, content_type=sniffed.media_type, note=_empty(pretty)
    )


def _xml(text: str, url: str, sniffed: Sniffed, source_truncated: bool) -> Page:
    from webcards.fetch.feeds import read_xml_feed

    if re.match(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html[^>]*>\s*)?<html\b", text[:2_048], re.IGNORECASE):
        from webcards.fetch.html_page import read_html

        return read_html(text, url, sniffed.media_type, source_truncated)
    feed = read_xml_feed(text, url)
    if feed is not None:
        note = None if feed.markdown else "The feed has no entries."
        return Page(
            kind="text",
            markdown=feed.markdown,
            text=feed.text,
            content_type=sniffed.media_type,
            title=feed.title,
            cut=feed.cut,
            note=note,
        )
    said = text.replace("\0", "").strip()
    return Page(
        kind="text", markdown=_fenced(said, "xml"), text=said, content_type=sniffed.media_type, note=_empty(said)
    )


def _pdf(body: bytes, url: str, sniffed: Sniffed, source_truncated: bool) -> Page:
    from webcards.fetch.pdf import read_pdf

    read = read_pdf(body, url)
    return Page(
        kind="text",
        markdown=_UNENCODABLE.sub("\ufffd", read.markdown),
        text=_UNENCODABLE.sub("\ufffd", read.text),
        content_type=sniffed.media_type,
        title=read.title,
        byline=read.author,
        published=read.created,
        note=read.note,
        cut=read.cut or source_truncated,
    )


def _source(text: str, sniffed: Sniffed) -> Page:
    """The page as it was sent; markup in a fence, so that it is shown and not read as Markdown."""
    said = text.replace("\0", "")
    language = {"html": "html", "xml": "xml", "json": "json"}.get(sniffed.form)
    return Page(
        kind="text",
        markdown=_fenced(said, language) if language else said,
        text=said,
        content_type=sniffed.media_type,
        note=_empty(said),
    )


def _fenced(text: str, language: str) -> str:
    if not text.strip():
        return ""
    longest = max((len(run) for run in _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _empty(text: str) -> str | None:
    return None if text.strip() else "The page is empty."
