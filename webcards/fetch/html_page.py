"""An HTML page read into a Page: what it says of itself, its main content, and a word on pages that are not what they seem."""

from __future__ import annotations

import gc
import html
import re
from collections.abc import Iterator
from contextlib import contextmanager

from lxml.html import HtmlElement

from webcards.fetch.extract import find_content
from webcards.fetch.extract_furniture import strip_site
from webcards.fetch.extract_tree import parse, prepare
from webcards.fetch.markdown import Writer, Written
from webcards.fetch.markdown_inline import escape, guard_line_starts, visible_lines
from webcards.fetch.metadata import read_metadata
from webcards.fetch.notice import notice, script_facts
from webcards.fetch.page import Page

# Text in XHTML that HTML takes for a comment.
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
# A text that the page declares as its article's body counts when it is this long and at least twice what was found.
_A_BODY = 400


def read_html(text: str, url: str, media_type: str, source_truncated: bool) -> Page:
    """Read a page's source. Never raises: what cannot be parsed comes out as the text between its tags."""
    if media_type != "text/html" and "<![CDATA[" in text:
        text = _CDATA.sub(lambda section: html.escape(section[1]), text)
    if not text.strip("\0 \t\r\n\f"):
        return Page(kind="html", markdown="", text="", content_type=media_type, note="The page is empty.")
    try:
        with _collector_paused():
            return _read(text, url, media_type, source_truncated)
    except MemoryError:
        raise
    except Exception:  # a page that no one foresaw still has words; benchmarks/fuzz_page.py looks for such pages
        from webcards.fetch.bare_text import bare_page

        return bare_page(text, media_type, source_truncated)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes many small objects and no cycles: looking for cycles meanwhile takes a tenth of the time and finds none."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _read(text: str, url: str, media_type: str, source_truncated: bool) -> Page:
    root = parse(text)
    metadata = read_metadata(root, url)
    facts = script_facts(root, len(text))

    def again() -> HtmlElement:
        page = parse(text)
        prepare(page, text)
        return page

    strip_site(root)
    prepare(root, text)
    content = find_content(root, again, metadata)
    written = Writer(metadata.base).write(content.element)
    said = written.text
    if metadata.body and (not said.strip() or len(metadata.body) >= max(_A_BODY, 2 * len(said))):
        written = _declared(metadata.body, metadata.base)
        said = written.text
    note = notice(said, metadata.title, facts)
    silent = not said.strip()
    if silent and metadata.description:
        written = _declared(metadata.description, metadata.base)
        note = f"{note} How it describes itself follows."
    heading = content.heading or metadata.title
    markdown = written.markdown
    if heading and markdown and not markdown.startswith("# "):
        markdown = f"# {escape(heading)}\n\n{markdown}"
    return Page(
        kind="html",
        markdown=markdown,
        text=written.text,
        content_type=media_type,
        title=metadata.title,
        byline=metadata.byline,
        published=metadata.published,
        site=metadata.site,
        lang=metadata.lang,
        note=note,
        silent=silent,
        cut=source_truncated,
        redirect=metadata.redirect,
        alternate=metadata.alternate,
    )


def _declared(body: str, base: str) -> Written:
    """The text that a page declares in its structured data, for when its script would have to put it on the page."""
    text = html.unescape(body)
    if "</" in text or "<br" in text:
        root = parse(f"<body>{text}</body>")
        prepare(root, text)
        return Writer(base).write(root)
    lines = [line for line in (" ".join(line.split()) for line in visible_lines(text).split("\n")) if line]
    return Written("\n\n".join(guard_line_starts(escape(line)) for line in lines), "\n".join(lines))
