"""Text as the index and the query both see it: one folding, one cutting, so that what is written can be found.

Scripts that put no spaces between words (Chinese, Japanese, Korean with its particles, Thai, Lao, Khmer, Burmese)
are cut into overlapping pairs of characters; everything else is left to SQLite's own tokeniser (index.py).
"""

import re
import unicodedata

# A character of a script without spaces, with the marks that sit on it: one unit of a pair.
_CJK = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    + (r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff")
)
_BRAHMIC = (  # Thai, Lao, Burmese, Khmer: a letter and the marks that follow it
    r"[\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*"
    r"|[\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd\u0ec0-\u0ec6\u0edc-\u0edf][\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]*"
    r"|[\u1000-\u102a\u103f][\u102b-\u103e]*"
    r"|[\u1780-\u17b3\u17d7\u17dc](?:[\u17b4-\u17d1\u17d3\u17dd]|\u17d2[\u1780-\u17b3])*"
)
_UNIT = re.compile(f"[{_CJK}]|{_BRAHMIC}")
_RUN = re.compile(f"(?:[{_CJK}]|{_BRAHMIC})+")
_HAS_RUN = re.compile(
    r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)

# Marks that readers leave out when they type: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels and tatweel.
_FREE_MARKS = re.compile(
    r"[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200c\u200d\u2060\ufeff]"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text without lone surrogates and NUL characters, neither of which SQLite can hold as text."""
    if text.isascii():
        return text.replace("\0", " ")
    return _SURROGATE.sub("\ufffd", text).replace("\0", " ")


def fold(text: str) -> str:
    """The text with case, width, compatibility forms and accents folded (Unicode NFKC and full case folding)."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", storable(text).casefold())
    return unicodedata.normalize("NFC", _FREE_MARKS.sub("", decomposed))


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run's units, and its last unit alone: `東京都` → `東京`, `京都`, `都`."""
    units = _UNIT.findall(run)
    return [a + b for a, b in zip(units, units[1:], strict=False)] + units[-1:]


def segment(text: str) -> str:
    """Folded text for the index, in which each run of a script without spaces has become its pairs."""
    folded = fold(text)
    if _HAS_RUN.search(folded) is None:
        return folded
    return _RUN.sub(lambda run: f" {' '.join(pairs(run.group()))} ", folded)


# Letters and digits, and the signs that belong to them: vowels of the scripts of India stand outside `\w`.
_TOKEN = re.compile(
    f"{_RUN.pattern}|(?:(?![{_CJK}]|{_BRAHMIC})(?:[^\\W_]|[\u0900-\u0963\u0966-\u0dff\u0f71-\u0f84\u0f90-\u0fbc]))+"
)


def cut(text: str) -> list[str]:
    """The folded words and runs of a text, in order."""
    return _TOKEN.findall(fold(text))


def is_run(token: str) -> bool:
    """Whether the folded token is a run of a script without spaces."""
    return _RUN.fullmatch(token) is not None
