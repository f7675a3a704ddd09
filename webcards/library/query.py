"""What a person types into the search box, read into terms: words, "phrases", prefix*, -without, site:host.

Any text is a query. What cannot be read as an operator is read as words, so nothing here raises.
"""

import re
from urllib.parse import unquote

import ada_url
import msgspec

from webcards.library.segment import cut, is_run, pairs, storable

LONGEST = 2000
"""Characters of a query that are read."""
MOST_TERMS = 32
"""Terms beyond this many are left out: a pasted page is no better a query than its first lines."""

# English words that carry no subject. They are left out of a query that has other words, and kept inside quotes.
_STOP_WORDS = frozenset(
    (  # noqa: SIM905  # 140 words are read more easily so
        "a about after again against all also am an and another any anyone anything are as at be because been before being "
        "below between both but by can could did do does doing done down during each either else etc even ever every few "
        "for from further get gets getting got had has have having he her here him his how however i if in instead into is "
        "it its itself just kind let lot many may me might more most much must my need no nor not now of off often on one "
        "only or other ought our out over own per please same several shall she should since so some someone something "
        "still such sure than that the their them then there these they this those through to too under until up upon us "
        "use using very via want was way we were what when where whether which while who whom whose why will with within "
        "without would yes yet you your"
    ).split()
)
# Words of the question rather than of its subject, in "what does … mean" and "what is the difference between …".
_FRAME_WORDS = frozenset({"mean", "means", "meant", "difference", "differences"})

_PIECE = re.compile(
    r"""(?P<minus>(?<!\S)-(?=\S))?
        (?:  ["“”„«](?P<phrase>[^"“”„«»]*)["“”»]
          |  site:(?P<site>\S+)
          |  (?P<word>[^\s"“”„«»]+) )""",
    re.VERBOSE | re.IGNORECASE,
)


class Term(msgspec.Struct, frozen=True):
    """One thing to find: its tokens stand in the text one after the other."""

    tokens: tuple[str, ...]
    prefix: bool = False
    """Whether the last token may go on."""
    quoted: bool = False
    """Whether a page without it is no answer."""


class Site(msgspec.Struct, frozen=True):
    """A host, its subdomains included, and how its pages' paths begin."""

    host: str
    path: str = "/"


class Query(msgspec.Struct, frozen=True):
    """A query as read."""

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()
    sites: tuple[Site, ...] = ()
    without_sites: tuple[Site, ...] = ()


def parse(text: str) -> Query:
    """Read a query; any text is one. `"sea wall" harb* -ferry site:docs.example` has one of each kind."""
    terms: list[Term] = []
    without: list[Term] = []
    sites: list[Site] = []
    without_sites: list[Site] = []
    text = storable(text[:LONGEST])
    for piece in _PIECE.finditer(text):
        minus = piece["minus"] is not None
        where = read_site(piece["site"]) if piece["site"] else None
        if where is not None:
            (without_sites if minus else sites).append(where)
        elif piece["phrase"] is not None or minus:
            (without if minus else terms).extend(_phrase(piece["phrase"] or piece["word"] or piece["site"] or ""))
        else:
            terms.extend(_words(piece["word"] or f"site {piece['site']}"))
    return Query(
        terms=_with_subject(terms, question=text.lstrip().lower().startswith("what")),
        without=_unique(without),
        sites=tuple(dict.fromkeys(sites)),
        without_sites=tuple(dict.fromkeys(without_sites)),
    )


def read_site(text: str) -> Site | None:
    """The site that `docs.example`, `*.docs.example/guide` or a whole URL names; None if it names no host."""
    where = text.strip().strip("\"'“”«»,;").removeprefix("*.").lstrip(".")
    try:
        url = ada_url.URL(where if "://" in where else f"https://{where}")
    except (ValueError, UnicodeEncodeError):
        return None
    return Site(url.hostname.rstrip("."), url.pathname) if url.hostname else None


def loosened(term: Term) -> tuple[Term, ...]:
    """The parts of a term, which may stand apart: `os.path` gives `os` and `path`. A quoted term stays whole."""
    if term.quoted or len(term.tokens) < 2:
        return (term,)
    return (*(Term((token,)) for token in term.tokens[:-1]), Term(term.tokens[-1:], prefix=term.prefix))


def _phrase(text: str) -> list[Term]:
    tokens = cut(text)
    return [_term(tokens, prefix=text.endswith("*"), quoted=True)] if tokens else []


def _words(text: str) -> list[Term]:
    """The terms of an unquoted piece. A run of a script without spaces is a term of its own wherever it stands."""
    if "://" in text:
        text = unquote(text)
    terms: list[Term] = []
    together: list[str] = []
    for token in [*cut(re.sub(r"['’]s\b", "", text)), ""]:
        if token and not is_run(token):
            together.append(token)
            continue
        if together:
            terms.append(_term(together, prefix=not token and text.endswith("*"), quoted=False))
            together = []
        if token:
            terms.append(_term([token], prefix=False, quoted=False))
    return terms


def _term(tokens: list[str], *, prefix: bool, quoted: bool) -> Term:
    """The tokens as the index has them. A run's last unit is left out at the end, where the text may go on."""
    found = [piece for token in tokens for piece in (pairs(token) if is_run(token) else [token])]
    if is_run(tokens[-1]):
        if len(pairs(tokens[-1])) > 1:
            found.pop()
        else:
            prefix = True
    return Term(tuple(found), prefix=prefix, quoted=quoted)


def _with_subject(terms: list[Term], *, question: bool) -> tuple[Term, ...]:
    """The terms without the words that carry no subject, unless there are no others."""
    idle = _STOP_WORDS | _FRAME_WORDS if question else _STOP_WORDS
    kept = [term for term in terms if term.quoted or term.prefix or len(term.tokens) > 1 or term.tokens[0] not in idle]
    return _unique(kept or terms)


def _unique(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))[:MOST_TERMS]
