"""A page cut into passages: the pieces that are ranked and quoted, each with the heading it stands under."""

from collections.abc import Iterator

import msgspec

PASSAGE_BYTES = 1500
"""About 250 English words, or 500 Chinese characters."""
MOST_PASSAGES = 4000
"""A longer page has longer passages; index_writer.py numbers them in 12 bits."""


class Passage(msgspec.Struct, frozen=True):
    """A piece of a page; `heading` is the section's, empty before the first."""

    heading: str
    text: str


def split(text: str, headings: str) -> list[Passage]:
    """Cut a page's text at its headings (those given, one a line) and at line ends, into passages of like size.

    They are of like size so that counts in them can be compared without regard to length. A page without any text has
    one empty passage: its title can still be found.
    """
    size = max(PASSAGE_BYTES, len(text.encode()) // (MOST_PASSAGES // 2))
    known = {heading for line in headings.splitlines() if (heading := line.strip())}
    passages: list[Passage] = []
    heading, lines, filled = "", list[str](), 0

    def close() -> None:
        if lines and (len(passages) < MOST_PASSAGES):
            passages.append(Passage(heading, "\n".join(lines)))
        lines.clear()

    for line in _short_lines(text, size):
        bulk = len(line) if line.isascii() else len(line.encode())
        if line in known:
            close()
            heading, filled = line, 0
        elif filled + bulk > size and filled > size // 3:
            close()
            filled = 0
        lines.append(line)
        filled += bulk
    close()
    return passages or [Passage("", "")]


def _short_lines(text: str, size: int) -> Iterator[str]:
    """The lines that hold anything, those longer than a passage cut at a space, or anywhere if it has none."""
    for raw in text.splitlines():
        line = raw.strip()
        while len(line.encode()) > size:
            reach = size if line.isascii() else size // 3
            space = line.rfind(" ", reach // 2, reach)
            end = space if space > 0 else reach
            yield line[:end]
            line = line[end:].lstrip()
        if line:
            yield line
