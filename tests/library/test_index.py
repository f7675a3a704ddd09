"""The built-in index: what is found, in what order, and from how many threads at once."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webcards.library.index import Document, Hit, Index

QUAY = Document(
    "https://port.example/quay",
    "The quay",
    "Boats moor at the quay. Dues are paid to the harbour master.",
    "2025-03-01",
)
WALL = Document(
    "https://port.example/wall", "Sea walls", "A wall of stone keeps the sea out of the harbour since 1790."
)
FERRY = Document(
    "https://www.ferry.example/guide/times", "Ferry times", "The ferry leaves for Straße and the café at noon."
)
ISLE = Document(
    "https://ferry.example/isle", "The isle", "An island without a wall, but with puffins. The sea is near."
)


def found(index: Index, query: str, site: str | None = None) -> list[str]:
    """The last parts of the URLs found, in order."""
    return [hit.url.rpartition("/")[2] for hit in index.search(query, site=site)]


@pytest.fixture
def index() -> Iterator[Index]:
    with Index.build([QUAY, WALL, FERRY, ISLE], None) as built:
        yield built


def test_an_english_word_finds_its_other_forms(index: Index) -> None:
    assert found(index, "harbours") == found(index, "harbour") != []
    assert found(index, "mooring") == ["quay"]


def test_accents_and_case_may_be_left_out_or_put_in(index: Index) -> None:
    assert found(index, "STRASSE") == found(index, "cafe") == found(index, "CAFÉ") == found(index, "nöön") == ["times"]


def test_a_page_with_the_word_in_its_title_comes_before_one_with_it_in_its_text(index: Index) -> None:
    assert found(index, "wall") == ["wall", "isle"]


def test_a_word_under_a_heading_of_that_name_counts_more_than_the_word_alone() -> None:
    text = "Opening words.\nTides\nWhen the water comes."
    with Index.build(
        [
            Document("https://a.example/text", "One", "Opening words of tides. When the water comes."),
            Document("https://a.example/heading", "Two", text, headings="Tides"),
        ],
        None,
    ) as index:
        assert found(index, "tides") == ["heading", "text"]


def test_pages_with_all_the_words_come_first_and_those_with_any_follow(index: Index) -> None:
    assert found(index, "sea wall puffins") == ["isle", "wall"]
    assert found(index, "harbour dues") == ["quay", "wall"]


def test_a_long_page_with_the_words_far_apart_is_no_match_for_one_that_has_them_together() -> None:
    far = "The anchor is heavy.\n" + "Nothing is said here of anything at all.\n" * 400 + "A windlass turns."
    with Index.build(
        [
            Document("https://a.example/far", "Anchor windlass", far),
            Document("https://a.example/near", "Gear", "The anchor hangs on a windlass."),
        ],
        None,
    ) as index:
        assert found(index, "anchor windlass")[0] == "far"
        assert found(index, "heavy windlass turns") == ["far", "near"]


def test_the_last_word_of_a_very_long_page_is_found_and_quoted() -> None:
    text = " ".join(f"word{number}" for number in range(200_000)) + " puffin"
    with Index.build([Document("https://a.example/long", "Long", text)], None) as index:
        hits = index.search("puffin")
        assert [hit.url for hit in hits] == ["https://a.example/long"]
        assert hits[0].snippet.endswith("puffin")


def test_a_phrase_in_quotes_must_stand_so_in_the_page(index: Index) -> None:
    assert found(index, '"harbour master"') == ["quay"]
    assert found(index, '"master harbour"') == []
    assert found(index, "“wall of stone” puffins") == ["wall"]


def test_stop_words_inside_quotes_are_looked_for(index: Index) -> None:
    assert found(index, '"out of the harbour"') == ["wall"]
    assert found(index, '"in of the harbour"') == []


def test_a_word_with_a_minus_keeps_pages_out(index: Index) -> None:
    assert found(index, "sea -puffins") == ["wall"]
    assert found(index, 'sea -"wall of stone"') == ["isle"]
    assert found(index, "-puffins") == []


def test_a_hyphen_inside_a_word_is_no_minus() -> None:
    with Index.build([Document("https://a.example/wifi", "Wi-Fi", "The wi-fi of the quay.")], None) as index:
        assert found(index, "wi-fi") == ["wifi"]


def test_a_prefix_finds_the_words_that_begin_so(index: Index) -> None:
    assert found(index, "harb*") == found(index, "harbour") != []
    assert found(index, "puff*") == ["isle"]
    assert found(index, "uff*") == []


def test_a_prefix_that_reaches_past_the_stem_still_finds_the_word() -> None:
    words = ["An organization of pilots.", "Two universities agree.", "A runway for planes."]
    with Index.build(
        [Document(f"https://a.example/{at}", "Page", text) for at, text in enumerate(words)], None
    ) as index:
        assert found(index, "organiza*") == ["0"]
        assert found(index, "universiti*") == ["1"]
        assert found(index, "running*") == []


def test_words_of_the_address_find_a_page() -> None:
    with Index.build([Document("https://a.example/caf%C3%A9/opening-hours", "Untitled", "Nothing.")], None) as index:
        assert (
            found(index, "opening café")
            == found(index, "https://a.example/caf%C3%A9/opening-hours")
            == ["opening-hours"]
        )


def test_a_question_is_answered_by_its_subject(index: Index) -> None:
    assert found(index, "How do I moor my boat, please?")[0] == "quay"
    assert found(index, "What does “harbour master” mean?") == ["quay"]


def test_words_that_carry_no_subject_are_looked_for_when_there_are_no_others(index: Index) -> None:
    assert found(index, "without") == ["isle"]


def test_a_site_has_its_subdomains_and_may_have_a_path(index: Index) -> None:
    assert found(index, "the site:ferry.example") == ["times", "isle"] or found(index, "the site:ferry.example") == [
        "isle",
        "times",
    ]
    assert found(index, "ferry site:www.ferry.example") == ["times"]
    assert found(index, "ferry site:www.ferry.example/guide/") == ["times"]
    assert found(index, "ferry site:www.ferry.example/gui") == []
    assert found(index, "ferry site:erry.example") == []
    assert found(index, "sea -site:ferry.example") == ["wall"]


def test_the_site_that_is_asked_for_beside_the_query_goes_before_the_one_in_it(index: Index) -> None:
    assert found(index, "sea site:port.example", site="https://FERRY.example/") == ["isle"]


def test_a_site_alone_lists_its_pages(index: Index) -> None:
    assert found(index, "site:port.example") == ["quay", "wall"]


def test_a_site_written_in_its_own_letters_is_the_one_in_punycode() -> None:
    with Index.build([Document("https://xn--bcher-kva.example/a", "Bücher", "Lesen")], None) as index:
        assert found(index, "lesen site:bücher.example") == ["a"]


def test_a_hit_has_what_the_page_said_of_itself(index: Index) -> None:
    (hit,) = index.search("dues")
    assert (hit.url, hit.title, hit.snippet, hit.published) == (QUAY.url, QUAY.title, QUAY.text, "2025-03-01")
    assert index.search("puffins")[0].published is None


def test_scores_fall_from_hit_to_hit() -> None:
    pages = [
        Document(f"https://a.example/{at}", "Sea" if at % 3 == 0 else "Page", "sea " * at + "and wall" * (at % 2))
        for at in range(40)
    ]
    with Index.build(pages, None) as index:
        scores = [hit.score for hit in index.search("sea wall", limit=40)]
    assert len(scores) == 40
    assert scores == sorted(scores, reverse=True)


def test_the_limit_is_kept(index: Index) -> None:
    assert len(index.search("the", limit=2)) == 2
    assert index.search("the", limit=0) == []


def test_a_page_that_comes_twice_is_there_once_as_it_was_last() -> None:
    older = [Document("https://a.example/x", "Old tide table", "tide " * 20)] * 600
    with Index.build(
        [*older, Document("https://a.example/x", "New", "tide tables"), Document("https://a.example/y", "Y", "a tide")],
        None,
    ) as index:
        assert index.count == 2
        assert [(hit.url, hit.title) for hit in index.search("tide")] == [
            ("https://a.example/y", "Y"),
            ("https://a.example/x", "New"),
        ] or [hit.title for hit in index.search("tide")] == ["New", "Y"]
        assert index.search("old table")[0].title == "New"


def test_a_page_without_any_text_is_found_by_its_title() -> None:
    with Index.build([Document("https://a.example/x", "Puffin", "")], None) as index:
        assert [(hit.title, hit.snippet) for hit in index.search("puffin")] == [("Puffin", "")]


def test_an_index_without_pages_finds_nothing() -> None:
    with Index.build([], None) as index:
        assert (index.count, index.search("harbour"), index.search("site:a.example")) == (0, [], [])


TYPED = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                '"',
                "*",
                "-",
                "(",
                ")",
                "site:",
                "site:port.example",
                "AND",
                "OR",
                "NOT",
                "NEAR",
                "NEAR(",
                "^",
                ":",
                "{title}",
                "+",
                "title:",
                "harb*",
                "sea",
                "\x00",
                "\ud800",
                "東京",
                "ก็",
            ]
        ),
    ),
    max_size=12,
).map(lambda pieces: " ".join(pieces) if len(pieces) % 2 else "".join(pieces))


@pytest.fixture(scope="module")
def shared_index() -> Iterator[Index]:
    with Index.build([QUAY, WALL, FERRY, ISLE], None) as built:
        yield built


@settings(max_examples=400, deadline=None)
@given(typed=st.one_of(TYPED, st.text(alphabet=st.characters(), max_size=60)), site=st.none() | st.text(max_size=10))
def test_any_text_is_a_query(shared_index: Index, typed: str, site: str | None) -> None:
    assert all(isinstance(hit, Hit) for hit in shared_index.search(typed, site=site))


def test_a_pasted_page_is_a_query_too(shared_index: Index) -> None:
    assert found(shared_index, " ".join(f"harbour{number}" for number in range(100_000)) + ' "') == []
    assert "quay" in found(shared_index, "quay " + "(sea* OR wall) " * 50_000)


LETTERS = [
    "abcdxyz",
    "äéñøß",
    "αβγδω",
    "абвёй",
    "日本語東京都学习",
    "ひらがなカタカナー",
    "한국어도서",
    "สวัสดีชาวโลกที่",
    "हिन्दीकीभाषा",
    "العربيةكتاب",
    "עבריתספר",
    "0123",
]
WORDS = st.sampled_from(LETTERS).flatmap(lambda letters: st.text(letters, min_size=1, max_size=6))


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(WORDS, min_size=1, max_size=6), chosen=st.data(), between=st.sampled_from([" ", ", ", "\n", "、"])
)
def test_every_word_of_a_page_finds_it_and_so_does_all_it_says_in_quotes(
    words: list[str], chosen: st.DataObject, between: str
) -> None:
    pages = [
        Document("https://www.quv.net/this", "Page", between.join(words)),
        Document("https://www.quv.net/other", "Page", "Nothing."),
    ]
    with Index.build(pages, None) as index:
        assert found(index, chosen.draw(st.sampled_from(words)))[:1] == ["this"]
        assert found(index, f'"{between.join(words)}"') == ["this"]


def test_many_threads_read_at_the_same_time(tmp_path: Path) -> None:
    pages = [Document(f"https://a.example/{at}", f"Page {at}", f"sea number{at} " * 30) for at in range(300)]
    for path in (None, tmp_path / "index.sqlite"):
        with Index.build(pages, path) as index, ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda at: found(index, f"number{at}"), range(300)))
        assert answers == [[str(at)] for at in range(300)]


def test_a_new_index_takes_the_place_of_an_old_one_that_is_being_read(tmp_path: Path) -> None:
    path = tmp_path / "in dex?#%41.sqlite"
    with Index.build([QUAY], path) as old:
        with Index.build([WALL], path) as new:
            assert (found(old, "harbour"), found(new, "harbour")) == (["quay"], ["wall"])
        with Index.open(path) as opened:
            assert (opened.count, found(opened, "harbour")) == (1, ["wall"])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_build_that_fails_leaves_the_old_index_and_nothing_else(tmp_path: Path) -> None:
    def pages() -> Iterator[Document]:
        yield WALL
        raise RuntimeError("the disk of the source is gone")

    path = tmp_path / "index.sqlite"
    Index.build([QUAY], path).close()
    with pytest.raises(RuntimeError):
        Index.build(pages(), path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    with Index.open(path) as index:
        assert found(index, "harbour") == ["quay"]


@pytest.mark.parametrize("where", ["no/such/folder/index.sqlite", "file/index.sqlite"])
def test_a_place_that_cannot_be_written_is_an_os_error_that_names_it(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OSError, match=where):
        Index.build([QUAY], tmp_path / where)


def test_a_file_that_is_not_there_or_no_index_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="python -m webcards index"):
        Index.open(tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("Not a database at all. " * 200)
    with pytest.raises(ValueError, match="is no search index"):
        Index.open(tmp_path / "text")
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE page (id)").connection.close()
    with pytest.raises(ValueError, match="is no search index"):
        Index.open(tmp_path / "other")


def test_an_index_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    Index.build([QUAY], path).close()
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 1")
    base.close()
    with pytest.raises(ValueError, match="was built by another version"):
        Index.open(path)


def test_a_closed_index_says_so(index: Index) -> None:
    index.close()
    with pytest.raises(ValueError, match="is closed"):
        index.search("harbour")
