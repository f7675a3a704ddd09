"""From rows to sources: what every provider's rows go through."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from webcards.contract import WebError, WebSearchResult, WebSource, render_search_output, search_meta_from_value
from webcards.search.cleaning import Row, clean_answer, clean_url, result_from_rows

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def result(*rows: Row, max_results: int = 8, site: str | None = None) -> WebSearchResult:
    return result_from_rows(rows, engine="Pond", max_results=max_results, now=NOW, site=site)


def test_a_row_becomes_a_source_of_plain_text_with_its_date() -> None:
    row = Row("https://docs.example/a", "Quay <b>dues</b>", "Fees &amp; dues\n explained", "3 days ago")
    assert result(row).sources == [
        WebSource("https://docs.example/a", "Quay dues", "Fees & dues explained", "2026-11-28")
    ]


@pytest.mark.parametrize("nothing", [None, "", "  ", "\u200b", "<b></b>", 5, True, [], {"a": 1}])
def test_a_field_that_says_nothing_is_absent(nothing: object) -> None:
    assert result(Row("https://docs.example/a", nothing, nothing, nothing)).sources == [
        WebSource("https://docs.example/a", UNSET, UNSET, UNSET)
    ]


@pytest.mark.parametrize("url", [None, "", "   ", 5, ["https://docs.example/"]])
def test_a_row_without_an_address_is_no_source(url: object) -> None:
    assert result(Row(url, "Title"), Row("https://docs.example/a")).sources == [WebSource("https://docs.example/a")]


def test_rows_of_which_none_has_an_address_are_a_fault_and_not_an_empty_list() -> None:
    with pytest.raises(WebError, match="Pond sent 2 results without an address"):
        result(Row(None, "Title"), Row("", "Other"))
    assert result() == WebSearchResult(sources=[])


def test_a_page_that_comes_twice_is_listed_once_where_it_came_first() -> None:
    rows = [
        Row("https://docs.example/a?utm_source=x", "First"),
        Row("https://docs.example/b", "Other"),
        Row("https://docs.example/a/", "Second"),
        Row("https://docs.example/a#part", "A part of it"),
    ]
    assert [(source.url, source.title) for source in result(*rows).sources] == [
        ("https://docs.example/a?utm_source=x", "First"),
        ("https://docs.example/b", "Other"),
        ("https://docs.example/a#part", "A part of it"),
    ]
    assert not result(*rows).truncated


def test_what_is_beyond_the_number_asked_for_is_cut_and_that_is_said() -> None:
    rows = [Row(f"https://docs.example/{number}") for number in range(5)]
    assert len(result(*rows, max_results=3).sources) == 3
    assert result(*rows, max_results=3).truncated
    assert not result(*rows, max_results=5).truncated


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/a?utm_source=x&id=7#part",
        "http://docs.example",
        "https://docs.example/San Francisco, CA,+US",
        "https://docs.example/港口",
        "https://docs.example/?q=1&amp;b=2",
        "docs.example/without-a-scheme",
        "ftp://docs.example/file",
        "mailto:harbour@docs.example",
        "javascript:alert(1)",
        "not a url",
    ],
)
def test_an_address_stays_as_it_was_given(url: str) -> None:
    assert clean_url(url) == url


def test_what_is_no_web_address_is_text_and_never_a_link() -> None:
    found = result(Row("javascript:alert(1)", "Odd"), Row("docs.example/a", "Bare"))
    text = render_search_output(found)
    assert "](javascript" not in text
    assert "](docs" not in text
    assert [source.url for source in found.sources] == ["javascript:alert(1)", "docs.example/a"]


@pytest.mark.parametrize(
    ("given_url", "shown"),
    [
        ("  https://docs.example/a\n", "https://docs.example/a"),
        ("https://docs.example/a\tb", "https://docs.example/ab"),
        ("https://docs.example/\u202egpj.exe", "https://docs.example/%E2%80%AEgpj.exe"),
        ("https://docs.example/a\u200b", "https://docs.example/a%E2%80%8B"),
        ("https://docs.example/\ud83d", "https://docs.example/%3F"),
    ],
)
def test_characters_that_hide_in_an_address_are_left_out_or_written_out(given_url: str, shown: str) -> None:
    assert clean_url(given_url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "https://duckduckgo.com/l/?uddg=javascript%3Aalert(1)",
        "https://duckduckgo.com/l/?uddg=JaVaScRiPt%3Aalert(1)",
        "https://www.google.com/url?q=data:text/html,x",
        "https://www.google.com/url?q=file:///etc/passwd",
        "https://duckduckgo.com/y.js?ad_domain=shop.example",
        "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.bing.com%2Faclick%3Fld%3De8",
    ],
)
def test_a_wrapper_around_a_trap_or_an_advertisement_is_no_result(url: str) -> None:
    assert clean_url(url) is None


@pytest.mark.parametrize(
    "row",
    [
        Row("https://duckduckgo.com/", "DEEP_ERROR_NO_RESULTS", "DEEP_ERROR_NO_RESULTS"),
        Row("https://duckduckgo.com", "DEEP_ERROR_NO_RESULTS", ""),
        Row("https://docs.example/x", "DEEP_ERROR_NO_RESULTS", "DEEP_ERROR_NO_RESULTS"),
        Row("https://duckduckgo.com/", "No results.", None),
        Row("https://html.duckduckgo.com/html/", "", ""),
        Row("http://www.google.com/search?q=quay+dues", "EOF", ""),
        Row("https://www.bing.com/search?q=quay", "No results found for quay.", ""),
    ],
)
def test_an_engines_own_placeholder_is_no_result(row: Row) -> None:
    assert result(row).sources == []


@pytest.mark.parametrize(
    "row",
    [
        Row("https://duckduckgo.com/", "DuckDuckGo", "A search engine."),
        Row("https://docs.example/errors", "PHP_ERROR", "What it means."),
        Row("https://docs.example/errors", "MAX_ERROR"),
        Row("https://docs.example/none", "No results found", "What to do when a search finds nothing."),
        Row("https://www.google.com/maps?q=quay", "Quay"),
    ],
)
def test_a_page_about_engines_or_errors_is_a_result(row: Row) -> None:
    assert len(result(row).sources) == 1


def test_a_page_sent_as_a_snippet_is_cut_at_a_word() -> None:
    snippet = result(Row("https://docs.example/a", "T", "quay dues " * 100_000)).sources[0].snippet
    assert isinstance(snippet, str)
    assert len(snippet) <= 1_500
    assert snippet.endswith(("quay…", "dues…"))


def test_an_answer_keeps_its_lines_and_loses_what_deceives() -> None:
    assert clean_answer("# Dues\n\n- four\u202e crowns\n  - a metre\x00\n") == "# Dues\n\n- four crowns\n  - a metre"
    for nothing in ("", " \n ", None, 5):
        assert clean_answer(nothing) is UNSET


@given(
    st.lists(
        st.builds(
            Row,
            url=st.one_of(st.just("https://docs.example/"), st.text(max_size=40), st.none(), st.integers()),
            title=st.one_of(st.text(max_size=60), st.none(), st.integers()),
            snippet=st.one_of(st.text(max_size=60), st.lists(st.text(max_size=5))),
            published=st.one_of(st.text(max_size=20), st.floats()),
        ),
        max_size=6,
    )
)
def test_no_rows_raise_anything_but_a_web_error_and_every_source_can_be_written_and_projected(rows: list[Row]) -> None:
    try:
        found = result(Row("https://a.example/"), *rows)
    except WebError:
        return
    render_search_output(found).encode()
    assert search_meta_from_value(found)["sources"]
    for source in found.sources:
        assert source.url == source.url.strip()
        for text in (source.title, source.snippet):
            assert text is UNSET or (isinstance(text, str) and text.strip() == text != "")
