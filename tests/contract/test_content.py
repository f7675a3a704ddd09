"""What the model reads: one line a source that parses back to what was found, and a page with its head."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import UNSET

from webcards.contract import (
    CITE,
    NAMELESS,
    WebFetchBody,
    WebFetchResult,
    WebSearchResult,
    WebSource,
    body_markdown,
    content,
    inline_text,
    one_line,
    render_fetch_output,
    render_search_output,
    source_label,
)

parser = MarkdownIt("commonmark")


def links_of(markdown: str) -> list[tuple[str, str]]:
    """(text, href) of every link, in order."""
    links = []
    for block in parser.parse(markdown):
        href = None
        text = ""
        for token in block.children or []:
            if token.type == "link_open":
                href, text = str(token.attrs["href"]), ""
            elif token.type == "link_close" and href is not None:
                links.append((text, href))
                href = None
            else:
                text += token.content
    return links


def text_of(markdown: str) -> str:
    return "".join(token.content for block in parser.parse(markdown) for token in block.children or [])


def test_the_parts_of_a_search_stand_in_order_with_blank_lines_between() -> None:
    value = WebSearchResult(
        [WebSource("https://a.example/x", "Title", "Snippet", "2026-01-02"), WebSource("https://b.example/")],
        True,
        "An answer.",
    )
    assert render_search_output(value) == (
        "An answer.\n\n"
        "Sources:\n"
        "- [Title](https://a.example/x) — Snippet (2026-01-02)\n"
        "- [b.example](https://b.example/)\n\n"
        "Only 2 sources are shown; more were found.\n\n" + CITE
    )


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (WebSource("https://a.example/", UNSET, "S"), "- [a.example](https://a.example/) — S"),
        (WebSource("https://a.example/", UNSET, UNSET, "2026"), "- [a.example](https://a.example/) — (2026)"),
        (WebSource("https://a.example/", " ", " ", ""), "- [a.example](https://a.example/)"),
        (WebSource("javascript:alert(1)", "T"), "- T javascript:alert(1)"),
        (WebSource("not a url"), "- not a url"),
        (WebSource("https://a.example:8443/x"), "- [a.example](https://a.example:8443/x)"),
        (WebSource("http://[::1]:8080/"), "- [\\[::1\\]](http://[::1]:8080/)"),
        (WebSource("https://a.example/", "\u200b\u2060"), "- [a.example](https://a.example/)"),
        (WebSource(""), f"- {NAMELESS}"),
        (WebSource("\u200b", "\u3164", "S", "2026"), f"- {NAMELESS} — S (2026)"),
        (WebSource("https://a.example/a b", "T"), "- [T](<https://a.example/a b>)"),
        (WebSource("https://a.example/(x", "T"), "- [T](<https://a.example/(x>)"),
        (WebSource("https://a.example/)x(", "T"), "- [T](<https://a.example/)x(>)"),
        (WebSource("https://a.example/?a=1&copy;=2", "T"), "- [T](<https://a.example/?a=1\\&copy;=2>)"),
        (WebSource("https://a.example/ <x>\\", "T"), "- [T](<https://a.example/ \\<x\\>\\\\>)"),
        (WebSource("https://a.example/\n<x>", "T"), "- T https://a.example/ \\<x>"),
    ],
)
def test_a_source_is_one_line(source: WebSource, line: str) -> None:
    assert render_search_output(WebSearchResult([source])).split("\n")[1] == line


@pytest.mark.parametrize(
    ("answer", "closed"),
    [
        ("So:\n\n```py\nx = 1", "So:\n\n```py\nx = 1\n```"),
        ("~~~~\n```\n", "~~~~\n```\n~~~~"),
        ("So it is. <!-- and", "So it is. <!-- and"),
        ("<!-- and", "<!-- and\n-->"),
        ("x\n\n<PRE>\n\nx", "x\n\n<PRE>\n\nx\n</PRE>"),
        ("<script>\n\nx", "<script>\n\nx\n</script>"),
        ("<?x", "<?x\n?>"),
        ("<!X", "<!X\n>"),
        ("<![CDATA[ x", "<![CDATA[ x\n]]>"),
        ("<pre>x</pre>", "<pre>x</pre>"),
        ("<div>\nx", "<div>\nx"),
        ("- <!-- x", "- <!-- x"),
        ("> ```\n> x", "> ```\n> x\n> ```"),
        ("1 < 2", "1 < 2"),
    ],
)
def test_an_answer_left_open_does_not_take_in_the_sources(answer: str, closed: str) -> None:
    text = render_search_output(WebSearchResult([WebSource("https://a.example/", "A")], content=answer))
    assert text == f"{closed}\n\nSources:\n- [A](https://a.example/)\n\n{CITE}"
    assert ("A", "https://a.example/") in links_of(text)


def test_nothing_found_says_so_and_asks_for_no_citation() -> None:
    assert render_search_output(WebSearchResult([])) == "No results found."
    assert render_search_output(WebSearchResult([], content="Only an answer.")) == "Only an answer."
    assert "Only 0 sources" in render_search_output(WebSearchResult([], True))
    assert "Only 1 source is shown" in render_search_output(WebSearchResult([WebSource("https://a.example/")], True))


@given(st.text(min_size=1), st.text())
@example("__init__.py *args* `code` <T> & \\n ~x~", "snake_case **bold** [x](y) &amp; <b>")
@example("_a_ b_ _c", "a\\")
@example("![x]", "# no heading")
def test_title_and_snippet_read_as_exactly_what_they_are(title: str, snippet: str) -> None:
    line = render_search_output(WebSearchResult([WebSource("https://a.example/", title, snippet)])).split("\n\n")[0]
    assert line.count("\n") == 1
    label = one_line(source_label(WebSource("https://a.example/", title)))
    assert links_of(line) == [(label, "https://a.example/")] if label else True
    assert one_line(snippet) in text_of(line)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_inline_text_is_read_back_by_a_markdown_reader(text: str) -> None:
    assert text_of("x " + inline_text(text)) == ("x " + one_line(text)).rstrip()


def test_a_page_stands_below_the_line_that_says_what_was_fetched() -> None:
    value = WebFetchResult("https://a.example/", 404, WebFetchBody("text", "Not here."))
    assert render_fetch_output(value, 1000) == ("Fetched https://a.example/ (HTTP 404)\n\nNot here.", False)


def test_a_page_that_the_provider_cut_says_so_even_where_all_of_it_fits() -> None:
    value = WebFetchResult("https://a.example/", 200, WebFetchBody("text", "Part."), True)
    text, truncated = render_fetch_output(value, 1000)
    assert truncated
    assert text.startswith("Fetched https://a.example/ (HTTP 200)\n\nPart.\n\n[")
    assert "was cut" in text


def test_reading_on_past_the_end_says_where_the_end_is() -> None:
    value = WebFetchResult("https://a.example/", 200, WebFetchBody("text", "12345"))
    text, truncated = render_fetch_output(value, 1000, 10_000)
    assert "ends at character 5" in text
    assert not truncated


def test_an_html_body_is_converted_once_however_often_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import html_to_markdown

    calls = []
    real = html_to_markdown.convert

    def counted(page: str) -> Any:
        calls.append(page)
        return real(page)

    monkeypatch.setattr(html_to_markdown, "convert", counted)
    content._converted.cache_clear()
    value = WebFetchResult("https://a.example/", 200, WebFetchBody("html", "<h1>T</h1><p>once <b>bold</b></p>"))
    for _ in range(3):
        assert render_fetch_output(value, 1000)[0].endswith("# T\n\nonce **bold**")
    assert len(calls) == 1


def test_a_page_that_the_converter_gives_up_on_comes_through_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    import html_to_markdown

    def failing(page: str) -> str:
        raise RuntimeError("no")

    monkeypatch.setattr(html_to_markdown, "convert", failing)
    content._converted.cache_clear()
    assert "a & b" in body_markdown(WebFetchBody("html", "<p>a &amp; b</p>"))
    content._converted.cache_clear()


def test_markdown_that_the_pipeline_made_is_taken_as_it_is() -> None:
    assert body_markdown(WebFetchBody("html", "<p>x</p>", "made")) == "made"


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    value = WebSearchResult([WebSource("https://a.example/\ud83d", "T\ud83d")], content="A\udc00")
    assert render_search_output(value).encode()
    fetched = WebFetchResult("https://a.example/\ud83d", 200, WebFetchBody("text", "x\ud83d"))
    assert render_fetch_output(fetched, 1000)[0].endswith("x\ufffd")
