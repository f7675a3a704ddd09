"""Pages that bring readers down: too deep, too many, too long, too odd. Each holds words that must come through."""

from __future__ import annotations

WORDS = "The harbour office keeps a ledger of every boat that ties up before noon."
_PROSE = (
    f"<p>{WORDS} Nobody in the village remembers who planted the row of pear trees, yet each family claims one.</p>"
)


def _page(body: str) -> str:
    return f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>"


PAGES: dict[str, str] = {
    "20,000 nested boxes": _page("<div>" * 20_000 + _PROSE + "</div>" * 20_000),
    "200,000 unclosed bold tags": _page("<b>" * 200_000 + _PROSE),
    "200,000 unclosed boxes": _page("<div>" * 200_000 + _PROSE),
    "200,000 unclosed paragraphs": _page("<p>" * 200_000 + _PROSE),
    "unclosed tags of many kinds": _page("<div><b><i><span>" * 50_000 + _PROSE),
    "unclosed links": _page("<a href=x>" * 100_000 + _PROSE),
    "100,000 links": _page(_PROSE + "".join(f'<a href="/{n}">link {n}</a> ' for n in range(100_000))),
    "100,000 links in a list": _page(
        _PROSE + "<ul>" + "".join(f'<li><a href="/{n}">link {n}</a>' for n in range(100_000))
    ),
    "5 MB in one paragraph": _page(_PROSE + "<p>" + "word and another, " * 280_000 + "</p>"),
    "5 MB without a space": _page(_PROSE + "<p>" + "a" * 5_000_000 + "</p>"),
    "a script of 10 MB": _page("<script>" + 'var a="<p>x</p>";' * 600_000 + "</script>" + _PROSE),
    "5,000 tables in each other": _page("<table><tr><td>" * 5_000 + _PROSE),
    "spans over all the world": _page(
        _PROSE + "<table><tr><th colspan=1000000000 rowspan=1000000000>a</th><th>b</th></tr><tr><td>c</td></tr></table>"
    ),
    "1 MB of opening brackets": "<" * 1_000_000,
    "1 MB of opening brackets in a page": _page(_PROSE + "<" * 1_000_000),
    "1 MB of null bytes": _page(_PROSE + "\0" * 1_000_000),
    "a tag with 100,000 attributes": _page("<div " + " ".join(f"a{n}=1" for n in range(100_000)) + f">{_PROSE}</div>"),
    "an attribute of 5 MB": _page('<div title="' + "x" * 5_000_000 + f'">{_PROSE}</div>'),
    "a class of 500,000 names": _page('<div class="' + "comment " * 500_000 + f'">{_PROSE}</div>'),
    "200,000 line breaks": _page(_PROSE + "word<br>" * 200_000),
    "200,000 places of a date": _page(
        _PROSE + "<time>soon</time><b itemprop=x>y</b>" * 100_000 + '<i class="published">now</i>' * 10_000
    ),
    "300,000 lines with a digit": _page(_PROSE + "word number 9<br>" * 300_000),
    "100,000 boxes with names": _page(_PROSE + "<div><p id=x></p></div>" * 100_000 + "<script>draw()</script>"),
    "100,000 rows": _page(_PROSE + "<table>" + "<tr><td>x</td><td>y</td></tr>" * 100_000 + "</table>"),
    "200,000 cells in a row": _page(_PROSE + "<table><tr>" + "<td>x</td>" * 200_000 + "</tr></table>"),
    "20,000 nested quotes": _page("<blockquote>" * 20_000 + _PROSE),
    "20,000 nested lists": _page("<ul><li>" * 20_000 + _PROSE),
    "1 MB of backticks in code": _page(
        _PROSE + "<pre>" + "`" * 1_000_000 + "</pre><p><code>" + "`" * 1_000_000 + "</code></p>"
    ),
    "1 MB of stars and brackets": _page(_PROSE + "<p>" + "*_[" * 350_000 + "</p>"),
    "5 MB of white space": _page(_PROSE + "<p>a" + " \n\t" * 1_700_000 + "b</p>"),
    "100,000 images": _page(_PROSE + '<img src="a.png" alt="x">' * 100_000),
    "100,000 unclosed comments": _page(_PROSE + "<!-- " * 100_000),
    "structured data nested for ever": '<script type="application/ld+json">'
    + '{"a":[' * 500_000
    + "</script>"
    + _page(_PROSE),
    "200,000 meta elements": "<head>" + '<meta name="author" content="x">' * 200_000 + "</head>" + _page(_PROSE),
    "50,000 drawings in each other": _page("<svg>" + "<g>" * 50_000 + "</svg>" + _PROSE),
    "100,000 hidden words": _page(_PROSE + "x<i hidden>y</i>" * 100_000),
    "100,000 footnotes": _page(
        _PROSE
        + "".join(f'<sup><a href="#n{n}">{n}</a></sup>' for n in range(50_000))
        + "".join(f'<p id="n{n}">note</p>' for n in range(50_000))
    ),
    "halves of characters": _page(_PROSE + "<p>" + "&#xD83D;" * 1_000 + "&#x110000;&#0;</p>"),
}
WORDLESS = frozenset({"1 MB of opening brackets"})
BROKEN_BYTES = _page(_PROSE).encode() + bytes(range(256)) * 2_000 + b"\xf0\x9f\xed\xa0\x80\xc0\xaf"
