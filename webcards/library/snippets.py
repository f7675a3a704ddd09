"""A few words of a page around what was asked for: plain text, cut between words and never inside a grapheme.

Nothing is marked in it; the card marks.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec
import regex

from webcards.contract.cut import grapheme_boundary
from webcards.library.query import Query
from webcards.library.segment import fold, is_run, tokens
from webcards.library.stems import Stemmer

LENGTH = 240
"""Characters of a snippet, about three lines of a card."""
_LEAD = 60
"""Characters before the first word found: enough to read what it is about."""
_REACH = 40
"""How far a cut moves for the sake of a whole word."""
_SENTENCE_ENDS = ".!?。！？…"
_MOST = 12
"""Words found that a stretch is judged by."""
_foreign = regex.compile(r"(?V1)[[\p{L}\p{N}\p{M}]--[\x00-\x7f]]")


class Wanted(msgspec.Struct, frozen=True):
    """What a query's words look like in a text."""

    stems: frozenset[str]
    beginnings: tuple[str, ...]
    pieces: tuple[str, ...]
    """Pairs of characters of scripts without spaces."""
    candidate: re.Pattern[str]
    """The words of a lower-case ASCII text that may be wanted: stems change words at their ends only."""


class _Place(msgspec.Struct, frozen=True):
    start: int
    end: int
    what: str


def wanted(asked: Query, stemmer: Stemmer) -> Wanted:
    """What to look for in a text that answers this query."""
    stems: list[str] = []
    beginnings: list[str] = []
    pieces: list[str] = []
    for term in asked.terms:
        for place, token in enumerate(term.tokens, 1):
            if is_run(token):
                pieces.append(token)
            elif term.prefix and place == len(term.tokens):
                beginnings.append(token)
            else:
                stems.append(token)
    found = frozenset(stemmer.stems(stems).values())
    heads = "|".join(sorted({re.escape(head) for head in (*(stem[:2] for stem in found), *beginnings)}))
    candidate = re.compile(rf"(?<![a-z0-9])(?:{heads})[a-z0-9]*" if heads else r"(?!)")
    return Wanted(found, tuple(beginnings), tuple(pieces), candidate)


def snippet(text: str, what: Wanted, stemmer: Stemmer, *, length: int = LENGTH) -> str:
    """The piece of the text, at most `length` characters and two ellipses, that has most of what is wanted."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    start = _start(line, _best(_places(line, what, stemmer), length - _LEAD), length)
    end = _end(line, start, start + length)
    return ("… " if start > 0 else "") + line[start:end].strip() + (" …" if end < len(line) else "")


def _places(line: str, what: Wanted, stemmer: Stemmer) -> list[_Place]:
    places: list[_Place] = []
    words: list[tuple[int, int, str]] = []
    for start, end, run, word in _words(line, what):
        if run:
            places += _pieces(start, word, what)
        else:
            words.append((start, end, word))
    stems = stemmer.stems(word for _, _, word in words)
    for start, end, word in words:
        if stems[word] in what.stems:
            places.append(_Place(start, end, stems[word]))
        elif (begun := next(filter(word.startswith, what.beginnings), None)) is not None:
            places.append(_Place(start, end, begun))
    return sorted(places, key=lambda place: place.start)


def _words(line: str, what: Wanted) -> Iterator[tuple[int, int, bool, str]]:
    """Where words that may be wanted begin and end, whether each is a run of a script without spaces, and it folded."""
    if _foreign.search(line) is None and len(lower := line.lower()) == len(line):
        for match in what.candidate.finditer(lower):
            yield *match.span(), False, match.group()
        return
    heads = (*{stem[:2] for stem in what.stems}, *what.beginnings)
    for start, end, run in tokens(line):
        word = fold(line[start:end])
        if run or word.startswith(heads):
            yield start, end, run, word


def _pieces(start: int, run: str, what: Wanted) -> Iterator[_Place]:
    for piece in what.pieces:
        at = run.find(piece)
        while at >= 0:
            yield _Place(start + at, start + at + len(piece), piece)
            at = run.find(piece, at + 1)


def _best(places: Sequence[_Place], room: int) -> int:
    """Where the stretch of at most `room` characters begins that has most different words, the first of the best."""
    best, begins = (0, 0), 0
    for first, place in enumerate(places):
        ends = place.start + room
        within = [other for other in places[first : first + _MOST] if other.end <= ends]
        score = (len({other.what for other in within}), len(within))
        if score > best:
            best, begins = score, place.start
    return begins


def _start(line: str, at: int, length: int) -> int:
    """Where a snippet begins that shows what is at `at`: at a sentence or a word before it, and not too near the end."""
    earliest = max(0, min(at - _LEAD, len(line) - length))
    if earliest == 0:
        return 0
    sentence = max(line.rfind(f"{end} ", earliest, at) for end in _SENTENCE_ENDS)
    if sentence >= 0:
        return sentence + 2
    space = line.find(" ", earliest, min(at, earliest + _REACH) + 1)
    return space + 1 if space >= 0 else grapheme_boundary(line, earliest)


def _end(line: str, start: int, limit: int) -> int:
    """Where a snippet ends: at its limit, or at the last space before it if there is one near."""
    if limit >= len(line):
        return len(line)
    space = line.rfind(" ", max(start, limit - _REACH), limit + 1)
    return space if space > start else max(grapheme_boundary(line, limit), start + 1)
