"""What the index takes of a page that was read: its title, its headings, and its text without any markup."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from webcards.library.index import Document

if TYPE_CHECKING:
    from markdown_it.token import Token


class ReadPage(Protocol):
    """What a reader gives; `webcards.fetch.page.Page` has it all."""

    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def published(self) -> str | None: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def note(self) -> str | None: ...


class Reader(Protocol):
    """`webcards.fetch.page.read_page`, or what does as it does."""

    def __call__(self, body: bytes, *, url: str, content_type: str | None = None) -> ReadPage: ...


_HEADING = re.compile(r"#{1,6}\s+(?P<said>.*?)[\s#]*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\([^()]*\)")
_MARKS = re.compile(r"\\([!-/:-@\[-`{-~])|[*`]+|(?<!\w)_+|_+(?!\w)")
_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FRONT_TITLE = re.compile(r"""^title:[ \t]*(["']?)(.*?)\1[ \t]*$""", re.MULTILINE)


def document_of(page: ReadPage, *, url: str, name: str, is_markdown: bool) -> Document:
    """The document to index. `is_markdown`: the page was written in Markdown, so that its text has its marks still.

    Without a title of its own a page has that of its first heading, else `name`.
    """
    if is_markdown:
        title, headings, text = _plain(page.markdown)
    else:
        title, headings, text = None, _headings(page.markdown), page.text
    return Document(
        url=url,
        title=page.title or title or next(iter(headings), "") or name,
        text=text,
        published=page.published,
        lang=page.lang,
        headings="\n".join(headings),
    )


def _headings(markdown: str) -> list[str]:
    """The headings of Markdown that a reader wrote, as plain text."""
    found: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (heading := _HEADING.fullmatch(line)) is not None:
            said = _MARKS.sub(r"\1", _LINK.sub(r"\1", heading["said"]))
            found.append(" ".join(said.split()))
    return [heading for heading in found if heading]


def _plain(markdown: str) -> tuple[str | None, list[str], str]:
    """Title of the front matter, headings, and text of a Markdown file (CommonMark, with tables)."""
    from markdown_it import MarkdownIt

    front = _FRONT_MATTER.match(markdown)
    named = _FRONT_TITLE.search(front[1]) if front is not None else None
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown[front.end() :] if front is not None else markdown)
    headings: list[str] = []
    lines: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        said = "".join(_said(token)).strip()
        if said:
            lines.append(said)
        if said and before is not None and before.type == "heading_open":
            headings.append(" ".join(said.split()))
    return named[2] if named is not None else None, headings, "\n".join(lines)


def _said(token: "Token") -> Iterator[str]:
    """The words of one token; those of raw HTML and of a link's address are none."""
    if token.type in ("fence", "code_block"):
        yield token.content
    for child in token.children or ():
        match child.type:
            case "text" | "code_inline" | "image":
                yield child.content
            case "softbreak" | "hardbreak":
                yield "\n"
            case _:
                pass
