"""Text as the index and a query both see it: one folding and one cutting, so that what is written can be found.

Scripts that put no spaces between words are cut into overlapping pairs of characters, which need no dictionary and
miss no word; everything else is left to SQLite's own tokeniser (index_writer.py).
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import regex

# One unit of a pair: a character of Chinese, Japanese or Korean (whose particles hang on the word without a space), or
# a letter of Thai, Lao, Burmese or Khmer with the marks that sit on it.
_CJK = r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}ー]&&[\p{L}\p{Nl}]]"
_UNIT = rf"{_CJK}|[[\p{{Thai}}\p{{Lao}}\p{{Myanmar}}\p{{Khmer}}]&&\p{{L}}]\p{{M}}*+"
_units = regex.compile(f"(?V1){_UNIT}")
_run = regex.compile(f"(?V1)(?:{_UNIT})++")
_all_cjk = regex.compile(f"(?V1){_CJK}++")
_word = regex.compile(r"[\p{L}\p{N}\p{M}]++")  # marks belong to words: vowels of the scripts of India are marks

# Marks that a person may leave out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels and tatweel of Arabic;
# and characters that only say where a line may break or letters may join.
_FREE_MARKS = regex.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u00ad\u200c\u200d\u2060\ufeff]"
)
_UNSTORABLE = re.compile("[\ud800-\udfff\\x00-\\x08\\x0e-\\x1f\\x7f]")


def storable(text: str) -> str:
    """The text without lone surrogates, which SQLite refuses, and without control characters, which nobody can read."""
    return text if _UNSTORABLE.search(text) is None else _UNSTORABLE.sub("\ufffd", text)


def fold(text: str) -> str:
    """The text with case, width, compatibility forms and accents folded (Unicode NFKC, full case folding)."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", storable(text).casefold())
    return unicodedata.normalize("NFC", _FREE_MARKS.sub("", decomposed))


def segment(text: str) -> str:
    """Folded text for the index, in which each run of a script without spaces has become its pairs."""
    folded = fold(text)
    if folded.isascii():
        return folded
    return str(_run.sub(lambda run: f" {' '.join(pairs(run.group()))} ", folded))


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run and its last unit alone: `東京都` gives `東京`, `京都`, `都`.

    With the last unit every single character of the run begins a token, so that a prefix finds it.
    """
    units = list(run) if _all_cjk.fullmatch(run) else _units.findall(run)
    return [*(one + other for one, other in pairwise(units)), units[-1]]


def cut(text: str) -> list[str]:
    """The folded words and runs of a text, in order."""
    folded = fold(text)
    return [folded[start:end] for start, end, _ in tokens(folded)]


def tokens(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where the words and runs of a text begin and end, in order, and whether each is a run."""
    for match in _word.finditer(text):
        start, end = match.span()
        if not match.group().isascii():
            for run in _run.finditer(text, start, end):
                if run.start() > start:
                    yield start, run.start(), False
                yield *run.span(), True
                start = run.end()
        if start < end:
            yield start, end, False


def is_run(token: str) -> bool:
    """Whether a folded token is a run of a script without spaces."""
    return _run.fullmatch(token) is not None
