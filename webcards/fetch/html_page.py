"""An HTML page read into a Page: what it says of itself, its main content, and a word on pages that are not what they seem."""

from __future__ import annotations

from webcards.fetch.extract import find_content
from webcards.fetch.extract_tree import parse, prepare
from webcards.fetch.markdown import Writer
from webcards.fetch.metadata import read_metadata
from webcards.fetch.notice import notice, script_facts
from webcards.fetch.page import Page


def read_html(text: str, url: str, media_type: str, source_truncated: bool) -> Page:
    """Read a page's text. Never raises: what cannot be parsed comes out as the text between its tags."""
    if not text.strip():
        return Page(kind="html", markdown="", text="", content_type=media_type, note="The page is empty.")
    root = parse(text)
    metadata = read_metadata(root, url)
    facts = script_facts(root)
    prepare(root)
    content = find_content(root, title=metadata.title, thread=metadata.is_thread)
    written = Writer(metadata.base).write(content.element)
    told = notice(written.text, metadata.title, facts)
    heading = content.heading or metadata.title
    markdown = written.markdown
    if heading and markdown:
        markdown = f"# {heading}\n\n{markdown}"
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
        note=told,
        cut=source_truncated,
        redirect=metadata.redirect,
        alternate=metadata.alternate,
    )
