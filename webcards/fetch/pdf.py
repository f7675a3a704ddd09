"""The text of a PDF, page by page, each under a mark that says which page it was."""

from __future__ import annotations

import io
import logging
import re
import time
from typing import NamedTuple

from webcards.contract.errors import WebError
from webcards.fetch.markdown_inline import escape, guard_line_starts, visible_lines

MAX_PAGES = 500
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
# Reading stops here, so that what was read is given before the reader is stopped from outside.
READING_SECONDS = 4.0


class PdfText(NamedTuple):
    """What a PDF says, its title and author where it names them, and whether pages were left out."""

    markdown: str
    text: str
    title: str | None
    author: str | None
    created: str | None
    cut: bool
    note: str | None


def read_pdf(body: bytes, url: str) -> PdfText:
    """Read a PDF. Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for one that is broken or locked."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    began = time.monotonic()
    try:
        reader = PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise WebError("WEB_UNSUPPORTED_CONTENT_TYPE", f"{url} is a PDF that opens only with a password.")
        count = len(reader.pages)
    except WebError:
        raise
    except (
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        RecursionError,
        OSError,
        NotImplementedError,
    ) as error:
        raise WebError(
            "WEB_UNSUPPORTED_CONTENT_TYPE",
            f"{url} is a PDF that cannot be read ({type(error).__name__}): it is damaged or cut off.",
        ) from None
    pages: list[str] = []
    for number in range(min(count, MAX_PAGES)):
        if time.monotonic() - began > READING_SECONDS:
            break
        pages.append(_page_text(reader, number))
    said = [text for text in pages if text]
    title, author, created = _facts(reader)
    note = (
        None
        if said
        else f"This PDF has {count} {'page' if count == 1 else 'pages'} and no text in them: they are pictures, perhaps a scan."
    )
    return PdfText(
        markdown="\n\n".join(
            f"## Page {number} of {count}\n\n{_as_lines(text)}" for number, text in enumerate(pages, 1) if text
        ),
        text="\n\n".join(said),
        title=title,
        author=author,
        created=created,
        cut=len(pages) < count,
        note=note,
    )


def _page_text(reader: object, number: int) -> str:
    try:
        text = reader.pages[number].extract_text()  # type: ignore[attr-defined]
    except Exception:  # one page that pypdf cannot read must not cost the others
        return ""
    lines = [line.rstrip() for line in visible_lines(text).split("\n")]
    return "\n".join(lines).strip()


def _as_lines(text: str) -> str:
    """A page as Markdown whose lines stay lines: what a table is in a PDF is only its lines."""
    paragraphs = _BLANK_LINES.split(text)
    return "\n\n".join(
        "  \n".join(guard_line_starts(escape(line.strip())) for line in part.split("\n")) for part in paragraphs
    )


def _facts(reader: object) -> tuple[str | None, str | None, str | None]:
    try:
        facts = reader.metadata  # type: ignore[attr-defined]
        if facts is None:
            return None, None, None
        created = facts.creation_date
        return _line(facts.title), _line(facts.author), created.isoformat() if created is not None else None
    except Exception:  # the facts are an extra; a PDF with broken ones is read all the same
        return None, None, None


def _line(value: object) -> str | None:
    return " ".join(visible_lines(value).split())[:500] or None if isinstance(value, str) else None
