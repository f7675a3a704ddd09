"""What is no HTML: JSON, XML, feeds, tables, PDF, plain text and Markdown, each read as what it is."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from tests.fetch.reading import read
from webcards.contract.errors import WebError
from webcards.fetch.csv_table import csv_table
from webcards.fetch.json_text import pretty_json

RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Quay news</title><link>/</link>
<description>What happens on the quay</description>
<item><title>Gate &amp;amp; ladder [painted]</title><link>/2026/gate_(b)</link><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate>
<description><![CDATA[<p>Green, <a href="x">again</a>.</p><p>Wet until Friday.</p>]]></description></item>
<item><title>No link</title></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title><entry><title type="html">High &lt;b&gt;water&lt;/b&gt;</title>
<link rel="self" href="/self"/><link href="/e/1"/><updated>2026-01-02T03:04:05Z</updated><author><name>The office</name></author>
<summary>At noon.</summary></entry></feed>"""


def _pdf(*pages: str, password: str | None = None) -> bytes:
    """A PDF with a line of Helvetica on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        stream = f"BT /F1 14 Tf 72 720 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode())
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{offset:010} 00000 n \n" for offset in offsets).encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    if password is None:
        return out.getvalue()
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(out.getvalue())))
    writer.encrypt(password, algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    return locked.getvalue()


def test_markdown_passes_through_untouched() -> None:
    source = "# Title\n\nA *starred* word, a_b_c, and\n\n```py\nx = 1  # keep\n```\n\n| a | b |\n|---|---|\n"
    page = read(source, content_type="text/markdown; charset=utf-8")
    assert (page.kind, page.markdown, page.note) == ("text", source, None)


def test_plain_text_passes_through_untouched() -> None:
    source = "Dear <b>harbour</b> master,\n\n   * * *\n"
    assert read(source, content_type="text/plain").markdown == source


@pytest.mark.parametrize(
    "content_type", ["text/plain", "text/html", "application/json", "text/csv", "application/xml", None]
)
def test_an_empty_body_says_so(content_type: str | None) -> None:
    assert (read(b"", content_type=content_type or "").note or "").startswith("The page is empty")


def test_short_json_stays_as_it_was_sent() -> None:
    assert (
        '{"@type":"Place","name":"Quay"}'
        in read('{"@type":"Place","name":"Quay"}', content_type="application/ld+json").markdown
    )


def test_long_json_is_laid_out_in_its_own_style() -> None:
    source = '{"boats":[{"name":"Anna","length":7},{"name":"Brite","length":1e400}],"note":"' + "x" * 100 + '"}'
    assert read(source, content_type="application/json").text == (
        '{\n  "boats":[{"name":"Anna","length":7},{"name":"Brite","length":1e400}],\n  "note":"' + "x" * 100 + '"\n}'
    )


def test_json_that_was_cut_off_is_laid_out_as_far_as_it_goes() -> None:
    page = read(
        '{"a": [' + '{"name": "Anna of the North Quay", "length": 7}, ' * 4 + '{"na', content_type="application/json"
    )
    assert page.text.endswith('{"na') or page.text.endswith('"na')


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_laying_out_json_changes_nothing_it_says(value: object) -> None:
    for separators in ((", ", ": "), (",", ":")):
        assert json.loads(pretty_json(json.dumps(value, separators=separators))) == value


def test_brackets_without_end_do_not_swell() -> None:
    assert len(pretty_json("[" * 100_000)) < 400_000


def test_other_xml_is_shown_as_it_is() -> None:
    assert (
        read("<boats><boat>Anna</boat></boats>", content_type="application/xml").markdown
        == "```xml\n<boats><boat>Anna</boat></boats>\n```"
    )


def test_an_rss_feed_is_a_list_of_links() -> None:
    page = read(RSS, content_type="application/rss+xml", url="http://quay.example/feed")
    assert page.title == "Quay news"
    assert page.markdown == (
        "# Quay news\n\nWhat happens on the quay\n\n"
        "- [Gate & ladder \\[painted\\]](http://quay.example/2026/gate_(b)) (2026-11-02T10:00:00+00:00)\n"
        "  Green, again. Wet until Friday.\n"
        "- No link"
    )


def test_an_atom_feed_is_a_list_of_links() -> None:
    page = read(ATOM, content_type="text/html", url="http://quay.example/feed")
    assert page.markdown == (
        "# Tides\n\n- [High water](http://quay.example/e/1) (2026-01-02T03:04:05Z, The office)\n  At noon."
    )


def test_a_json_feed_is_a_list_of_links() -> None:
    source = json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Quay",
            "items": [
                {
                    "url": "/a",
                    "title": "Ladder",
                    "date_published": "2026-02-03T04:05:06Z",
                    "content_html": "<p>Green.</p>",
                },
                7,
            ],
        }
    )
    page = read(source, content_type="application/feed+json", url="http://quay.example/feed")
    assert (page.title, page.markdown) == (
        "Quay",
        "# Quay\n\n- [Ladder](http://quay.example/a) (2026-02-03T04:05:06Z)\n  Green.",
    )


def test_a_site_map_is_a_list_of_links() -> None:
    source = "<urlset><url><loc>http://quay.example/a</loc><lastmod>2026-01-02</lastmod></url></urlset>"
    assert (
        read(source, content_type="application/xml").markdown
        == "- [http://quay.example/a](http://quay.example/a) (2026-01-02)"
    )


def test_entities_of_an_xml_document_are_not_expanded() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel><title>&b;</title><item><title>x</title></item></channel></rss>'
    assert "aaaa" not in read(bomb, content_type="application/rss+xml").markdown
    assert (
        "root:"
        not in read(
            '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel><title>&f;</title></channel></rss>',
            content_type="text/xml",
        ).text
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_separated_values_are_a_table(delimiter: str) -> None:
    source = "\n".join(delimiter.join(row) for row in (["Boat", "Fee"], ["Anna", "12"], ["Brite", "16"])) + "\n"
    assert csv_table(source)[0] == "| Boat | Fee |\n| --- | --- |\n| Anna | 12 |\n| Brite | 16 |"


def test_cells_keep_their_line_breaks_and_bars() -> None:
    assert csv_table('a,b\n"x\ny","p|q"\n')[0].splitlines()[-1] == "| x<br>y | p\\|q |"


def test_a_text_of_one_column_is_no_table() -> None:
    assert csv_table("just\nlines\n") == ("just\nlines\n", False)


def test_a_very_long_table_is_cut_and_says_so() -> None:
    table, cut = csv_table("a,b\n" + "1,2\n" * 6_000)
    assert cut
    assert len(table.splitlines()) == 5_001


def test_a_pdf_is_read_page_by_page() -> None:
    page = read(_pdf("Quay dues for the year", "Small boats pay twelve"), content_type="text/html")
    assert page.markdown == "## Page 1 of 2\n\nQuay dues for the year\n\n## Page 2 of 2\n\nSmall boats pay twelve"
    assert (page.kind, page.content_type, page.cut) == ("text", "application/pdf", False)


def test_the_lines_of_a_pdf_stay_lines_and_mean_nothing() -> None:
    page = read(
        _pdf("Mon  LW 03:43) Tj 0 -20 Td (# 2 *boats*) Tj 0 -20 Td (Wed  LW 05:58"), content_type="application/pdf"
    )
    assert page.markdown == "## Page 1 of 1\n\nMon  LW 03:43  \n\\# 2 \\*boats\\*  \nWed  LW 05:58"
    assert page.text == "Mon  LW 03:43\n# 2 *boats*\nWed  LW 05:58"


def test_a_pdf_of_pictures_says_so() -> None:
    assert "no text" in (read(_pdf(""), content_type="application/pdf").note or "")


@pytest.mark.parametrize(
    ("body", "words"),
    [(b"%PDF-1.4\nbroken", "damaged or cut off"), (_pdf("x", password="mackerel"), "password")],
)
def test_a_pdf_that_cannot_be_read_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(WebError, match=words) as refusal:
        read(body, content_type="application/pdf")
    assert refusal.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
