"""A few words of a page around what was asked for, as plain text: cut at word boundaries, marked by nobody."""

import re

_SPACE = re.compile(r"\s+")


def snippet(text: str, at: int, *, length: int = 240) -> str:
    """About `length` characters of the text around position `at`, with an ellipsis where it was cut."""
    start = max(0, at - length // 3)
    end = min(len(text), start + length)
    if start > 0:
        space = text.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", at, end)
        end = space if space > at else end
    words = _SPACE.sub(" ", text[start:end]).strip()
    return ("… " if start > 0 else "") + words + (" …" if end < len(text) else "")
