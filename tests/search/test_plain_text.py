"""Plain text out of what engines send: nothing of HTML, nothing invisible, nothing lost that a reader needs."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.search.plain_text import one_line, plain, shortened


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Quay <strong>dues</strong> explained", "Quay dues explained"),
        ("Quay <b class='hit'>dues</b><br/>explained", "Quay dues explained"),
        ('<span class="searchmatch">Quay</span> dues', "Quay dues"),
        ("<p>First.</p><p>Second.</p>", "First. Second."),
        ("Tom &amp; Jerry&#39;s &quot;quay&quot; &#x2014; dues", 'Tom & Jerry\'s "quay" — dues'),
        ("<script>alert(1)</script>Dues<style>p{}</style> today", "Dues today"),
        ("Dues<!-- not shown --> today", "Dues today"),
        ("<STRONG>Dues</STRONG>", "Dues"),
        ("<em><b>Dues</em></b>", "Dues"),
    ],
)
def test_tags_and_entities_go(markup: str, text: str) -> None:
    assert plain(markup) == text


@pytest.mark.parametrize(
    "text",
    [
        "__init__.py *args* `code` <T> & \\n ~x~",
        "a < b and c > d",
        "List<Integer> in Java",
        "When to use the <b> element",
        "The <nav> and the <aside> element",
        "std::vector<int>::iterator",
        "AT&T and R&D",
        "x&y;z",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert plain(text) == text


def test_entities_are_decoded_once_and_what_they_write_is_no_tag() -> None:
    assert plain("&lt;b&gt;bold&lt;/b&gt; and &amp;lt;") == "<b>bold</b> and &lt;"


def test_white_space_of_every_kind_becomes_one_space() -> None:
    assert plain("  Quay\n\tdues\u00a0\u2003explained\r\n ") == "Quay dues explained"


@pytest.mark.parametrize(
    "hidden",
    [
        "\x00",
        "\x1b",
        "\x7f",
        "\x9b",
        "\u200b",
        "\ufeff",
        "\u00ad",
        "\u202e",
        "\u202a",
        "\u2066",
        "\u2069",
        "\ue000",
        "\U000e0041",
    ],
)
def test_characters_that_hide_or_turn_text_round_go(hidden: str) -> None:
    assert plain(f"invoice{hidden}gpj.exe") == "invoicegpj.exe"


@pytest.mark.parametrize(
    "text",
    [
        "رسوم الرصيف في الميناء",
        "دمي الرصيف (2026) \u200fA1\u200e",
        "می\u200cخواهم",  # a zero width non-joiner, without which the word is misspelt
        "👩\u200d🚀 and 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "葛\U000e0100飾区",  # a variation of the character that a name is written with
        "❤\ufe0f",
    ],
)
def test_what_other_scripts_and_emoji_need_stays(text: str) -> None:
    assert plain(text) == text


def test_a_run_of_variation_selectors_which_can_carry_a_message_is_cut_to_one() -> None:
    assert plain("A\ufe00\ufe01\ufe02\U000e0100\U000e0155B") == "A\ufe00B"


@pytest.mark.parametrize(
    "blank", ["", "  ", "\u200b", "\u3164", "\u2800\u2800", "\u200d", "\u200f", "<b></b>", "&nbsp;", "\ufeff"]
)
def test_a_text_of_which_nothing_is_seen_is_empty(blank: str) -> None:
    assert plain(blank) == ""


def test_a_lone_surrogate_is_replaced_since_it_cannot_be_sent() -> None:
    assert plain("Dues \ud83d today") == "Dues \ufffd today"


@given(st.text())
def test_the_result_is_one_line_that_can_be_encoded_and_cleaning_it_again_changes_nothing(text: str) -> None:
    line = one_line(text)
    line.encode()
    assert one_line(line) == line
    assert line == line.strip() and "  " not in line
    assert not any(unicodedata.category(character) == "Cc" for character in line)


@given(st.text(alphabet="<>/abp &;!-\"'=" + "script"), st.integers(1, 50))
def test_no_markup_raises_and_no_cut_is_too_long(text: str, limit: int) -> None:
    assert len(shortened(plain(text), limit)) <= limit


def test_a_text_is_cut_between_words_and_never_inside_a_character() -> None:
    assert shortened("quay dues explained", 14) == "quay dues…"
    assert shortened("short", 5) == "short"
    assert shortened("e\u0301" * 10, 6) == "e\u0301e\u0301…"
    assert shortened("👩\u200d🚀" * 4, 5) == "👩\u200d🚀…"
