"""One fetched body read into a Page: the main content as Markdown and as plain text, with what the page says of itself.

Pure and synchronous; it is given bytes and a URL and never touches the network. Running it where it can be stopped is
worker.py's part.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from html_to_markdown import convert
from lxml import html as lxml_html
from readability import Document

from webcards.fetch.charset import decode
from webcards.fetch.sniff import sniff


class Page(msgspec.Struct, frozen=True):
    """What a body says, ready for a model and a card."""

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
    redirect: str | None = None
    alternate: str | None = None


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    source_truncated: bool = False,
    raw: bool = False,
) -> Page:
    """Read one body. `url` is the final URL (links are resolved against it), `content_type` the header as sent.

    Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for a body that is no text.
    """
    sniffed = sniff(body, content_type, url)
    text, charset = decode(body, content_type)
    text = text.replace("\0", "\ufffd")
    if sniffed.form != "html" or raw:
        return Page(
            kind="text",
            markdown=text,
            text=text,
            content_type=sniffed.media_type,
            charset=charset,
            cut=source_truncated,
        )
    if not text.strip():
        return Page(
            kind="html",
            markdown="",
            text="",
            content_type=sniffed.media_type,
            charset=charset,
            note="The page is empty.",
            cut=source_truncated,
        )
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    title = root.findtext(".//title")
    root.make_links_absolute(url, resolve_base_href=True, handle_failures="ignore")
    summary = Document(root).summary()
    content = lxml_html.document_fromstring(summary).text_content()
    return Page(
        kind="html",
        markdown=convert(summary).content or "",
        text=content.strip(),
        content_type=sniffed.media_type,
        title=" ".join(title.split()) if title else None,
        lang=root.get("lang"),
        charset=charset,
        cut=source_truncated,
    )
