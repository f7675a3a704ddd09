"""Markdown says what the page said: each structure, and that CommonMark reads it back."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tests.fetch.reading import article, markdown_of, read

STRUCTURES = {
    "headings keep their level": ("<h2>Arriving</h2><h4>By night</h4><p>x</p>", "## Arriving\n\n#### By night\n\nx"),
    "a permalink sign is no part of a term": (
        '<dl><dt id="t"><code>x</code><a href="#t">¶</a></dt><dd>One.</dd></dl>',
        "`x`\n:   One.",
    ),
    "a permalink sign is no part of a heading": ('<h2>Dues <a href="#dues">¶</a></h2><p>x</p>', "## Dues\n\nx"),
    "a heading that links to itself is no link": ('<h2><a href="#dues">Dues</a></h2><p>x</p>', "## Dues\n\nx"),
    "a numbered list keeps its start": ("<ol start=4><li>four<li>five</ol>", "4. four\n5. five"),
    "an item keeps its own number": ("<ol><li value=7>seven<li>eight</ol>", "7. seven\n8. eight"),
    "nested lists are moved in": (
        "<ul><li>a<ol><li>b<ul><li>c</ul></ol><li>d</ul>",
        "- a\n  1. b\n     - c\n- d",
    ),
    "two lists side by side stay two": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
    "a task keeps its box": (
        "<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>",
        "- [x] done\n- [ ] open",
    ),
    "a list in a list without an item is moved in": ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    "a table has a header": (
        "<table><tr><th>Boat<th>Fee<tr><td>Anna<td>12</table>",
        "| Boat | Fee |\n| --- | --- |\n| Anna | 12 |",
    ),
    "bars in cells are escaped": (
        "<table><tr><th>a<th>b<tr><td>x|y<td><code>p|q</code></table>",
        "| a | b |\n| --- | --- |\n| x\\|y | `p\\|q` |",
    ),
    "spans leave empty cells": (
        "<table><tr><th>a<th>b<th>c<tr><td colspan=2>x<td rowspan=2>y<tr><td>1<td>2</table>",
        "| a | b | c |\n| --- | --- | --- |\n| x |  | y |\n| 1 | 2 |  |",
    ),
    "rows headed at the side have an empty header": (
        "<table><tr><th>Height<td>34 m<tr><th>Range<td>18</table>",
        "|  |  |\n| --- | --- |\n| Height | 34 m |\n| Range | 18 |",
    ),
    "a table for layout is no table": (
        "<table><tr><td><h2>Left</h2><p>x</p></td><td><p>y</p></td></tr></table>",
        "## Left\n\nx\n\ny",
    ),
    "what is called a table is one": (
        (
            "<div role=table><div role=rowgroup><div role=row><span role=columnheader>Day</span><span role=columnheader>High"
            "</span></div></div><div role=row><div><div role=cell>Mon</div></div><div role=cell>06:10</div></div></div>"
        ),
        "| Day | High |\n| --- | --- |\n| Mon | 06:10 |",
    ),
    "what is called a list is one": (
        "<div role=list><div role=listitem>a</div><div role=listitem>b<div role=list><div role=listitem>c</div></div></div></div>",
        "- a\n- b\n  - c",
    ),
    "a part is none without what it is a part of": ("<div role=listitem>a</div><div role=row>b</div>", "a\n\nb"),
    "a grid without headings is no table": (
        "<div role=grid><div role=row><div role=gridcell>1</div><div role=gridcell>2</div></div></div>",
        "1\n\n2",
    ),
    "what is called a heading is one": ('<div role="heading" aria-level="3">Rates</div>', "### Rates"),
    "code that says its language as GitHub does": ('<pre lang="sh">ls</pre>', "```sh\nls\n```"),
    "a box is no language": ('<div class="code-widget"><pre>ps aux</pre></div>', "```\nps aux\n```"),
    "a line that only names a listing's language is no text": (
        '<div class="head"><span>JavaScript</span></div><pre><code class="language-js">at(1)</code></pre>',
        "```js\nat(1)\n```",
    ),
    "a line above a listing that says more stays": (
        '<p>Bash:</p><pre><code class="language-bash">ls</code></pre>',
        "Bash:\n\n```bash\nls\n```",
    ),
    "code keeps what its colours are called": (
        (
            '<pre><code class="language-js"><span class="token comment">// why</span>\n<span class="meta">share</span>'
            '<span class="token tag">(a)</span></code></pre>'
        ),
        "```js\n// why\nshare(a)\n```",
    ),
    "a line of code is no label": (
        '<pre><code><div class="line">Share</div><div class="line">next()</div></code></pre>',
        "```\nShare\nnext()\n```",
    ),
    "code in a line keeps them too": ('<p><code>a<span class="comment">b</span></code></p>', "`ab`"),
    "a button in code is no code": ("<pre>ls<button>Copy</button></pre>", "```\nls\n```"),
    "a button that copies a heading's address is not of the heading": (
        "<h2>Rates <button>Copy link</button></h2>",
        "## Rates",
    ),
    "labels stay apart": ("<div><label>pip</label><label>conda</label></div>", "pip conda"),
    "code names its language": ('<pre><code class="language-rust">fn f() {}</code></pre>', "```rust\nfn f() {}\n```"),
    "a box around code may name the language": (
        '<div class="highlight-python notranslate"><div class="highlight"><pre>x = 1\n</pre></div></div>',
        "```python\nx = 1\n```",
    ),
    "a fence is longer than those inside": ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
    "line boxes in code are lines": (
        '<pre><code><div class="token-line">a</div><div class="token-line">b</div></code></pre>',
        "```\na\nb\n```",
    ),
    "line numbers are no code": (
        '<pre><span class="lineno">1</span>a = 1\n<span class="lineno">2</span>b = 2</pre>',
        "```\na = 1\nb = 2\n```",
    ),
    "inline code may hold backticks": ("<p><code>a`b</code></p>", "``a`b``"),
    "links are absolute": ('<p><a href="../faq">faq</a></p>', "[faq](http://docs.example/faq)"),
    "percent octets stay": ('<p><a href="/w/%A5%C6?x=a%2Fb">t</a></p>', "[t](http://docs.example/w/%A5%C6?x=a%2Fb)"),
    "paired brackets in an address stay": (
        '<p><a href="/Pier_(harbour)">t</a></p>',
        "[t](http://docs.example/Pier_(harbour))",
    ),
    "unpaired ones are fenced in": ('<p><a href="/b)c">t</a></p>', "[t](<http://docs.example/b)c>)"),
    "a script's link is text": ('<p><a href="javascript:go()">go</a></p>', "go"),
    "a link without text is nothing": ('<p>a <a href="/x"></a>b</p>', "a b"),
    "brackets in a label pair off": ('<p><a href="/x">see [1</a></p>', "[see \\[1](http://docs.example/x)"),
    "a block in a link keeps the link": (
        '<a href="/c"><h3>Card</h3><p>Ropes and anchors</p></a>',
        "### [Card](http://docs.example/c)\n\n[Ropes and anchors](http://docs.example/c)",
    ),
    "an image has its text": (
        '<p><img src="q.png" alt="The [old] quay"></p>',
        "![The \\[old\\] quay](http://docs.example/guide/q.png)",
    ),
    "a lazy image has its address": (
        '<p><img src="data:image/gif;base64,R0" data-src="/q.jpg" alt="Quay"></p>',
        "![Quay](http://docs.example/q.jpg)",
    ),
    "an image for those without scripts counts": (
        '<p><img src="blank.gif" class="lazy"><noscript><img src="/q.jpg" alt="Quay"></noscript></p>',
        "![Quay](http://docs.example/q.jpg)",
    ),
    "a counting pixel is no image": ('<p>x<img src="/t.gif" width="1" height="1"></p>', "x"),
    "quotes may be nested": ("<blockquote><p>a</p><blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
    "struck words are struck": ("<p><del>ten</del> <s>x</s> twelve</p>", "~~ten~~ ~~x~~ twelve"),
    "terms have their definitions": (
        "<dl><dt>Painter<dd>A rope.<dd>A person.</dl>",
        "Painter\n:   A rope.\n:   A person.",
    ),
    "a definition holds terms of its own, in their place": (
        "<dl><dt>tie(rope)<dd><p>Ties.</p><dl><dt>rope</dt><dd>What is tied.</dd></dl><pre>tie(1)</pre></dd><dt>cut</dt></dl>",
        "tie(rope)\n:   Ties.\n\n    rope\n    :   What is tied.\n\n    ```\n    tie(1)\n    ```\n\ncut",
    ),
    "footnotes refer and are there": (
        '<p>Deep<sup><a href="#fn1">1</a></sup>.</p><ol><li id="fn1">By <i>sounding</i>. <a href="#r" class="footnote-backref">↩</a></ol>',
        "Deep[^1].\n\n[^1]: By *sounding*.",
    ),
    "math is left as written": ("<p>Let $a_1*b_2*c$ and \\(x_i\\) be.</p>", "Let $a_1*b_2*c$ and \\(x_i\\) be."),
    "drawn math gives its source": (
        '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>a</mi><annotation encoding="application/x-tex">a^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">a2</span></span> grows</p>',
        "$a^2$ grows",
    ),
    "raised figures stay apart": (
        "<p>10<sup>6</sup> m<sup>2</sup> of H<sub>2</sub>O, the 1<sup>st</sup></p>",
        "10⁶ m² of H₂O, the 1st",
    ),
    "a reading stands in brackets": ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字</p>", "漢(かん)字"),
    "emphasis hugs its words": ("<p>a<b> bold </b>b <i>it</i>c</p>", "a **bold** b *it*c"),
    "stops beside a word are left out of emphasis": ("<p><strong>注意。</strong>次の</p>", "**注意**。次の"),
    "bold inside italics is both": ("<p><i>a <b>b</b></i></p>", "*a* ***b***"),
    "a heading is not bold twice": ("<h2><b>Dues</b></h2><p>x</p>", "## Dues\n\nx"),
    "lines break where the page breaks them": ("<p>Clear<br>Windy</p>", "Clear  \nWindy"),
    "two breaks end a paragraph": ("<div>one<br><br>two</div>", "one\n\ntwo"),
    "boxes are not glued": ("<div><div>Sydney</div><div>10:45</div></div>", "Sydney\n\n10:45"),
    "a link and the price beside it are not glued": (
        '<p><a href="/r">Rope</a><span>2.60</span></p>',
        "[Rope](http://docs.example/r) 2.60",
    ),
    "letters styled one by one stay a word": ("<p><span>h</span><span>arbour</span></p>", "harbour"),
    "a summary heads its details": ("<details><summary>More</summary><p>x</p></details>", "**More**\n\nx"),
    "text that looks like markup is text": (
        "<p>5 * 3 = *x* and a_b_c, _u_, &lt;b&gt;, &amp;amp;, [a](b), ~~s~~</p>",
        "5 * 3 = \\*x\\* and a_b_c, \\_u\\_, \\<b>, \\&amp;, \\[a\\](b), \\~\\~s\\~\\~",
    ),
    "a paragraph stays a paragraph": (
        "<p># no heading</p><p>1. no item</p><p>- no item</p><p>&gt; no quote</p>",
        "\\# no heading\n\n1\\. no item\n\n\\- no item\n\n\\> no quote",
    ),
}


@pytest.mark.parametrize(("source", "expected"), STRUCTURES.values(), ids=STRUCTURES)
def test_a_structure_is_written_as_markdown(source: str, expected: str) -> None:
    assert markdown_of(source) == expected


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (
            "<p>5 * 3 = *x* and a_b_c, _u_, &lt;b&gt;, &amp;amp;, [a](b), ~~s~~</p>",
            "5 * 3 = *x* and a_b_c, _u_, <b>, &amp;, [a](b), ~~s~~",
        ),
        ("<p># no heading</p>", "# no heading"),
        ("<p>1. no item</p>", "1. no item"),
        ("<p>a <b>b</b><i>c</i> d</p>", "a bc d"),
        ("<p>x &lt;script&gt;alert(1)&lt;/script&gt;</p>", "x <script>alert(1)</script>"),
        ("<p>`tick` and ``two``</p>", "`tick` and ``two``"),
        ("<p>*** and ___ and ---</p>", "*** and ___ and ---"),
    ],
)
def test_commonmark_shows_what_the_page_showed(source: str, visible: str) -> None:
    tokens = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(markdown_of(source))
    shown = "".join(
        child.content
        for token in tokens
        for child in token.children or []
        if child.type in ("text", "code_inline", "text_special")
    )
    assert shown == visible


def test_the_base_element_is_respected() -> None:
    page = read(article('<p><a href="dues">dues</a></p>', head='<title>t</title><base href="/manual/v2/">'))
    assert "[dues](http://docs.example/manual/v2/dues)" in page.markdown


def test_the_page_begins_with_its_heading_and_the_text_does_not_repeat_it() -> None:
    page = read(article("<p>The end.</p>"))
    assert page.markdown.startswith("# Harbour notes\n\nThe harbour office")
    assert page.text.startswith("The harbour office")


def test_captions_stand_in_the_markdown_and_not_in_the_running_text() -> None:
    page = read(article('<figure><img src="a.png" alt="a"><figcaption>The quay in 1912.</figcaption></figure>'))
    assert "The quay in 1912." in page.markdown
    assert "The quay in 1912." not in page.text


def test_captions_are_text_where_they_are_most_of_the_page() -> None:
    steps = "".join(
        f'<figure><img src="{n}.png" alt=""><figcaption>Step {n}: turn the rope over and under once more, as shown.</figcaption></figure>'
        for n in range(12)
    )
    assert "Step 7" in read(f"<title>Knots</title><article><h1>Knots</h1>{steps}</article>").text


def test_a_very_long_list_ends_as_plain_lines() -> None:
    rows = "".join(f'<li><a href="/{n}">boat {n}</a></li>' for n in range(60_000))
    page = read(article(f"<ul>{rows}</ul>"))
    assert "- [boat 7](http://docs.example/7)" in page.markdown
    assert "boat 59999" in page.markdown
