"""JSON as it is edited in the gallery: nothing in it is invisible, faults are told in words, and a path leads to its line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.gallery.json_text import Fault, line_of, read, written
from components.gallery.states.sizes import nested

TEXT = """{
  "sources": [
    {
      "url": "https://a.example",
      "tags": [1, {"deep": "]}"}],
      "title": "a \\"quoted\\" {"
    },
    {
      "url": 7
    }
  ],
  "truncated": false
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$", 1),
        ("$.sources", 2),
        ("$.sources[0]", 3),
        ("$.sources[0].title", 6),
        ("$.sources[1]", 8),
        ("$.sources[1].url", 9),
        ("$.truncated", 12),
    ],
)
def test_a_path_leads_to_the_line_of_its_value(path: str, line: int) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    ("path", "line"), [("$.sources[1].title", 8), ("$.answer", 1), ("$.sources[7]", 2), ("$.truncated.x", 12)]
)
def test_what_is_missing_is_placed_at_what_is_around_it(path: str, line: int) -> None:
    assert line_of(TEXT, path) == line


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_what_is_written_reads_as_the_same_value(value: Any) -> None:
    text = written(value)
    text.encode()
    assert read(text) == value


def test_what_cannot_be_seen_is_written_as_an_escape() -> None:
    text = written("a\u202eb\u200bc\ud83dd\u2066e\ufefff")
    assert text == '"a\\u202eb\\u200bc\\ud83dd\\u2066e\\ufefff"'
    assert json.loads(text) == "a\u202eb\u200bc\ud83dd\u2066e\ufefff"


def test_other_scripts_stay_legible() -> None:
    assert written({"标题": "المدينة"}) == '{\n  "标题": "المدينة"\n}'


def test_a_deep_value_is_not_indented_to_the_edge_of_the_screen() -> None:
    text = written(nested(500))
    assert "\n" not in text
    assert read(text) == nested(500)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"a": 1,}', 1, "key"),
        ('{\n"a": 1\n"b": 2}', 3, "comma"),
        ('{"a" 1}', 1, "colon"),
        ('["a', 1, "string"),
        ("[1] [2]", 1, "ended"),
        ("", 1, "value"),
        ("[NaN]", 0, "NaN"),
        ("[" * 100_000, 0, "deep"),
    ],
)
def test_a_fault_is_told_in_words_with_its_line(text: str, line: int, words: str) -> None:
    fault = read(text)
    assert isinstance(fault, Fault)
    assert fault.line == line
    assert words in fault.words
