"""What the inspector says of a call is copied as it is: every value whole, and nothing in it but its own characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html
from streamlit.testing.v1 import AppTest

from components.inspector import facts_html
from components.safe_text import display_text

VALUES = {
    "finalUrl": "https://www.a.example/x_y?q=*b*&c=<d>",
    "contentType": "text/html; charset=utf-8",
    "note": "a -> b, 5 >= 3, :smile: $x$ [y](https://b.example/) `code` | pipe",
    "site": "info@a.example",
    "redirects": ["https://a.example/ü", "https://b.example/"],
    "elapsedMs": 12.5,
    "fromLibrary": True,
    "title": "",
    "byline": None,
}


def page() -> None:
    from components.inspector import inspector
    from tests.components.test_inspector import VALUES
    from webcards.contract import Refusal, ToolResult

    refusal = Refusal("$.sources[2].title", "expected str, got int_x *y* https://a.example")
    inspector(key="k", result=ToolResult([]), events=[], details=VALUES, refusal=refusal)


def opened(pane: str) -> list[tuple[str, str]]:
    test = AppTest.from_function(page, default_timeout=30).run()
    test.button_group[0].set_value(pane).run()
    assert not test.exception
    (drawn,) = test.html
    rows = lxml_html.fromstring(str(drawn.body)).xpath("//tr")
    return [(row.xpath("string(th)"), row.xpath("string(td)")) for row in rows]


def test_the_facts_of_a_retrieval_are_copied_as_they_are() -> None:
    assert opened("retrieval") == [
        ("Final URL", "https://www.a.example/x_y?q=*b*&c=<d>"),
        ("Content type", "text/html; charset=utf-8"),
        ("Note", "a -> b, 5 >= 3, :smile: $x$ [y](https://b.example/) `code` | pipe"),
        ("Site", "info@a.example"),
        ("Redirects", '["https://a.example/ü", "https://b.example/"]'),
        ("Time (ms)", "12.5"),
        ("From the built-in library", "true"),
    ]


def test_the_place_where_a_meta_is_wrong_is_copied_as_it_is() -> None:
    assert opened("why") == [
        ("Place", "$.sources[2].title"),
        ("Reason", "expected str, got int_x *y* https://a.example"),
    ]


@given(st.text(), st.text())
def test_no_fact_can_bring_anything_but_text(name: str, value: str) -> None:
    tree = lxml_html.fromstring(facts_html({name: value}))
    assert {element.tag for element in tree.iter()} == {"table", "tbody", "tr", "th", "td"}
    assert tree.xpath("string(//td)").replace("\r", "\n") == display_text(value).replace("\r\n", "\n").replace(
        "\r", "\n"
    )


@pytest.mark.parametrize("half", ["\ud83d", "a\ud83d"])
def test_half_a_character_takes_no_page_down(half: str) -> None:
    assert facts_html({half: half}).encode()
