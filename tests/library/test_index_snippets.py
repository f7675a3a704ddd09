"""What is quoted of a page: around the words found, whole words and graphemes, and nothing but the page's own text."""

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from webcards.library.query import parse
from webcards.library.snippets import LENGTH, snippet, wanted
from webcards.library.stems import Stemmer

STEMMER = Stemmer()
FILLER = "The gulls cry over the roofs and nobody minds. "


def quoted(text: str, query: str) -> str:
    return snippet(text, wanted(parse(query), STEMMER), STEMMER)


def test_a_short_text_is_quoted_whole_on_one_line() -> None:
    assert quoted("Boats  moor\nat the\tquay.", "quay") == "Boats moor at the quay."


def test_the_words_found_are_in_it_whatever_their_form() -> None:
    text = FILLER * 10 + "Harbour dues are paid by mooring boats. " + FILLER * 10
    assert "Harbour dues are paid by mooring boats." in quoted(text, "moors harbours")
    assert "Harbour dues" in quoted(text, "harb*")


def test_the_place_with_most_of_the_words_is_quoted() -> None:
    text = "The harbour is old. " + FILLER * 10 + "The harbour master takes dues. " + FILLER * 10
    assert "The harbour master takes dues." in quoted(text, "harbour dues")


def test_it_begins_with_a_sentence_where_one_is_near() -> None:
    assert quoted(FILLER * 10 + "A puffin nests here. " + FILLER * 10, "puffin").startswith("… A puffin nests here.")


def test_nothing_is_marked_or_escaped_in_it() -> None:
    assert quoted("<b>Dues</b> & **tides** [b]", "dues") == "<b>Dues</b> & **tides** [b]"


def test_chinese_is_quoted_around_what_was_found() -> None:
    text = "海鸥在屋顶上叫。" * 60 + "船票在港务局购买。" + "海鸥在屋顶上叫。" * 60
    assert "船票在港务局购买。" in quoted(text, "港务局购买")


def test_a_text_without_the_words_is_quoted_from_its_beginning() -> None:
    assert quoted(FILLER * 10, "puffin").startswith("The gulls cry")


GRAPHEMES = st.sampled_from(
    [
        "a",
        "Z",
        " ",
        " ",
        ". ",
        "é",
        "e\u0301",
        "港",
        "か\u3099",
        "👩‍👩‍👧‍👦",
        "🇬🇧",
        "👍🏽",
        "ก็",
        "नि",
        "각",
        "\u1112\u1161\u11ab",
        "puffin ",
    ]
)


@settings(max_examples=200, deadline=None)
@given(before=st.lists(GRAPHEMES, max_size=400), after=st.lists(GRAPHEMES, max_size=400))
def test_it_is_a_piece_of_the_page_that_has_the_word_and_cuts_no_grapheme(before: list[str], after: list[str]) -> None:
    text = "".join(before) + " lighthouse " + "".join(after)
    line = " ".join(text.split())
    piece = quoted(text, "lighthouses")
    core = piece.removeprefix("… ").removesuffix(" …")
    assert "lighthouse" in core
    assert len(core) <= LENGTH
    places = [match.start() for match in regex.finditer(regex.escape(core), line)]
    edges = {match.start() for match in regex.finditer(r"\X", line)} | {len(line)}
    assert any({place, place + len(core)} <= edges for place in places)
