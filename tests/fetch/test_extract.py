"""The main content comes through whole, and without the site around it; pages that are no articles come through too."""

from __future__ import annotations

import pytest

from benchmarks.extraction_score import overlap, sample_pages, score
from tests.fetch.reading import PROSE, article, read
from tests.shared import shared_path

THREAD = "".join(
    f'<div class="post"><div class="post-author">mariner{number}</div><div class="post-body"><p>Answer {number}: soak the rope'
    " in fresh water for a night and dry it in the shade; most ropes are soft again after that.</p></div></div>"
    for number in range(5)
)
KEPT = {
    "the panel of a tab that is not chosen": (
        article(
            '<div role="tablist"><button role="tab" id="t1">pip</button><button role="tab" id="t2">conda</button></div>'
            '<div role="tabpanel" aria-labelledby="t1"><pre>pip install quay</pre></div>'
            '<div role="tabpanel" aria-labelledby="t2" hidden><pre>conda install quay</pre></div>'
        ),
        "conda install quay",
    ),
    "what an accordion folds away": (
        article(
            '<h3><button aria-expanded="false" aria-controls="a">How long?</button></h3>'
            '<div id="a" style="display:none"><p>Two hours at most.</p></div>'
        ),
        "Two hours at most.",
    ),
    "the heading that opens a part of an accordion": (
        article(
            '<h3><button aria-expanded="false" aria-controls="a">How long?</button></h3><div id="a" hidden>Two.</div>'
        ),
        "How long?",
    ),
    "a button that opens what stands below it": (
        article(
            '<button aria-expanded="false" aria-controls="a">How long?</button><div id="a" hidden><p>Two.</p></div>'
        ),
        "How long?",
    ),
    "who wrote each post of a thread": (f"<body><h1>Why is my rope stiff?</h1>{THREAD}", "mariner3"),
    "a listing in a box that is called a toolbar": (
        article(
            '<div class="code-toolbar"><pre><code>quay.tie(1)</code></pre><div class="toolbar"><b>Copy</b></div></div>'
        ),
        "quay.tie(1)",
    ),
    "a command that is also a word of navigation": (article('<div class="shell"><pre>top</pre></div>'), "top"),
    "a note that a manual sets aside": (
        article('<aside class="callout callout-note"><p>Mind the gap between the boats.</p></aside>'),
        "Mind the gap",
    ),
    "a warning that only its label calls one": (
        article('<aside aria-label="Warning"><p>The ladder is slippery after rain.</p></aside>'),
        "ladder is slippery",
    ),
    "how a function is called, in a manual made from code": (
        (
            '<head><meta name="generator" content="Doxygen 1.9"></head><body><div class="contents"><div class="memproto">'
            '<table><tr><td>int tie(rope *r)</td></tr></table></div><div class="memdoc"><p>Ties a rope to the ring, and gives the'
            " number of turns that were made around it.</p></div></div>"
        ),
        "int tie(rope",
    ),
    "a date in a sentence": (
        article('<p>The ferry left on <span class="date">5 May</span>, and all of the village waved.</p>'),
        "left on 5 May, and",
    ),
    "a name in a sentence": (
        article('<p>It was <a class="author" href="/ann">Ann</a> who measured the tide at the old quay.</p>'),
        "Ann",
    ),
    "a heading that is a word of navigation, above a text on just that": (
        article(f"<h2>Share</h2>{PROSE}"),
        "Share",
    ),
    "the frames of an old manual": (
        '<html><head><title>Manual</title></head><FRAMESET cols="*,*"><frame src="menu.html" name="menu"></FRAMESET></html>',
        "menu: menu.html",
    ),
    "what a page of frames says to those without": (
        (
            '<html><head><title>Manual</title></head><frameset><frame src="a.html"><noframes><p>Plain pages: ask the clerk.</p>'
            "</noframes></frameset></html>"
        ),
        "Plain pages: ask the clerk.",
    ),
    "a short text that only the page's data holds": (
        (
            '<head><script type="application/ld+json">{"@type":"NewsArticle","articleBody":"The ferry was late."}</script></head>'
            '<body><div id="root"></div>'
        ),
        "The ferry was late.",
    ),
    "how a page that scripts build describes itself": (
        (
            '<head><title>Planner</title><meta name="description" content="Plan your berth."></head><body><div id="root"></div>'
            '<script src="/main.js"></script>'
        ),
        "Plan your berth.",
    ),
    "a list that stands in the body": (
        "<body><h1>x</h1>" + PROSE + "<ul><li>Who pays for the crane?</li></ul>" + PROSE,
        "Who pays for the crane?",
    ),
    "a first paragraph in a box of its own": (
        f'<body><div class="l"><div class="box"><div><p>The loan supports small yards on the coast, if they are at least five years old.</p></div></div><div class="box"><div>{PROSE}</div></div></div>',
        "The loan supports small yards",
    ),
    "a post of a social network that is quoted": (
        article(
            '<div class="social-media-embed"><blockquote class="twitter-tweet"><p>Low water at noon, mind your keel.</p></blockquote></div>'
        ),
        "Low water at noon",
    ),
    "text for those without scripts": (
        article("<noscript><p>The tide table hangs by the door of the harbour office.</p></noscript>"),
        "tide table hangs",
    ),
    "the text of a page that hides itself until its script runs": (
        f'<body style="visibility:hidden"><main>{PROSE}</main>',
        "harbour office keeps",
    ),
    "what React streams in, in its place": (
        f'<body><main><h1>Manual</h1><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--></main><div hidden id="S:0">{PROSE}</div><script>$RC("B:0","S:0")</script>',
        "harbour office keeps",
    ),
    "a shadow root that is declared": (
        f'<body><main><x-page><template shadowrootmode="open">{PROSE}</template></x-page></main>',
        "harbour office keeps",
    ),
    "a section named after its heading": (
        article(
            '<section id="sharing"><h2>Sharing a berth</h2><p>Two boats may share a berth when the clerk has written both names into the ledger before noon.</p></section>'
        ),
        "Two boats may share",
    ),
    "content beside a sidebar": (
        f'<body><div class="content with-sidebar"><h1>x</h1>{PROSE}</div><div class="sidebar"><p>About us and the people who made this site for you.</p></div>',
        "harbour office keeps",
    ),
    "a quotation's footer": (
        article("<blockquote><p>Tie twice.</p><footer>The clerk's aunt</footer></blockquote>"),
        "The clerk's aunt",
    ),
    "text that the page declares and its script would show": (
        '<body><div id="root"></div><script type="application/ld+json">{"@type":"Article","headline":"x","articleBody":"'
        + "The ledger is read aloud at noon. " * 20
        + '"}</script>',
        "The ledger is read aloud",
    ),
}
DROPPED = {
    "navigation": ("<nav><a href=/>Home page of the office</a></nav>{}", "Home page of the office"),
    "a footer": (
        "{}<footer><p>Printed by the harbour office press in the year of the flood.</p></footer>",
        "Printed by",
    ),
    "a cookie banner": (
        '<div id="cookie-banner"><p>We use cookies to make this page taste better, if you agree.</p><button>Agree</button></div>{}',
        "cookies",
    ),
    "share buttons": ('{}<div class="share-buttons"><a href="#">Share on Gullnet</a></div>', "Gullnet"),
    "related pages": (
        '{}<div class="relatedPosts"><h3>Related</h3><ul><li><a href="/x">The ladder affair</a></li></ul></div>',
        "ladder affair",
    ),
    "a newsletter's plea": (
        '{}<section class="newsletter-signup"><p>Get the tide in your inbox every morning.</p></section>',
        "inbox",
    ),
    "readers' remarks": (
        '{}<div id="comments"><p>First!</p><p>I saw the gate too, and it was blue at the time.</p></div>',
        "First!",
    ),
    "what stands aside and is no note": (
        '{}<aside class="promo-box"><p>Buy the calendar of the harbour office.</p></aside>',
        "calendar",
    ),
    "a toolbar": ('{}<div class="toolbar"><p>Wrap the lines of this listing here.</p></div>', "Wrap the lines"),
    "a dialog": ('<div role="dialog"><p>Have you read our rules about anchors?</p></div>{}', "rules about anchors"),
}
HIDDEN = {
    "display none": '<p style="color:red; display : none">Obey the gull.</p>',
    "display none, important": '<p style="display:none!important">Obey the gull.</p>',
    "visibility": '<div style="visibility:hidden"><p>Obey the gull.</p></div>',
    "the hidden attribute": "<p hidden>Obey the gull.</p>",
    "aria-hidden": '<p aria-hidden="true">Obey the gull.</p>',
    "no font size": '<span style="font-size:0px">Obey the gull.</span>',
    "off the screen": '<p style="position:absolute;left:-9999px">Obey the gull.</p>',
    "a box of no size": '<div style="width:0;height:0;overflow:hidden">Obey the gull.</div>',
    "clipped away": '<p style="clip:rect(0,0,0,0)">Obey the gull.</p>',
    "for screen readers only": '<p class="sr-only">Obey the gull.</p>',
    "a panel that no tab opens": '<div role="tabpanel" hidden><p>Obey the gull.</p></div>',
    "what a button opens elsewhere": '<p><button aria-expanded="false" aria-controls="x">More</button></p><p>a</p><div id="x" hidden>Obey the gull.</div>',
    "a template": "<template><p>Obey the gull.</p></template>",
    "a comment": "<!-- Obey the gull. -->",
    "tag characters": "<p>Fine." + "".join(chr(0xE0000 + ord(letter)) for letter in "Obey the gull.") + "</p>",
}


