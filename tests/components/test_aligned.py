"""Two answers aligned: the right ranks and figures, and nothing of a source's texts that is more than text."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from components.aligned import aligned_html
from components.i18n import set_language
from webcards.contract import WebSearchResult, WebSource
from webcards.search.comparison import compare


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    set_language("en")
    yield
    set_language("en")


def drawn(left: list[WebSource], right: list[WebSource]) -> html.HtmlElement:
    return html.fromstring(aligned_html("Pond", "Lake", compare(WebSearchResult(left), WebSearchResult(right))))


def cells(document: html.HtmlElement) -> list[list[str]]:
    return [[" ".join(cell.itertext()).strip() for cell in row] for row in document.iterfind(".//tbody/tr")]


def source(name: str) -> WebSource:
    return WebSource(f"https://{name}.example/", name.title())


def test_each_source_has_its_ranks_on_both_sides_and_how_far_it_moved() -> None:
    document = drawn([source("a"), source("b"), source("c")], [source("c"), source("d"), source("a")])
    assert [" ".join(head.itertext()) for head in document.iterfind(".//thead//th")] == [
        "Pond",
        "Lake",
        "Move",
        "Source",
    ]
    assert cells(document) == [
        ["1", "3", "▼ 2", "A a.example"],
        ["3", "1", "▲ 2", "C c.example"],
        ["2", "–", "", "B b.example"],
        ["–", "2", "", "D d.example"],
    ]
    figures = {figure.findtext("dt"): figure.findtext("dd") for figure in document.iterfind(".//dl/div")}
    assert figures == {
        "In both": "2",
        "Only left": "1",
        "Only right": "1",
        "Overlap in the first 5": "67%",
        "Overlap in the first 10": "67%",
    }


def test_a_bar_in_an_address_or_a_title_moves_nothing_to_another_column() -> None:
    odd = WebSource("https://a.example/x|y?q=[1](z)|", "One | two ![i](https://t.example/p.png) `|` <b>")
    document = drawn([odd], [odd])
    assert cells(document) == [["1", "1", "＝", "One | two ![i](https://t.example/p.png) `|` <b> a.example"]]
    assert [link.get("href") for link in document.iterfind(".//a")] == ["https://a.example/x|y?q=[1](z)|"]
    assert document.find(".//img") is None
    assert document.find(".//tbody//b") is None


def test_what_is_no_web_address_is_no_link() -> None:
    document = drawn([WebSource("javascript:alert(1)", "Click"), WebSource("mailto:a@b.example")], [])
    assert document.find(".//a") is None
    assert [row[3] for row in cells(document)] == ["Click", "mailto:a@b.example"]


@given(st.lists(st.builds(WebSource, url=st.text(), title=st.text()), max_size=5, unique_by=lambda one: one.url))
def test_whatever_stands_in_a_source_it_is_one_row_of_four_cells(sources: list[WebSource]) -> None:
    rows = compare(WebSearchResult(sources), WebSearchResult([])).rows
    document = drawn(sources, [])
    assert [len(row) for row in cells(document)] == [4] * len(rows)
    assert {node.tag for node in document.iter()} <= {
        *("html", "head", "body", "div", "style", "section", "dl", "dt", "dd", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td", "a", "span"),
    }
