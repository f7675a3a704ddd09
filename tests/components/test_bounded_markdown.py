"""Markdown made to be slow, or to be left out, is drawn whole, and what is drawn is not far longer than what was written.

Each of these inputs took the parser minutes, or its text was lost; the limit of time is pytest's own.
"""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from components.bounded_markdown import DEEPEST, DEEPEST_EMPHASIS, DEEPEST_QUOTE, parse, parser
from components.safe_text import markdown_html
from webcards.contract import safe_link

END = "\n\n1 2 [3](https://a.example/)."
END_SHOWN = "1 2 3."


def drawn(text: str, *, answer: bool) -> Any:
    html = markdown_html(text + END, sources=3 if answer else 0, anchor="card" if answer else "")
    # lxml gives up below 255 levels, as a browser does below 512: nothing here comes near.
    tree = lxml_html.fromstring(f"<div>{html}</div>")
    assert tree.xpath("string((//p)[last()])") == END_SHOWN
    assert [link.get("href") for link in tree.xpath("(//p)[last()]/a")] == ["https://a.example/"]
    return tree


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


GROWING = " ".join("`" * length for length in range(1, 600))


@pytest.mark.parametrize("answer", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("![" * 200_000, id="images opened"),
        pytest.param("[" * 400_000, id="brackets opened"),
        pytest.param("[" * 200_000 + "]" * 200_000, id="brackets nested"),
        pytest.param("![" * 130_000 + "]" * 130_000, id="images nested"),
        pytest.param("[" * 200_000 + "](" * 100_000, id="brackets opened and links closed"),
        pytest.param("[](" * 30_000, id="links opened"),
        pytest.param("[a](<" * 20_000, id="addresses opened"),
        pytest.param("![a](" * 12_000, id="images' addresses opened"),
        pytest.param("[a](b " * 15_000, id="titles opened"),
        pytest.param("[a][" * 20_000, id="references opened"),
        pytest.param("[a" + "a\n" * 20_000, id="one label of many lines"),
        pytest.param("<" * 100_000, id="less"),
        pytest.param("<a " * 60_000, id="tags opened"),
        pytest.param("&" * 100_000, id="ampersands"),
        pytest.param("a" + "*" * 60_000, id="stars"),
        pytest.param("a" + "_" * 60_000, id="underlines"),
        pytest.param("**a " * 25_000, id="emphasis opened"),
        pytest.param("x " + GROWING, id="code spans of growing lengths"),
        pytest.param("|a" * 100_000, id="a row that is no table"),
    ],
)
def test_what_opens_and_never_closes_is_text_letter_by_letter(text: str, answer: bool) -> None:
    assert letters(drawn(text, answer=answer).text_content()) == letters(text + END_SHOWN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("> " * 60_000 + "deep", ["deep"], id="quotations"),
        pytest.param("> " * 60 + "deep\n" + "lazy\n" * 30_000, ["deep", *["lazy"] * 30_000], id="lines of quotations"),
        pytest.param("".join(">" * depth + "q\n\n" for depth in range(400)), ["q"] * 400, id="growing quotations"),
        pytest.param("- " * 60_000 + "deep", ["deep"], id="lists"),
        pytest.param("> - 1. " * 20_000 + "deep", ["deep"], id="lists in quotations"),
        pytest.param("- item\n" * 15_000, ["item"] * 15_000, id="items"),
        pytest.param("> - item\n" * 10_000, ["item"] * 10_000, id="items in a quotation"),
        pytest.param("".join("  " * depth + "- item\n" for depth in range(300)), ["item"] * 300, id="growing lists"),
        pytest.param("# head\n" * 10_000, ["head"] * 10_000, id="headings"),
        pytest.param("word\n" * 30_000, ["word"] * 30_000, id="lines"),
        pytest.param("\\\\" * 100_000 + " word", ["word"], id="backslashes"),
        pytest.param("`" * 200_000 + "\nword\n" + "`" * 200_000, ["word"], id="a fence"),
        pytest.param("**a " * 20_000 + "x" + " a**" * 20_000, ["a"] * 20_000 + ["x"] + ["a"] * 20_000, id="emphasis"),
        pytest.param("a*_" * 30_000, ["a"] * 30_000, id="emphasis of two kinds"),
        pytest.param("a**b " * 20_000, ["ab"] * 20_000, id="emphasis inside words"),
        pytest.param("~~a " * 20_000 + "x" + " a~~" * 20_000, ["a"] * 20_000 + ["x"] + ["a"] * 20_000, id="strikes"),
    ],
)
def test_what_is_nested_too_deep_keeps_its_words(text: str, words: list[str]) -> None:
    tree = drawn(text, answer=False)
    assert re.findall(r"[a-z]+", tree.text_content()) == words
    for tag, most in (
        ("blockquote", DEEPEST_QUOTE),
        ("ul", DEEPEST / 2),
        ("strong", DEEPEST_EMPHASIS),
        ("s", DEEPEST_EMPHASIS),
    ):
        assert max((int(found.xpath(f"count(ancestor-or-self::{tag})")) for found in tree.iter(tag)), default=0) <= most


