"""The marks that models write: each kind is found with the sources that it names, and what only looks like one is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.search.cited import Citation, citations, citations_in_markdown, same_address, with_readable_marks


def found(text: str, count: int = 3) -> list[tuple[str, tuple[int, ...], bool]]:
    return [(text[mark.start : mark.end], mark.numbers, mark.missing) for mark in citations(text, count)]


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[1]", (1,)),
        ("[1, 2]", (1, 2)),
        ("[2,1]", (2, 1)),
        ("[1; 3]", (1, 3)),
        ("[1，2]", (1, 2)),
        ("[1-3]", (1, 2, 3)),
        ("[1–3]", (1, 2, 3)),
        ("[1, 2–3]", (1, 2, 3)),
        ("[^1]", (1,)),
        ("[^1^]", (1,)),
        ("[[1]]", (1,)),
        ("［1］", (1,)),
        ("［１、２］", (1, 2)),
        ("[1†L3-L9]", (1,)),
        ("[citation:1]", (1,)),
        ("[Source 2]", (2,)),
        ("[web:3]", (3,)),
        ("【1】", (1,)),
        ("【1†source】", (1,)),
        ("【1:0†source】", (1,)),
        ("【1†L3-L9】", (1,)),
        ("【2†A title, 3 pages】", (2,)),
        ("【1†a; 2†b】", (1, 2)),
        ("【1-3】", (1, 2, 3)),
        ("citeturn0search0", (1,)),
        ("citeturn0search2turn0news1turn0search0", (3, 1)),
        ("[turn0search1]", (2,)),
        ("(turn0search1, turn0search2)", (2, 3)),
        ("fileciteturn0file0L1-L3", ()),
        ("fileciteL1-L3", ()),
        ("citeturn1search0", ()),
    ],
)
def test_a_mark_names_its_sources(mark: str, numbers: tuple[int, ...]) -> None:
    for text in (mark, f"Dues rose {mark}.", f"Dues rose{mark}and fell"):
        assert found(text) == [(mark, numbers, False)]


@pytest.mark.parametrize("mark", ["[4]", "[0]", "[2-4]", "[3-1]", "[1-99]", "[^4]", "【4†source】", "［4］", "[999]"])
def test_a_mark_that_names_no_source_says_so(mark: str) -> None:
    assert found(mark) == [(mark, (), True)]
    assert found("[1, 4]") == [("[1, 4]", (1,), True)]
    assert found("citeturn0search0turn0search3") == [("citeturn0search0turn0search3", (1,), True)]


@pytest.mark.parametrize(
    "text",
    [
        "[2024]",
        "[1:2]",
        "[1.5]",
        "[ ]",
        "[x1]",
        "[1 x]",
        "[12345]",
        "a[i]",
        "【3月】",
        "【第1章】",
        "return 0search1",
        "recited",
        "citation",
        "x²",
        "5 m²",
        "3 km²",
        "90 metres²",
        "sin² x",
        "10³",
        "CO₂",
        "¹⁴C",
        "s⁻¹",
        "Haus⁹",
        "dues¹⁻¹⁻¹",
        "dues⁰",
        "10<sup>2</sup>",
        "<sup>th</sup>",
    ],
)
def test_what_only_looks_like_a_mark_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "count", "numbers"),
    [
        ("dues¹", 3, [(1,)]),
        ("dues¹²", 3, [(1, 2)]),
        ("dues¹²", 12, [(12,)]),
        ("dues¹,²", 3, [(1, 2)]),
        ("dues¹⁻³", 3, [(1, 2, 3)]),
        ("rose.² Fell,³", 3, [(2,), (3,)]),
        ("rose.”¹", 3, [(1,)]),
        ("增长率¹。", 3, [(1,)]),
        ("rose<sup>1, 2</sup> <sup>[3]</sup>", 3, [(1, 2), (3,)]),
    ],
)
def test_a_raised_number_after_a_word_is_a_mark(text: str, count: int, numbers: list[tuple[int, ...]]) -> None:
    assert [named for _, named, _ in found(text, count)] == numbers


def test_a_range_is_as_long_as_a_citation_may_be() -> None:
    assert found("[1-50]", 1000) == [("[1-50]", tuple(range(1, 51)), False)]
    assert found("[1-500]", 1000) == [("[1-500]", (), True)]


@pytest.mark.parametrize(
    ("answer", "readable"),
    [
        ("a\ue200cite\ue202turn0search1\ue201 b", "a【2】 b"),
        ("a\ue200cite\ue202turn0search1\ue202turn0search0\ue201", "a【2】【1】"),
        ("a\ue200citeturn0search1\ue201", "a【2】"),
        ("a\ue200cite\ue202turn0search1\ue202turn0search1 b", "a【2】 b"),
        ("acite\ue202turn0search1\ue201 b", "a【2】 b"),
        ("a\ue200cite\ue202turn0search7\ue202turn2search0\ue201 b", "a b"),
        ("a\ue200filecite\ue202turn0file0\ue202L1-L3\ue201 b", "a b"),
        ("a\ue200filecite\ue202L1-L3 b", "a b"),
        ('a\ue200image_group\ue202{"q": ["[1]"]}\ue201 b', "a b"),
        ("a\ue200i\ue202turn0image0\ue202turn0image1\ue201 b", "a b"),
        ("a\ue200cite\ue202turn0se", "a"),
        ("a\ue200", "a"),
        ("\ue203a\ue204 b\uf8ff", "a b"),
        ("recited and cited", "recited and cited"),
    ],
)
def test_a_mark_in_private_use_characters_becomes_readable_or_vanishes_whole(answer: str, readable: str) -> None:
    assert with_readable_marks(answer, 3) == readable


def test_marks_in_code_in_links_and_before_definitions_are_no_citations() -> None:
    answer = (
        "Dues rose [1] as `a[2]` and [three [3]](https://a.example/(x)) say.\n\n"
        "```\n[2]\n```\n\n[2](https://b.example)\n\n[3]: https://c.example/\n\nAnd\ue200cite\ue202turn0search8\ue201."
    )
    assert [(mark, cited.numbers, cited.missing) for mark, cited in citations_in_markdown(answer, 3)] == [
        ("[1]", (1,), False),
        ("【9】", (), True),
    ]


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://a.example", "https://a.example/"),
        ("https://A.example/x/#part", "https://a.example/x"),
        ("https://a.example/x?utm_source=openai", "https://a.example/x"),
        ("https://a.example/x?utm_source=openai&y=1", "https://a.example/x?y=1"),
    ],
)
def test_an_address_is_the_same_with_what_a_provider_adds(url: str, other: str) -> None:
    assert same_address(url) == same_address(other)
    assert same_address(url) != same_address("https://a.example/z")


_MARKS = st.text(alphabet="[]［］【】()^†:;,-–12３ ¹²³⁻citeurnsarhlL0.<>/p\ue200\ue201\ue202a\n`") | st.text()


@given(_MARKS, st.integers(0, 30))
def test_marks_stand_in_order_and_name_only_sources_that_are_there(text: str, count: int) -> None:
    marks: list[Citation] = list(citations(text, count))
    edges = [edge for mark in marks for edge in (mark.start, mark.end)]
    assert edges == sorted(edges)
    assert all(1 <= number <= count for mark in marks for number in mark.numbers)
    assert all(1 <= number <= count for _, mark in citations_in_markdown(text, count) for number in mark.numbers)
    assert not any("\ue000" <= char <= "\uf8ff" for char in with_readable_marks(text, count))


@pytest.mark.parametrize(
    "unit",
    ["[", "[1", "[1,", "[[1", "【1", "【1†", "¹", "a¹", "cite", "turn0search", "citeturn0search1,", "<sup>", "`"],
)
def test_hundreds_of_thousands_of_beginnings_of_marks_are_read(unit: str) -> None:
    assert sum(1 for _ in citations_in_markdown(unit * 200_000, 3)) <= 200_000


@pytest.mark.parametrize("unit", ["\ue200", "\ue200cite", "\ue202turn0search1", "\ue200cite\ue202", "file", "\ue200a"])
def test_hundreds_of_thousands_of_private_use_marks_are_read(unit: str) -> None:
    assert "\ue200" not in with_readable_marks(unit * 200_000, 3)
