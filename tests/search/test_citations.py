"""Citations hold what the source says, in the words of each format, and nothing that would break the file."""

import json

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webcards.contract import WebSource
from webcards.search.citations import FORMATS, as_bibtex, as_csl_json, as_markdown, as_ris

SOURCES = [
    WebSource(
        "https://a.example/x_y?q=1%20&b", "100 % of {dues} & _more_ [part] \\", "About $5", "2026-04-30T10:00:00Z"
    ),
    WebSource("https://b.example/", published_at="6 days ago"),
    WebSource("javascript:alert(1)", "No link"),
    WebSource("https://c.example/(a]b", "A ] in the title", published_at="2026-05"),
]


def links(markdown: str) -> list[tuple[str, str]]:
    found = []
    for block in MarkdownIt("commonmark").parse(markdown):
        href, text = "", ""
        for token in block.children or []:
            if token.type == "link_open":
                href, text = str(token.attrs["href"]), ""
            elif token.type == "link_close":
                found.append((text, href))
            else:
                text += token.content
    return found


def test_markdown_links_have_the_whole_title_and_url() -> None:
    assert links(as_markdown(SOURCES)) == [
        ("100 % of {dues} & _more_ [part] \\", "https://a.example/x_y?q=1%20&b"),
        ("b.example", "https://b.example/"),
        ("A ] in the title", "https://c.example/(a%5Db"),
    ]
    assert "3. No link javascript:alert(1)" in as_markdown(SOURCES)


def test_bibtex_escapes_what_tex_would_read() -> None:
    entry = as_bibtex(SOURCES[:1])
    assert entry == (
        "@misc{a-example-1,\n"
        r"  title = {{100 \% of \{dues\} \& \_more\_ [part] \textbackslash{}}},"
        "\n"
        r"  howpublished = {\url{https://a.example/x_y?q=1%20&b}},"
        "\n"
        "  url = {https://a.example/x_y?q=1%20&b},\n"
        "  year = {2026},\n"
        "  month = {4}\n"
        "}"
    )


def test_ris_has_one_record_a_source_and_only_certain_dates() -> None:
    records = as_ris(SOURCES).split("ER  - \r\n")[:-1]
    assert len(records) == 4
    assert "DA  - 2026/04/30/" in records[0]
    assert "DA" not in records[1]
    assert "DA  - 2026/05//" in records[3]


def test_csl_json_has_the_date_s_parts_as_far_as_they_go() -> None:
    items = json.loads(as_csl_json(SOURCES))
    assert [item.get("issued") for item in items] == [
        {"date-parts": [[2026, 4, 30]]},
        None,
        None,
        {"date-parts": [[2026, 5]]},
    ]
    assert items[1]["title"] == "b.example"


@given(
    st.lists(
        st.builds(WebSource, url=st.text(), title=st.text(), snippet=st.text(), published_at=st.text()), max_size=3
    )
)
def test_no_source_breaks_a_format(sources: list[WebSource]) -> None:
    for _, write in FORMATS.values():
        assert write(sources).encode() is not None
    assert len(json.loads(as_csl_json(sources))) == len(sources)
    assert as_ris(sources).count("\r\nER  - \r\n") == len(sources)
    assert as_markdown(sources).count("\n") == max(0, len(sources) - 1)
