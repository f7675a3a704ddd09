"""What the tests of the page reader share: pages around a piece of HTML, and readings of them."""

from __future__ import annotations

from webcards.fetch.page import Page, read_page

URL = "http://docs.example/guide/intro"
PROSE = (
    "<p>The harbour office keeps a ledger of every boat that ties up before noon, and the clerk reads it aloud at the end of"
    " the week. Nobody in the village remembers who planted the row of pear trees, yet each family claims a different one.</p>"
    "<p>When the ferry is late, the baker lends out folding chairs, and the queue turns into a small and cheerful meeting."
    " Rain in April fills the stone cisterns, which is why the gardens stay green until the first week of August.</p>"
)


def article(inside: str, *, head: str = "<title>Harbour notes</title>", around: str = "{}") -> str:
    """A page whose article holds two paragraphs and then `inside`; `around` is the body, `{}` its article."""
    body = around.format(f"<main><article><h1>Harbour notes</h1>{PROSE}{inside}</article></main>")
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def read(source: str | bytes, *, content_type: str = "text/html; charset=utf-8", url: str = URL) -> Page:
    """The page that a source is read into."""
    body = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    return read_page(body, url=url, content_type=content_type)


def markdown_of(inside: str) -> str:
    """The Markdown of a piece of HTML inside an article, without the heading and the paragraphs before it."""
    return read(article(inside)).markdown.split("first week of August.", 1)[1].strip()
