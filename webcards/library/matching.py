"""A query's terms as FTS5 expressions. Every token goes in between quotes, so no text a person types is ever syntax."""

from collections.abc import Iterable

from webcards.library.query import Term, loosened
from webcards.library.stems import Stemmer

# The endings by which an English word outgrows its stem: `organiza*` must find "organization", whose stem is "organ".
_ENDINGS = (  # noqa: SIM905  # 70 endings are read more easily so
    "able ably al ally ance ant ate ated ately ates ating ation ational ations ator ators e ed ely ence ent er ers es ful "
    "fully fulness ible ic ical ically icity ies ing ings ion ional ions ism isms ist ists ities ity ive ively iveness ivity "
    "ization izations ize ized izer izers izes izing less lessly lessness ly ment ments ness or ors ous ously ousness s tion "
    "tional tions ty y"
).split()
_SHORTEST = 4
"""Letters of a prefix from which on it may reach into an ending."""


def parts(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The parts of all the terms, each once."""
    return tuple(dict.fromkeys(part for term in terms for part in loosened(term)))


def all_of(terms: Iterable[Term], stemmer: Stemmer) -> str:
    """What finds passages that have every one of the terms."""
    return " AND ".join(dict.fromkeys(expression(term, stemmer) for term in terms))


def any_of(terms: Iterable[Term], stemmer: Stemmer) -> str:
    """What finds passages that have one of the terms or more."""
    return " OR ".join(dict.fromkeys(expression(term, stemmer) for term in terms))


def expression(term: Term, stemmer: Stemmer) -> str:
    """One term as an FTS5 expression."""
    phrase = _quoted(" ".join(term.tokens))
    if not term.prefix:
        return phrase
    begun = term.tokens[-1]
    if len(term.tokens) > 1 or len(begun) < _SHORTEST or not begun.isascii():
        return f"{phrase}*"
    stems = stemmer.stems([begun, *(begun + ending for ending in _ENDINGS)])
    # FTS5 stems what was typed and then finds what begins so: right for `relate*` (relat), far too much for `running*` (run).
    wide = len(begun) - len(stems[begun]) < 2
    others = {stem: word for word, stem in stems.items() if not (wide and stem.startswith(stems[begun]))}
    either = [f"{phrase}*"] if wide else []
    return f"({' OR '.join([*either, *map(_quoted, others.values())])})"


def _quoted(words: str) -> str:
    return f'"{words}"'
