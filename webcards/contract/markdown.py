"""Text as Markdown, for the model: untrusted words and URLs so written that a Markdown reader gives them back unchanged."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

_SPACE = re.compile(r"\s+")
# ASCII punctuation that CommonMark reads inside a line; a backslash before it makes it a letter (CommonMark 2.4).
_ALWAYS = re.compile(r"([`*\[\]<~]|\\(?=[!-/:-@\[-`{-~]|$))")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def shows_nothing(text: str) -> bool:
    """Whether nobody can see anything of the text: it is empty, or white space and characters that are drawn as nothing."""
    return _unseen().fullmatch(text) is not None


@lru_cache(maxsize=1)
def _unseen() -> "regex.Pattern[str]":
    # Zero-width and other format characters, fillers that are letters by their category, the blank Braille pattern.
    import regex

    return regex.compile(r"[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]*")


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate (half of a cut emoji in an old log) replaced by U+FFFD, so that it can be encoded."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The text on one line: control characters and line breaks become spaces, runs of white space one."""
    return _SPACE.sub(" ", _CONTROL.sub(" ", without_surrogates(text))).strip()


def inline_text(text: str) -> str:
    """One line of Markdown that reads as exactly the text, flattened to one line."""
    escaped = _ALWAYS.sub(r"\\\1", one_line(text))
    return _ENTITY.sub(r"\\&", _EDGE_UNDERSCORE.sub(r"\\_", escaped))


def link_destination(url: str) -> str:
    """The URL, which has no line break in it, as a link destination (CommonMark 6.3): bare if it can be, else in <>."""
    if not re.search(r"[\s<>\\]|&#?\w+;", url) and _balanced(url):
        return url
    return "<" + _ENTITY.sub(r"\\&", re.sub(r"([<>\\])", r"\\\1", url)) + ">"


def _balanced(url: str) -> bool:
    """Parentheses that match and nest no deeper than the 32 levels that readers must follow."""
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0 or depth > 32:
            return False
    return depth == 0
