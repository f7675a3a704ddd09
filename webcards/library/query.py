"""What a person types into the search box, read into terms: words, "phrases", prefix*, -without, site:host.

Any text is a query. What cannot be read as an operator is read as words, so nothing here raises.
"""

import re

import msgspec

from webcards.library.segment import cut, fold, is_run, pairs, storable

MAX_TERMS = 32
"""Terms beyond this many are left out: a pasted page is no better a query than its first lines."""

_PIECE = re.compile(
    r"""(?P<minus>-)?
        (?:  ["“„«](?P<phrase>[^"“”„«»]*)["”“»]
          |  site:(?P<site>\S+)
          |  (?P<word>\S+) )""",
    re.VERBOSE | re.IGNORECASE,
)

STOP_WORDS = frozenset(
    """a about all am an and any are as at be been but by can could did do does for from get had has have how i if in into
    is it its just may me my need not of on one or our out please shall should so some such than that the their them then
    there these they this those to us use using want was way we were what when where which who whom whose why will with
    would you your""".split()
)
"""English words that carry no subject; left out of a query that has others."""


class Term(msgspec.Struct, frozen=True):
    """One thing to find: its tokens stand in the text one after the other."""

    tokens: tuple[str, ...]
    prefix: bool = False
    """Whether the last token may go on."""
    quoted: bool = False
    """Whether a page without it is no answer."""


class Site(msgspec.Struct, frozen=True):
    """A host, its subdomains included, and the start of a path."""

    host: str
    path: str = "/"


class Query(msgspec.Struct, frozen=True):
    """A query as read."""

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()
    sites: tuple[Site, ...] = ()
    without_sites: tuple[Site, ...] = ()


def parse(text: str) -> Query:
    """Read a query; any text is one.

    >>> parse('"sea wall" harb* -ferry site:docs.example')
    """
    terms: list[Term] = []
    without: list[Term] = []
    sites: list[Site] = []
    without_sites: list[Site] = []
    for piece in _PIECE.finditer(storable(text[:4000])):
        minus = piece["minus"] is not None
        if piece["site"] is not None:
            if (where := read_site(piece["site"])) is not None:
                (without_sites if minus else sites).append(where)
        elif piece["phrase"] is not None:
            (without if minus else terms).extend(_phrase(piece["phrase"]))
        elif minus:
            without.extend(_phrase(piece["word"]))
        else:
            terms.extend(_words(piece["word"]))
    return Query(
        terms=_meaningful(tuple(dict.fromkeys(terms)))[:MAX_TERMS],
        without=tuple(dict.fromkeys(without))[:MAX_TERMS],
        sites=tuple(dict.fromkeys(sites))[:MAX_TERMS],
        without_sites=tuple(dict.fromkeys(without_sites))[:MAX_TERMS],
    )


def read_site(text: str) -> Site | None:
    """The site that `docs.example`, `*.docs.example/guide` or a whole URL names; None if it names no host."""
    where = re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?//", "", fold(text.strip().strip("\"'")))
    host, slash, path = where.partition("/")
    host = host.removeprefix("*").strip(".").partition(":")[0]
    if not host:
        return None
    return Site(host, slash + path or "/")


def loosened(term: Term) -> tuple[Term, ...]:
    """The parts of a term that may stand apart: `os.path` → `os`, `path`. A quoted term stays whole."""
    if term.quoted or len(term.tokens) < 2:
        return (term,)
    parts = [Term((token,)) for token in term.tokens[:-1]]
    return (*parts, Term(term.tokens[-1:], prefix=term.prefix))


def _phrase(text: str) -> list[Term]:
    tokens = cut(text)
    return [_term(tokens, prefix=text.endswith("*"), quoted=True)] if tokens else []


def _words(text: str) -> list[Term]:
    """The terms of an unquoted piece: each run of a script without spaces is its own term."""
    terms: list[Term] = []
    together: list[str] = []
    for token in cut(re.sub(r"['’]s\b", "", text)):
        if is_run(token):
            if together:
                terms.append(_term(together, prefix=False, quoted=False))
                together = []
            terms.append(_term([token], prefix=False, quoted=False))
        else:
            together.append(token)
    if together:
        terms.append(_term(together, prefix=text.endswith("*"), quoted=False))
    return terms


def _term(tokens: list[str], *, prefix: bool, quoted: bool) -> Term:
    """Tokens as the index has them: a run's last unit is left out at the end, where the text may go on."""
    found: list[str] = []
    for token in tokens:
        found.extend(pairs(token) if is_run(token) else [token])
    if is_run(tokens[-1]):
        if len(pairs(tokens[-1])) > 1:
            found.pop()
        else:
            prefix = True
    return Term(tuple(found), prefix=prefix, quoted=quoted)


def _meaningful(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    kept = tuple(
        term for term in terms if term.quoted or term.tokens[-1] not in STOP_WORDS or len(term.tokens) > 1
    )
    return kept or terms