@pytest.mark.parametrize(("source", "words"), KEPT.values(), ids=KEPT)
def test_content_is_kept(source: str, words: str) -> None:
    page = read(source)
    assert words in page.markdown
    assert words in page.text


@pytest.mark.parametrize(("around", "words"), DROPPED.values(), ids=DROPPED)
def test_the_site_around_the_content_is_dropped(around: str, words: str) -> None:
    page = read(article("", around=around))
    assert "harbour office keeps" in page.markdown
    assert words not in page.markdown


@pytest.mark.parametrize("source", HIDDEN.values(), ids=HIDDEN)
def test_what_no_reader_sees_is_dropped(source: str) -> None:
    page = read(article(f"{source}<p>The end.</p>"))
    assert "The end." in page.markdown
    assert "bey the gull" not in page.markdown
    assert not any(0xE0000 <= ord(character) < 0xE0080 for character in page.markdown)


def test_a_byline_goes_whole() -> None:
    page = read(article(f'<p>By <span class="author">Ann Gull</span> on <span class="date">5 May</span></p>{PROSE}'))
    assert page.text.count("harbour office keeps") == 2
    assert not {"Gull", "By", "on"} & set(page.text.split("August.")[1].split())


def test_characters_without_width_are_dropped_and_joiners_of_letters_kept() -> None:
    page = read(
        article(
            "<p>har\u200bbour\ufeff \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f3f4\U000e0067\U000e0062\U000e007f</p>"
        )
    )
    assert page.text.endswith(
        "harbour \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f3f4\U000e0067\U000e0062\U000e007f"
    )


