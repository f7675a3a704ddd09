"""How a query is read: operators where they are meant, words everywhere else."""

import pytest

from webcards.library.query import MOST_TERMS, Query, Site, Term, parse, read_site


def words(*typed: str) -> tuple[Term, ...]:
    return tuple(Term((word,)) for word in typed)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("sea wall", Query(terms=words("sea", "wall"))),
        ("  SEA   sea\twall ", Query(terms=words("sea", "wall"))),
        ('"sea wall" boat', Query(terms=(Term(("sea", "wall"), quoted=True), Term(("boat",))))),
        ("“sea wall”", Query(terms=(Term(("sea", "wall"), quoted=True),))),
        ('"sea wall', Query(terms=words("sea", "wall"))),
        ('12" pipe', Query(terms=words("12", "pipe"))),
        ('""', Query()),
        ("harb*", Query(terms=(Term(("harb",), prefix=True),))),
        ('"sea wa*"', Query(terms=(Term(("sea", "wa"), prefix=True, quoted=True),))),
        ("*", Query()),
        ("-ferry sea", Query(terms=words("sea"), without=(Term(("ferry",), quoted=True),))),
        ('-"sea wall" boat', Query(terms=words("boat"), without=(Term(("sea", "wall"), quoted=True),))),
        ("sea - wall", Query(terms=words("sea", "wall"))),
        ("well-known", Query(terms=(Term(("well", "known")),))),
        ("os.path.join", Query(terms=(Term(("os", "path", "join")),))),
        ("the harbour's dues", Query(terms=words("harbour", "dues"))),
        ("how do I moor a boat", Query(terms=words("moor", "boat"))),
        ("to be or not to be", Query(terms=words("to", "be", "or", "not"))),
        ('"to be"', Query(terms=(Term(("to", "be"), quoted=True),))),
        ("what does mooring mean", Query(terms=words("mooring"))),
        ("mean tide", Query(terms=words("mean", "tide"))),
        ("site:docs.example sea", Query(terms=words("sea"), sites=(Site("docs.example"),))),
        ("SITE:https://Docs.Example/guide sea", Query(terms=words("sea"), sites=(Site("docs.example", "/guide"),))),
        ("-site:docs.example sea", Query(terms=words("sea"), without_sites=(Site("docs.example"),))),
        ("site: sea", Query(terms=words("site", "sea"))),
        ("東京都", Query(terms=(Term(("東京", "京都")),))),
        ("港", Query(terms=(Term(("港",), prefix=True),))),
        ("Python入門", Query(terms=(Term(("python",)), Term(("入門",))))),
        ('"入門Python"', Query(terms=(Term(("入門", "門", "python"), quoted=True),))),
    ],
)
def test_a_query_is_read(typed: str, read: Query) -> None:
    assert parse(typed) == read


@pytest.mark.parametrize(
    ("typed", "site"),
    [
        ("*.docs.example", Site("docs.example")),
        (".docs.example", Site("docs.example")),
        ("docs.example:8080/a", Site("docs.example", "/a")),
        ("bücher.example", Site("xn--bcher-kva.example")),
        ("", None),
        ("http://", None),
        ("a b", None),
        ("\ud800", None),
    ],
)
def test_a_site_is_a_host_and_the_start_of_a_path(typed: str, site: Site | None) -> None:
    assert read_site(typed) == site


def test_a_pasted_page_is_cut_to_its_first_terms() -> None:
    assert len(parse(" ".join(f"word{number}" for number in range(500))).terms) == MOST_TERMS
