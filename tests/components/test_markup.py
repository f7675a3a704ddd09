"""The card's markup: complete, numbered, and nothing in it but text that was escaped and links that were checked."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html
from msgspec import UNSET

from components.i18n import in_language
from components.markup import card_html, generic_html, page_html, pending_html, result_html, status_class
from components.safe_text import MOST_CHIPS, display_text, markdown_html, md_escape
from tests.contract.json_values import any_json
from webcards.contract import (
    Refusal,
    WebFetchResultView,
    WebSearchResultView,
    WebSource,
    present_search_call,
)

TRICKS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \tjavascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    "javascript&colon;alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "[x](javascript:alert(1)) ![x](https://evil.example/i.png)",
    "<https://auto.example>",
    ":red[x] :material/home: $x$ ~~s~~ **b**",
    "\u202egnp.exe",
    "half \ud83d",
    "\x00\x01\x02",
]
hostile = st.sampled_from(TRICKS) | st.text(max_size=30)
ALLOWED = {
    "article",
    "div",
    "span",
    "p",
    "ol",
    "ul",
    "li",
    "a",
    "time",
    "button",
    "details",
    "summary",
    "mark",
    "pre",
    "code",
}
ALLOWED |= {"strong", "em", "s", "sup", "br", "hr", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"class", "id", "lang", "dir", "href", "target", "rel", "value", "role", "tabindex", "datetime", "data-n"}
ATTRIBUTES |= {"data-mark", "data-badge", "style", "title", "type", "start", "aria-label", "aria-busy", "open"}


def assert_inert(html: str) -> Any:
    """Only the elements, attributes and links that a card is made of."""
    assert html.encode()
    tree = lxml_html.fromstring(html)
    for element in tree.iter():
        assert element.tag in ALLOWED, element.tag
        assert set(element.attrib) <= ATTRIBUTES, element.attrib
        href = element.get("href")
        if href is not None and not href.startswith("#card-"):
            assert href.startswith(("https://", "http://"))
            assert element.get("target") == "_blank"
            assert set(element.get("rel", "").split()) >= {"noopener", "noreferrer"}
    return tree


@given(hostile, hostile, hostile, hostile, hostile, hostile)
def test_no_field_of_a_search_can_bring_anything_but_text(
    title: str, url: str, label: str, snippet: str, date: str, answer: str
) -> None:
    sources = [WebSource(url, label, snippet, date), WebSource("https://ok.example/", snippet, label, url)]
    view = WebSearchResultView(title=title, sources=sources, answer=answer, truncated=True)
    tree = assert_inert(card_html(view, actions=True))
    assert [row.get("value") for row in tree.xpath("//ol[@role='list']/li")] == ["1", "2"]


@given(hostile, hostile, hostile, st.integers())
def test_no_field_of_a_fetch_can_bring_anything_but_text(title: str, url: str, text: str, status: int) -> None:
    view = WebFetchResultView(title=title, url=url, status_code=status, truncated=False)
    assert_inert(card_html(view, text, opened=True))


@given(hostile, hostile, hostile, hostile)
def test_no_text_of_a_generic_or_running_card_is_interpreted(title: str, text: str, reason: str, code: str) -> None:
    assert_inert(generic_html(title, text, refusal=Refusal("$", reason), error_code=code))
    assert_inert(pending_html(present_search_call({"query": title}), text))


@given(st.sampled_from(["web_search", "web_fetch", "other"]), any_json, any_json)
def test_no_recorded_result_makes_the_drawing_raise(tool: str, args: Any, result: Any) -> None:
    assert_inert(result_html(tool, args, result))


@given(hostile)
def test_markdown_from_outside_becomes_nothing_but_structure_and_web_links(text: str) -> None:
    html = markdown_html(text)
    if html:
        assert_inert(f"<div>{html}</div>")


def test_an_image_becomes_a_link_that_loads_nothing() -> None:
    tree = assert_inert(
        f"<div>{markdown_html('![The mole](https://a.example/m.png) [![in](https://a.example/i.png)](https://b.example/)')}</div>"
    )
    assert [(link.text, link.get("href")) for link in tree.xpath("//a")] == [
        ("The mole", "https://a.example/m.png"),
        ("in", "https://b.example/"),
    ]


def test_every_source_is_drawn_numbered_with_host_date_and_snippet() -> None:
    sources = [
        WebSource("https://docs.example/a", "Alpha", "short", "2026-04-30T10:00:00Z"),
        WebSource("https://例え.example/", UNSET, "long " * 60, "6 days ago"),
        WebSource("mailto:x@y.example", "Gamma"),
    ]
    tree = lxml_html.fromstring(card_html(WebSearchResultView(sources=sources, truncated=False)))
    first, second, third = tree.xpath("//ol/li")
    assert first.xpath("string(a)") == "Alpha"
    assert first.xpath("string(span)") == "docs.example"
    assert (first.xpath("string(time)"), first.xpath("string(time/@datetime)")) == (
        "2026-04-30",
        "2026-04-30T10:00:00Z",
    )
    assert first.xpath("string(p)") == "short"
    assert second.xpath("string(a)") == "xn--r8jz45g.example"
    assert second.xpath("string(span)") == "例え.example (xn--r8jz45g.example)"
    assert (second.xpath("string(time)"), second.xpath("time/@datetime")) == ("6 days ago", [])
    assert len(second.xpath("details/summary")) == 1
    assert third.xpath("a") == []
    assert third.xpath("string(span[1])") == "Gamma"


def test_a_title_that_names_another_site_is_marked() -> None:
    view = WebSearchResultView(
        sources=[
            WebSource("https://evil.example/login", "https://bank.example/"),
            WebSource("https://docs.example/a", "docs.example - Home"),
            WebSource("https://www.docs.example/a", "docs.example"),
            WebSource("https://docs.example/a", "Sign in: bank.example"),
        ],
        truncated=False,
    )
    marks = lxml_html.fromstring(card_html(view)).xpath("//li/span[contains(@class, 'wc-odd')]")
    assert [mark.text for mark in marks] == ["evil.example", "docs.example"]
    assert all("bank.example" in mark.get("title") for mark in marks)


ANSWERS = [
    ("Dues rose [1] and fell [2].", ["1", "2"], "Dues rose 1 and fell 2."),
    ("Both 【2†source】【1】.", ["2", "1"], "Both 21."),
    ("Lists [1, 2] [1,2] [2;1] ［1，2］ ［１］.", ["1", "2", "1", "2", "2", "1", "1", "2", "1"], None),
    ("Ranges [1-3] [1–2] [2 — 3] 【1-2】.", ["1", "2", "3", "1", "2", "2", "3", "1", "2"], None),
    ("Notes [^1] and [^1^][^2^].", ["1", "1", "2"], "Notes 1 and 12."),
    ("Files 【1:0†source】【2†L3-L9】[1†L3].", ["1", "2", "1"], "Files 121."),
    ("Double [[1]] and [[2]], words [citation:3] [source 1].", ["1", "2", "3", "1"], None),
    ("Raised, as dues¹² rose.³ For **all**¹", ["1", "2", "3", "1"], "Raised, as dues12 rose.3 For all1"),
    ("Raised<sup>1</sup> <sup>[2]</sup>, 10<sup>2</sup>", ["1", "2"], "Raised1 2, 10<sup>2</sup>"),
    ("Powers: 5 m², 3 km², x², 100 metres², sin²", [], "Powers: 5 m², 3 km², x², 100 metres², sin²"),
    ("Out of range [4] [0] [99] [2-4] [3-1] [1, 9].", [], "Out of range [4] [0] [99] [2-4] [3-1] [1, 9]."),
    ("Years [2024], verses [1:2], 【3月】, [1 x].", [], "Years [2024], verses [1:2], 【3月】, [1 x]."),
    ("In `code [1]` and [a link [1]](https://ok.example/).", [], "In code [1] and a link [1]."),
    (
        "Links to sources [[1]](https://a.example/) [2](https://b.example?utm_source=x).",
        ["1", "2"],
        "Links to sources 1 2.",
    ),
    ("By its address, not its number: [[3]](https://a.example/).", ["1"], "By its address, not its number: 1."),
    ("A footnote-like [[1]](https://ok.example/).", [], "A footnote-like [1]."),
    ("Private \ue200cite\ue202turn0search0\ue201 marks.", ["1"], "Private 1 marks."),
    ("Two\ue200cite\ue202turn0search2\ue202turn0search0\ue201.", ["3", "1"], "Two31."),
    ("None\ue200cite\ue202turn0search9\ue202turn1search0\ue202turn0news0\ue201.", [], "None."),
    ("File\ue200filecite\ue202turn0file0\ue202L1-L3\ue201.", [], "File."),
    ('Image\ue200image_group\ue202{"query":["a *b* [1]"]}\ue201.', [], "Image."),
    ("Cut\ue200cite\ue202turn0sea", [], "Cut"),
    ("\ue203Span\ue204\ue200cite\ue202turn0search0\ue201 \uf8ff", ["1"], "Span1"),
    ("Lostciteturn0search1turn0search0 [turn0search2].", ["2", "1", "3"], "Lost21 3."),
    ("Lost fileciteturn0file0L1-L3 fileciteL1-L3.", [], "Lost  ."),
    ("# Head [1]\n\n| a [2] |\n|---|\n| b¹ |\n", ["1", "2"], None),
    ("Dues [1].\n\n[1]: https://evil.example/x_y_z 'T'", ["1"], "Dues 1.\n[1]: https://evil.example/x_y_z 'T'"),
    ("[1]: https://evil.example", [], "[1]: https://evil.example"),
    ("[1]: javascript:alert(1)\n[docs]: <https://ok.example/>", [], None),
    ("[^1]: A note [2]\n[2]: another", ["2"], "[^1]: A note 2\n[2]: another"),
]


@pytest.mark.parametrize(("answer", "chips", "text"), ANSWERS)
def test_a_citation_in_the_answer_leads_to_its_source(answer: str, chips: list[str], text: str | None) -> None:
    sources = [WebSource(f"https://{letter}.example/") for letter in "abc"]
    html = card_html(WebSearchResultView(sources=sources, answer=answer, truncated=False), card_id="card")
    tree = assert_inert(html)
    links = tree.xpath("//a[@class='wc-cite']")
    assert [link.text for link in links] == chips
    for link in links:
        assert tree.xpath("//li[@id=$id]", id=link.get("href")[1:])[0].get("value") == link.text
    shown = tree.xpath("string(//div[@class='wc-answer'])")
    assert not re.search("[\ue000-\uf8ff]|turn\\d|cite(?!d)", shown.replace("[citation", ""))
    if text is not None:
        assert "\n".join(line for line in shown.split("\n") if line) == text


def test_a_definition_in_an_answer_is_seen_and_its_address_can_be_followed() -> None:
    answer = "[1]: https://evil.example/ 'T'\n[docs]: javascript:alert(1)"
    sources = [WebSource("https://a.example/")]
    html = card_html(WebSearchResultView(sources=sources, answer=answer, truncated=False))
    answered = assert_inert(html).xpath("//div[@class='wc-answer']")[0]
    assert [(link.text, link.get("href")) for link in answered.iter("a")] == [
        ("https://evil.example/", "https://evil.example/")
    ]
    alone = card_html(WebSearchResultView(sources=[], answer=answer, truncated=False))
    assert "No results found" not in alone
    assert "javascript:alert(1)" in alone


def test_a_fetched_page_keeps_its_own_definitions() -> None:
    html = markdown_html("[a][1] and [b]\n\n[1]: https://a.example/\n[b]: https://b.example/")
    tree = assert_inert(f"<div>{html}</div>")
    assert [link.get("href") for link in tree.iter("a")] == ["https://a.example/", "https://b.example/"]


def test_an_answer_of_nothing_but_citations_gets_so_many_chips_and_no_more() -> None:
    sources = [WebSource(f"https://a.example/{n}") for n in range(60)]
    html = card_html(WebSearchResultView(sources=sources, answer="[1-50] [1-60] " * 1000, truncated=False))
    assert html.count("wc-cite") == MOST_CHIPS
    assert html.count("[1-60]") == 1000


def test_an_answer_of_millions_of_characters_is_shown_as_its_beginning() -> None:
    html = card_html(WebSearchResultView(sources=[], answer="word " * 1_400_000, truncated=False))
    assert len(html) < 500_000
    assert "6,600,000" in html


def test_a_table_scrolls_in_a_box_of_its_own_that_has_a_name() -> None:
    table = "| a | b |\n|---|---|\n| c | d |"
    view = WebSearchResultView(sources=[], answer=table, truncated=False)
    for html in (card_html(view), f"<div>{markdown_html(table)}</div>"):
        (box,) = assert_inert(html).xpath("//table/..")
        assert (box.get("class"), box.get("role"), box.get("tabindex")) == ("wc-wide", "group", "0")
        assert box.get("aria-label") == "Table"
    with in_language("zh"):
        assert 'aria-label="表格"' in card_html(view)


def test_the_query_s_words_are_marked_in_the_snippet_and_nowhere_else() -> None:
    source = WebSource("https://a.example/", "Harbour", 'The harbours & <b>dues</b> of "amp"', UNSET)
    tree = assert_inert(card_html(WebSearchResultView(title="harbour dues amp", sources=[source], truncated=False)))
    assert [mark.text for mark in tree.xpath("//mark")] == ["harbours", "dues", "amp"]
    assert tree.xpath("string(//li/p)") == 'The harbours & <b>dues</b> of "amp"'
    chinese = WebSource("https://a.example/", "T", "北海堤大风", UNSET)
    tree = lxml_html.fromstring(card_html(WebSearchResultView(title="大风", sources=[chinese], truncated=False)))
    assert [mark.text for mark in tree.xpath("//mark")] == ["大风"]


@pytest.mark.parametrize(
    ("status", "chip", "css"),
    [
        (200, "HTTP 200 OK", "s2"),
        (301, "HTTP 301 Moved Permanently", "s3"),
        (404, "HTTP 404 Not Found", "s4"),
        (503, "HTTP 503 Service Unavailable", "s5"),
        (103, "HTTP 103 Early Hints", "s1"),
        (299, "HTTP 299", "s2"),
        (0, "HTTP 0", "s0"),
        (999, "HTTP 999", "s0"),
        (-5, "HTTP -5", "s0"),
        (10**400, "HTTP …", "s0"),
    ],
)
def test_the_status_is_shown_as_it_is_coloured_by_its_class(status: int, chip: str, css: str) -> None:
    tree = lxml_html.fromstring(
        card_html(WebFetchResultView(url="https://a.example/", status_code=status, truncated=False))
    )
    badge = tree.xpath("//span[contains(@class, 'wc-status')]")[0]
    assert badge.text_content().strip() == chip
    assert css in badge.get("class").split()


def test_a_status_that_was_never_recorded_is_not_shown() -> None:
    html = card_html(WebFetchResultView(url="https://a.example/", truncated=False))
    assert "HTTP" not in html
    assert status_class(None) == "s0"


def test_the_page_is_read_below_its_head_without_the_line_that_repeats_it() -> None:
    view = WebFetchResultView(title="https://a.example/", url="https://a.example/", status_code=200, truncated=False)
    tree = lxml_html.fromstring(card_html(view, "Fetched https://a.example/ (HTTP 200)\n\n# Head\n\nBody $5 :red[x]"))
    body = tree.xpath("//div[contains(@class, 'wc-body')]")[0]
    assert body.xpath("string(h2)") == "Head"
    assert body.xpath("string(p)") == "Body $5 :red[x]"


def test_a_known_page_title_stands_for_a_title_that_is_only_the_url() -> None:
    view = WebFetchResultView(title="https://a.example/", url="https://a.example/", status_code=200, truncated=False)
    assert lxml_html.fromstring(card_html(view, page_title="The page")).xpath("string(//p[@dir][1])") == "The page"


def test_a_text_of_millions_of_characters_is_shown_as_its_beginning() -> None:
    view = WebFetchResultView(url="https://a.example/", status_code=200, truncated=False)
    html = card_html(view, "word " * 1_400_000)
    assert len(html) < 500_000
    assert "6,600,000" in html
    assert len(generic_html("t", "x" * 7_000_000)) < 500_000


def test_nothing_found_and_an_answer_alone_look_different() -> None:
    empty = WebSearchResultView(sources=[], truncated=False)
    answered = WebSearchResultView(sources=[], answer="Yes.", truncated=False)
    assert "No results found" in card_html(empty)
    assert "No results found" not in card_html(answered)


def test_a_standalone_page_loads_nothing() -> None:
    view = WebSearchResultView(sources=[WebSource("https://a.example/")], truncated=False)
    page = page_html(card_html(view))
    assert page.startswith("<!doctype html>")
    assert not re.search(r"(?i)<(script|link|img|iframe)\b|@import|url\((?![\"']?data:)", page)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x00b\x1b[0m", "ab[0m"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\u2067rtl\u2069", "rtl"),
        ("مرحبا\u200f", "مرحبا\u200f"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("half \ud83d", "half \ufffd"),
    ],
)
def test_what_could_turn_the_page_around_is_left_out_of_what_is_shown(text: str, shown: str) -> None:
    assert display_text(text) == shown


@pytest.mark.parametrize(
    "text", ["*b* _i_ `c`", ":red[x] :material/home:", "a -> b <- c >= d", "[x](y) ![z](w)", "$x$"]
)
def test_a_label_keeps_every_character_and_escapes_the_punctuation(text: str) -> None:
    escaped = md_escape(text)
    assert escaped.replace("\\", "").replace("\u2060", "") == text
    assert not re.search(r"(?<!\\)[*_`\[\]$:<>]", escaped)


@pytest.mark.parametrize("title", ["\u202e", "\x00", "\u200b\u200b", "\u00ad", "\u2800", "\u3164"])
def test_a_title_of_nothing_visible_is_called_by_its_host(title: str) -> None:
    view = WebSearchResultView(sources=[WebSource("https://a.example/x", title)], truncated=False)
    assert lxml_html.fromstring(card_html(view)).xpath("string(//li/a)") == "a.example"


@pytest.mark.parametrize(
    "text", ["a &#x202e;b", "a &#8238;b", "[a &#x202e;b](https://a.example/)", "| a &#x202e;b |\n|---|"]
)
def test_an_entity_cannot_turn_the_text_around(text: str) -> None:
    assert "\u202e" not in lxml_html.fromstring(f"<div>{markdown_html(text)}</div>").text_content()