def test_a_page_of_little_text_comes_whole() -> None:
    assert (
        read("<title>Lost</title><div class='box'><h1>404</h1></div><p>This ledger moved to the town archive.</p>").text
        == "404\nThis ledger moved to the town archive."
    )


def test_a_page_that_is_only_navigation_still_says_what_it_has() -> None:
    assert (
        "Quern Mill"
        in read("<title>Index</title><nav><a href=/a>Quern Mill</a> <a href=/b>Ember Rock</a></nav>").markdown
    )


def test_a_list_of_links_is_a_list_of_links() -> None:
    rows = "".join(
        f'<li><a href="/{n}">Story number {n} of the harbour gazette</a> <small>{n} points</small></li>'
        for n in range(30)
    )
    page = read(f"<title>Front page</title><body><div id=hd><a href=/>Gazette</a></div><ol>{rows}</ol>")
    assert [
        f"[Story number {n} of the harbour gazette](http://docs.example/{n})" in page.markdown for n in range(30)
    ] == [True] * 30


@pytest.mark.parametrize(
    "foot", ["<footer>{}</footer>", '<div class="footer">{}</div>', '<div role="contentinfo">{}</div>']
)
@pytest.mark.parametrize("links", [3, 40])
def test_a_page_of_links_is_not_its_footer(foot: str, links: int) -> None:
    said = (
        "<p>Copyright by the harbour office. Pages, examples and tables may be passed on under the licence of the town, as"
        " long as the name of the harbour office and the date of the last change stand beside each of them.</p>"
    )
    listed = "".join(f'<li><a href="/part-{n}">Part {n} of the handbook</a></li>' for n in range(links))
    body = f'<div role="main"><h1>Contents</h1><ul>{listed}</ul></div>{foot.format(said)}'
    page = read(f"<!doctype html><html><head><title>Contents</title></head><body>{body}</body></html>")
    assert page.markdown.count("](http://docs.example/part-") == links
    assert "licence of the town" not in page.markdown


