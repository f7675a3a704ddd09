"""A cut leaves whole graphemes, whole links and closed fences, at every length."""

import re

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webcards.contract import WebFetchBody, WebFetchResult, fetch_meta_from_value, fetch_part, render_fetch_output
from webcards.contract.cut import cut_markdown, first_unit, grapheme_boundary, open_fence

PIECES = [
    "plain words that go on ",
    "👨‍👩‍👧‍👦",
    "é́",
    "ก็",
    "한국어",
    "🇩🇪🇫🇷",
    "[a link](https://x.example/abc_(d))",
    "[![image](https://x.example/i.png)](https://x.example/big)",
    "<https://auto.example/path>",
    "https://bare.example/path?q=1",
    "[ref][one]",
    "\n\n",
    "\n",
    "\n```py\nx = 1\n```\n",
    "\n````md\n```\ninner\n```\n````\n",
    "\n~~~\ntilde\n~~~\n",
    "\n> quote\n> ```\n> code\n> ```\n",
    "\n- item\n  ```\n  code\n  ```\n",
    "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "`code [x](y)` ",
    "\\[not a link\\](x) ",
    "[open ",
    ")",
    "](",
]
documents = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
parser = MarkdownIt("commonmark")


def shown_links(text: str) -> list[str]:
    inline = [token for block in parser.parse(text) for token in block.children or []]
    return [str(token.attrs["href"]) for token in inline if token.type == "link_open"]


def unclosed_fence(text: str) -> bool:
    """Whether a line added at the end would be code."""
    tokens = parser.parse(text + "\n\nSENTINEL")
    return any("SENTINEL" in token.content for token in tokens if token.type in ("fence", "code_block"))


@given(documents, st.integers(0, 400))
@example("`` ` ``" * 40, 30)
def test_a_cut_is_a_beginning_and_leaves_graphemes_links_and_fences_whole(text: str, room: int) -> None:
    kept, closing = cut_markdown(text, room)
    assert text.startswith(kept)
    assert len(kept) + len(closing) <= room or kept == text
    boundaries = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    assert len(kept) in boundaries
    assert not unclosed_fence(kept + closing)
    whole = shown_links(text)
    for link in shown_links(kept + closing):
        assert link in whole


@given(documents, st.booleans())
def test_a_page_is_truncated_exactly_when_its_text_is_not_whole_at_every_max_chars(
    body: str, provider_cut: bool
) -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", body), provider_cut)
    whole = f"Fetched https://x.example/a (HTTP 200)\n\n{body}"
    for max_chars in {*range(0, 60, 7), *range(60, len(whole) + 90, 11), len(whole), len(whole) - 1}:
        if max_chars < 0:
            continue
        text, truncated = render_fetch_output(value, max_chars)
        assert len(text) <= max_chars
        assert truncated == (provider_cut or len(whole) > max_chars)
        assert (text == whole) == (not truncated)
        assert fetch_meta_from_value(value, max_chars)["truncated"] is truncated
        if truncated and max_chars > 200:
            assert "cut" in text.rsplit("\n\n", 1)[-1].lower()


@given(documents.filter(lambda body: len(body) > 50), st.integers(230, 400))
def test_reading_on_from_each_footer_gives_the_whole_page(body: str, max_chars: int) -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", body))
    start, read = 0, ""
    for _ in range(200):
        text, truncated = render_fetch_output(value, max_chars, start)
        shown = text.split("\n\n", 1)[1]
        if not truncated:
            read += shown[fetch_part(value, max_chars, start).lead :]
            break
        following = int(re.findall(r"start=(\d+)\.\]$", text)[0])
        assert following > start, "reading on makes progress"
        part = fetch_part(value, max_chars, start)
        assert shown[part.lead :].startswith(body[start : part.end])
        # Only a piece that does not fit whole, and may not be split, is passed over, and the text says so.
        assert part.end == following or (part.end == start and "is left out" in text)
        read += body[start:following]
        start = following
    assert read == body


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("no fence", ""),
        ("```\ncode\n```", ""),
        ("```py\ncode", "\n```"),
        ("```py\ncode\n", "```"),
        ("`````\n```\ncode\n", "`````"),
        ("~~~~\n```\n", "~~~~"),
        ("> ```\n> code\n", "> ```"),
        ("> ```\n> code\n> ", "\n> ```"),
        ("- a\n  ```\n  code\n", "  ```"),
        ("3. a\n   ~~~\n   code", "\n   ~~~"),
        ("> ```\n> code\n\nout of the quote", ""),
        ("> ```\n> code\n\n", ""),
        ("    ```\n    indented code\n", ""),
        ("inline ``` code", ""),
    ],
)
def test_an_open_fence_is_closed_with_its_own_mark(text: str, closing: str) -> None:
    assert open_fence(text) == closing


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("word and more", 1),
        ("e\u0301\u0301x", 3),
        ("[a](https://x.example/) tail", 23),
        ("![a](data:image/png;base64,AAAA) tail", 32),
        ("https://x.example/a tail", 1),
        ("```py\ncode", 6),
        ("a [b](c)", 1),
    ],
)
def test_the_first_piece_is_what_no_cut_may_split(text: str, length: int) -> None:
    assert first_unit(text) == length