PIECES = [
    "[",
    "]",
    "(",
    ")",
    "!",
    "*",
    "**",
    "_",
    "`",
    "<",
    ">",
    "a",
    "b ",
    " ",
    "\n",
    "\n\n",
    "- ",
    "> ",
    "1. ",
    "|",
    "|\n|-|-|\n",
]
PIECES += ["https://a.example/", "[a]: https://b.example/\n", "\\", "&amp;", "#", "~~", "  ", "```\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_what_is_short_is_read_as_markdown_it_reads_it(text: str) -> None:
    def web(url: str) -> bool:
        return safe_link(url) is not None

    peer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    peer.disable(["html_block", "html_inline"])
    peer.validateLink = web  # type: ignore[method-assign]
    ours = parser(definitions=True, valid_link=web)
    # The text of an image is read by the peer alone.
    drawn_by = [
        re.sub(r' alt="[^"]*"', "", html)
        for html in (ours.renderer.render(parse(ours, text), ours.options, {}), peer.render(text))
    ]
    assert drawn_by[0] == drawn_by[1]


def test_structure_as_people_write_it_is_kept() -> None:
    text = (
        "> one\n> > two\n> > > three\n\n- a\n  - b\n    - c\n      - d\n        1. e\n\n"
        "***both*** [a [b] c](https://b.example/) ![x [y](https://c.example/)](https://d.example/i.png)\n\n"
        "| a | b |\n|---|---|\n| c |\n| d | e | f |\n"
    )
    tree = drawn(text, answer=True)
    assert len(tree.xpath("//blockquote//blockquote//blockquote")) == 1
    assert len(tree.xpath("//ul//ul//ul//ul//ol")) == 1
    assert tree.xpath("string(//em/strong)") == "both"
    assert [link.get("href") for link in tree.xpath("//p[em]/a")] == ["https://b.example/", "https://d.example/i.png"]
    assert [[cell.text for cell in row] for row in tree.iter("tr")] == [["a", "b"], ["c", None], ["d", "e"]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("|a" * 10_000 + "|\n" + "|-" * 10_000 + "|\n" + "|a" * 10_000, id="many columns"),
        pytest.param("|a" * 10_000 + "|\n" + "|-" * 10_000 + "|\n" + "|a\n" * 10_000, id="many columns, short rows"),
        pytest.param(("|a" * 256 + "|\n" + "|-" * 256 + "|\n" + "|a\n" * 250 + "\n") * 60, id="many tables"),
        pytest.param("a|a\n-|-\n" * 8_000, id="rows that begin a table each"),
        pytest.param("|a|a|\n|-|-|\n" + "|a|a|\n" * 8_000, id="many rows"),
    ],
)
def test_a_table_is_drawn_whole_and_not_filled_up_without_end(text: str) -> None:
    tree = drawn(text, answer=False)
    assert tree.text_content().count("a") == text.count("a")
    assert len(tree.xpath("//td | //th")) <= 20_000 + len(text) / 2


def test_a_short_table_is_a_table_also_below_one_that_was_too_large() -> None:
    large = "|a" * 256 + "|\n" + "|-" * 256 + "|\n" + "|a\n" * 250 + "\n"
    tree = drawn(large * 20 + "| b | c |\n|---|---|\n| d | e |\n", answer=False)
    assert [cell.text for cell in tree.xpath("(//table)[last()]//*[self::td or self::th]")] == ["b", "c", "d", "e"]


def test_a_definition_of_many_characters_is_not_written_out_each_time_it_is_used() -> None:
    text = "[a]: https://b.example/" + "x" * 60_000 + "\n\n" + "[a] " * 60_000
    html = markdown_html(text)
    assert len(html) < 10 * len(text)
    assert lxml_html.fromstring(f"<div>{html}</div>").text_content().count("a") == 60_000