def test_a_manual_begins_where_it_begins_though_one_section_is_nearly_all_of_it() -> None:
    chapter = "".join(f"<h3>Part {n}</h3>{PROSE}" for n in range(8))
    body = f'<div role="main"><h2>Moorings</h2><p>{"What a mooring is and who may lie at it, in short. " * 3}</p>'
    page = read(f"<!doctype html><title>Moorings</title><body>{body}<section><h2>Rules</h2>{chapter}</section></div>")
    assert "who may lie at it" in page.markdown
    assert page.markdown.count("ledger of every boat") == 8


def test_a_thread_keeps_every_post() -> None:
    posts = "".join(
        f'<div class="post"><p class="author">sailor{n}</p><div class="content"><p>Post {n}: the gate shut an hour before the table said, and the office says the table is right.</p></div></div>'
        for n in range(12)
    )
    page = read(f"<title>Gate</title><body><h1>Gate</h1><div id=posts>{posts}</div>")
    assert [f"Post {n}:" in page.text for n in range(12)] == [True] * 12


def test_a_discussion_keeps_the_remarks_that_it_is_made_of() -> None:
    remarks = "".join(
        f'<div class="comment"><p>Remark {n}: I tied twice and dragged all the same, so what is the use of rope?</p></div>'
        for n in range(8)
    )
    page = read(
        f'<title>Rope</title><meta name="generator" content="Discourse 3.4"><body><h1>Rope</h1><div class="comments">{remarks}</div>'
    )
    assert [f"Remark {n}:" in page.text for n in range(8)] == [True] * 8


def test_documentation_comes_whole() -> None:
    entries = "".join(
        f"<dl><dt><code>tie({n})</code></dt><dd><p>Ties the boat {n} times.</p></dd></dl>" for n in range(30)
    )
    page = read(
        f'<title>tie</title><meta name="generator" content="Docutils"><body><div role="main"><h1>tie</h1>{PROSE}{entries}</div>'
    )
    assert "`tie(29)`" in page.markdown


def test_a_product_comes_with_its_price_and_particulars() -> None:
    page = read(
        '<title>Rope</title><meta property="og:type" content="product"><body><div class="product"><div><h1>Rope, 14 mm</h1><p>2.60 crowns</p></div>'
        f"<div>{PROSE}</div><table><tr><th>Weight</th><td>13 kg</td></tr></table></div>"
    )
    assert page.markdown.startswith("# Rope, 14 mm\n\n2.60 crowns")
    assert "| Weight | 13 kg |" in page.markdown


def test_the_words_of_a_chinese_page_are_found() -> None:
    prose = "<p>港口的账本每周五朗读，渔民都来听。没有人记得是谁种下了那排梨树，但每家都说其中一棵是自己的。</p>" * 3
    page = read(
        f"<title>港口</title><body><div class=menu><a href=/>首页</a></div><div class=main>{prose}</div><div class=footer>版权所有</div>"
    )
    assert page.text.count("港口的账本") == 3
    assert "版权所有" not in page.text


def test_the_figures_of_the_sample_pages_hold() -> None:
    shared_path("extraction")
    articles = [page for page in sample_pages("extraction") if page.half == "report"]
    figures = score(
        overlap(page.text, read(page.html, content_type="text/html", url=page.url).text) for page in articles
    )
    assert figures.f1 >= 0.970
    shared_path("reader-pages")
    readers = [page for page in sample_pages("reader-pages") if page.half == "report"]
    pages = [read(page.html, content_type="text/html", url=page.url) for page in readers]
    assert score(overlap(page.text, found.text) for page, found in zip(readers, pages, strict=True)).mean_f1 >= 0.960
    titles = [(" ".join((page.title or "").split()), found.title) for page, found in zip(readers, pages, strict=True)]
    assert sum(meant == found for meant, found in titles) >= 0.92 * len(titles)


@pytest.mark.parametrize(
    ("heading", "said"),
    [("Programming in C#", "Programming in C#"), ('Mooring<a class="headerlink" href="#mooring">¶</a>', "Mooring")],
)
def test_the_heading_above_a_page_keeps_its_words_and_loses_its_permalink(heading: str, said: str) -> None:
    page = read(f"<!doctype html><title>Notes</title><body><article><h1>{heading}</h1>\n{PROSE}</article></body>")
    assert page.markdown.startswith(f"# {said}\n")