def test_a_page_of_one_long_grapheme_is_cut_before_it() -> None:
    zalgo = "a" + "\u0301" * 500
    assert grapheme_boundary("xy" + zalgo, 100) == 2


@pytest.mark.parametrize("cut", range(1, 45))
def test_a_link_with_an_image_inside_is_cut_as_one(cut: int) -> None:
    link = "[![alt](https://x.example/i.png)](https://x.example/)"
    kept, _ = cut_markdown("see " + link, cut)
    assert kept == ("see " if cut >= 4 else "see "[:cut])


@pytest.mark.parametrize("text", ["[a](b and more words", "[a][b and more words", "[a] (b) and more", "a] [b"])
def test_brackets_that_make_no_link_do_not_move_the_cut(text: str) -> None:
    assert cut_markdown(text, len(text) - 1)[0].startswith(text[:3])


def test_where_nothing_fits_nothing_is_kept() -> None:
    assert cut_markdown("text", 0) == ("", "")
    assert cut_markdown("`" * 50 + "\ncode\n", 30) == ("", "")


def test_the_end_of_a_text_is_a_boundary() -> None:
    assert grapheme_boundary("ab", 5) == 2


CHINESE = "第一条规定港口收费，" * 3 + "详见[收费表](https://office.example/dues)。" + "第二条规定泊位，" * 6 + "\n\n"


@pytest.mark.parametrize(
    "body",
    [
        CHINESE * 6,
        ("See [two words](https://a.example/x), and " + "more " * 20) * 5,
        "[a](https://x.example/)[b](https://y.example/)" * 20,
        'See [a](https://x.example/ "ti ( tle") and [b](<https://y.example/a b>) too. ' * 8,
        "hi ![x](data:image/png;base64," + "A" * 900 + ") tail " * 3,
    ],
)
def test_no_max_chars_leaves_half_a_link(body: str) -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", body))
    for max_chars in range(40, 900):
        text, _ = render_fetch_output(value, max_chars)
        shown = text.split("\n\n", 1)[-1]
        assert "](" not in "".join(
            token.content for block in parser.parse(shown) for token in block.children or [] if token.type == "text"
        ), max_chars


def test_a_chinese_page_is_read_on_whole() -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", CHINESE * 4))
    start, read = 0, ""
    while start < len(CHINESE * 4):
        part = fetch_part(value, 240, start)
        assert part.end > start
        read += CHINESE[0:0] + (CHINESE * 4)[start : part.end]
        start = part.end
    assert read == CHINESE * 4


def test_reading_on_inside_a_code_block_begins_with_its_fence_again() -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", "```py\nab\ncd\n```\nafter"))
    text, truncated = render_fetch_output(value, 1000, 9)
    assert text.split("\n\n", 1)[1] == "```py\ncd\n```\nafter"
    assert not truncated


def test_a_page_cut_by_the_provider_leaves_no_fence_open() -> None:
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", "```\ncode"), True)
    text, _ = render_fetch_output(value, 1000)
    assert "```\ncode\n```\n\n[The page" in text


@pytest.mark.parametrize(
    ("text", "limit", "boundary"),
    [
        ("🇩🇪" * 5_000, 5_001, 5_000),
        ("🇩🇪" * 5_000, 5_002, 5_002),
        ("e" + "\u0301" * 5_000 + " tail", 4_000, 0),
        ("港口" * 5_000, 777, 777),
    ],
)
def test_long_rows_of_one_kind_are_cut_at_a_boundary(text: str, limit: int, boundary: int) -> None:
    assert grapheme_boundary(text, limit) == boundary


@pytest.mark.parametrize("piece", ["[a](", "[", "![", "](", "`", "[a](x (", "🇩", "e\u0301"])
def test_no_text_takes_long_to_cut(piece: str) -> None:
    text = piece * 60_000
    kept, _ = cut_markdown(text, len(text) // 2)
    assert text.startswith(kept)


def test_a_link_that_does_not_fit_is_passed_over_and_the_text_says_so() -> None:
    body = "[a](https://x.example/" + "a" * 500 + ") tail"
    value = WebFetchResult("https://x.example/a", 200, WebFetchBody("text", body))
    text, truncated = render_fetch_output(value, 250)
    assert truncated
    assert "A piece of 523 characters that cannot be split does not fit and is left out." in text
    assert text.endswith("start=523.]")
