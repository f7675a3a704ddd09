"""Finding passages: the SQL of one search, strict first and looser only as far as needed."""

import sqlite3
from collections.abc import Iterable, Iterator

from webcards.library.index_writer import PASSAGE_BITS
from webcards.library.matching import all_of, any_of, expression, parts
from webcards.library.query import Query, Site, Term
from webcards.library.ranking import WEIGHTS, Found, Ranked
from webcards.library.stems import Stemmer

MOST_ROWS = 15_000
"""Passages that a search for any of the words should have to rank; a thousand take about a fifth of a millisecond."""
MOST_LISTED = 5000
"""Pages of the sites asked for that are listed before the search."""

_PAGE = f"words.rowid >> {PASSAGE_BITS}"
_HAVING = f"(SELECT {_PAGE} FROM words WHERE words MATCH ?)"  # noqa: S608
_FIND = f"SELECT rowid, -bm25(words, {', '.join(map(str, WEIGHTS))}) AS worth FROM words WHERE words MATCH ?"  # noqa: S608
_SITES = "site IN (SELECT id FROM site WHERE substr('.' || host, -length(?)) = ?)"


def find(base: sqlite3.Connection, asked: Query, limit: int, stemmer: Stemmer) -> list[Found]:
    """The passages of the strictest search that has `limit` pages, and those of the searches stricter than it."""
    conditions, values = _conditions(base, asked, stemmer)
    sql = f"{_FIND} {conditions} ORDER BY worth DESC LIMIT ?"
    found: list[Found] = []
    for match, whole in _matches(base, asked, stemmer):
        found += [Found(row, worth, whole) for row, worth in _best_passages(base, sql, (match, *values), limit)]
        if len({one.row >> PASSAGE_BITS for one in found}) >= limit:
            break
    return found


def _best_passages(base: sqlite3.Connection, sql: str, values: tuple[str, ...], limit: int) -> list[tuple[int, float]]:
    """The best passages, as many as it takes to have `limit` pages: the first hundreds may all be one long page's."""
    most = 100 + 10 * limit
    while True:
        rows: list[tuple[int, float]] = base.execute(sql, (*values, most)).fetchall()
        if len(rows) < most or len({row >> PASSAGE_BITS for row, _ in rows}) >= limit:
            return rows
        most *= 8


def pages_of_sites(base: sqlite3.Connection, asked: Query, limit: int) -> list[Ranked]:
    """The first pages of the sites asked for, where nothing else is asked; none without a site."""
    if not asked.sites:
        return []
    where, values = _places(asked)
    rows = base.execute(f"SELECT page FROM place WHERE {where} ORDER BY page LIMIT ?", (*values, limit))  # noqa: S608
    return [Ranked(page, 0.0, page << PASSAGE_BITS) for (page,) in rows]


def _matches(base: sqlite3.Connection, asked: Query, stemmer: Stemmer) -> Iterator[tuple[str, bool]]:
    """FTS5 expressions, the strictest first, and whether a passage that one finds has all that was asked for."""
    terms, loose = asked.terms, parts(asked.terms)
    for match in dict.fromkeys((all_of(terms, stemmer), all_of(loose, stemmer))):
        yield match, True
    if len(loose) > 1:
        yield any_of(_rarest(base, dict.fromkeys((*terms, *loose)), stemmer), stemmer), False


def _rarest(base: sqlite3.Connection, terms: Iterable[Term], stemmer: Stemmer) -> list[Term]:
    """The terms without the commonest, as far as they would cost too much time; they say least, too."""
    counted = sorted((_frequency(base, term, stemmer), place, term) for place, term in enumerate(terms))
    kept: list[Term] = []
    room = MOST_ROWS
    for frequency, _, term in counted:
        room -= frequency
        if room >= 0 or not kept:
            kept.append(term)
    return kept


def _frequency(base: sqlite3.Connection, term: Term, stemmer: Stemmer) -> int:
    """In how many passages a term is at most; 0 if it is not common."""
    stems = list(stemmer.stems(term.tokens).values())
    if term.prefix:
        sql = "SELECT coalesce(sum(passages), 0) FROM common WHERE stem >= ? AND stem < ?"
        counts = [base.execute(sql, (stems[-1], stems[-1] + "\U0010ffff")).fetchone()[0]]
        del stems[-1]
    else:
        counts = []
    for stem in stems:
        row = base.execute("SELECT passages FROM common WHERE stem = ?", (stem,)).fetchone()
        counts.append(row[0] if row is not None else 0)
    return int(min(counts))


def _conditions(base: sqlite3.Connection, asked: Query, stemmer: Stemmer) -> tuple[str, list[str]]:
    """SQL for what a page must have besides: quoted phrases, none of the words left out, the sites asked for."""
    must = [term for term in asked.terms if term.quoted]
    sql = [f"AND {_PAGE} IN {_HAVING}"] * len(must) + [f"AND {_PAGE} NOT IN {_HAVING}"] * len(asked.without)
    values = [expression(term, stemmer) for term in (*must, *asked.without)]
    where, of_places = _places(asked)
    if where:
        # A list of pages is quicker to look in, and slower to make, than one look-up for every passage found.
        few = asked.sites and _pages_of(base, asked.sites) < MOST_LISTED
        look_up = f"EXISTS (SELECT 1 FROM place WHERE page = {_PAGE} AND"  # noqa: S608
        sql.extend(["AND", f"{_PAGE} IN (SELECT page FROM place WHERE" if few else look_up, where, ")"])  # noqa: S608
    if base.execute("SELECT EXISTS (SELECT 1 FROM gone)").fetchone()[0]:
        sql.append(f"AND {_PAGE} NOT IN (SELECT page FROM gone)")  # noqa: S608
    return " ".join(sql), values + of_places


def _pages_of(base: sqlite3.Connection, sites: Iterable[Site]) -> int:
    sql = "SELECT coalesce(sum(pages), 0) FROM site WHERE substr('.' || host, -length(?)) = ?"
    return sum(base.execute(sql, _host(where)).fetchone()[0] for where in sites)


def _places(asked: Query) -> tuple[str, list[str]]:
    """SQL for the pages of the sites asked for; empty if none are."""
    values: list[str] = []

    def one(where: Site) -> str:
        values.extend(_host(where))
        if where.path == "/":
            return _SITES
        folder = where.path.rstrip("/") + "/"
        values.extend([where.path, folder, folder])
        return f"({_SITES} AND (path = ? OR substr(path, 1, length(?)) = ?))"

    sites = " OR ".join([one(where) for where in asked.sites])
    others = [f"NOT {one(where)}" for where in asked.without_sites]
    return " AND ".join([f"({sites})", *others] if sites else others), values


def _host(where: Site) -> list[str]:
    """The host's end, twice: `.docs.example` ends `.docs.example` and `.old.docs.example`."""
    return [f".{where.host}"] * 2
