"""Titles of sources, and what stands in for one."""

from components.gallery.state import Group, search, source
from components.i18n import N_

_AFTER = source("https://wiki.kittiwick.example/Kittiwick", "The source after it")
_LONG = ("Harbour dues for visiting boats, by length and by season, with the exceptions of the bylaw of 1931 " * 6)[
    :500
]

GROUP = Group(
    "titles",
    N_("Titles"),
    (
        search(
            "title-missing",
            N_("The host stands where the title would be, and once is enough: no “None” anywhere."),
            source("https://office.kittiwick.example/a/very/long/path?x=1", snippet="The dues for 2026."),
            _AFTER,
            visible_text_lacks=["None", "undefined", "null"],
            links=[
                {"text": "office.kittiwick.example", "href": "https://office.kittiwick.example/a/very/long/path?x=1"}
            ],
        ),
        search(
            "title-empty",
            N_("An empty title counts as none: the host is the label, and the link can be clicked."),
            source("https://office.kittiwick.example/dues", ""),
            _AFTER,
            links=[{"text": "office.kittiwick.example", "href": "https://office.kittiwick.example/dues"}],
        ),
        search(
            "title-blank",
            N_("A title of spaces, a no-break space among them, counts as none."),
            source("https://office.kittiwick.example/dues", " \u00a0\u2003 "),
            _AFTER,
            links=[{"text": "office.kittiwick.example", "href": "https://office.kittiwick.example/dues"}],
        ),
        search(
            "title-500-characters",
            N_("All 500 characters can be read, in place, and the next source is not pushed far away."),
            source("https://office.kittiwick.example/dues", _LONG),
            _AFTER,
            visible_text_has=[_LONG, "The source after it"],
        ),
        search(
            "title-one-long-word",
            N_("A word of 600 letters breaks inside the card; nothing scrolls sideways."),
            source("https://office.kittiwick.example/dues", "Hafengebühren" * 46),
            _AFTER,
            visible_text_has=["Hafengebühren" * 46],
        ),
        search(
            "title-markup",
            N_("Tags in a title are shown as they were written, and none takes effect."),
            source(
                "https://office.kittiwick.example/dues",
                "<img src=x onerror=alert(1)><script>alert(2)</script> <b>Dues</b>",
            ),
            _AFTER,
            visible_text_has=["<img src=x onerror=alert(1)><script>alert(2)</script> <b>Dues</b>"],
            no_element=["img", "script", "b"],
            no_attribute_matches="^on",
        ),
        search(
            "title-entities",
            N_("&lt;b&gt; in a title is shown as just that: the meta holds text, not HTML."),
            source("https://office.kittiwick.example/dues", "How to write &lt;b&gt; and &amp; in a bylaw"),
            visible_text_has=["How to write &lt;b&gt; and &amp; in a bylaw"],
        ),
        search(
            "title-markdown",
            N_(
                "Asterisks, brackets, tildes, dollars and colons are letters: nothing is bold, linked, struck or coloured."
            ),
            source(
                "https://office.kittiwick.example/dues",
                "**Dues** [2026](https://x.example) ~~old~~ $5 :red[x] `a` :smile:",
            ),
            visible_text_has=["**Dues** [2026](https://x.example) ~~old~~ $5 :red[x] `a` :smile:"],
            no_element=["strong", "del", "s", "code"],
            hrefs_exact=["https://office.kittiwick.example/dues"],
        ),
        search(
            "title-line-breaks",
            N_("Line breaks and tabs in a title are white space: the label stays one."),
            source("https://office.kittiwick.example/dues", "Harbour\ndues\r\n\tfor 2026"),
            _AFTER,
            numbers=[1, 2],
        ),
        search(
            "title-names-another-site",
            N_(
                "The title names one site, the link leads to another: the host is marked, and says why when pointed at."
            ),
            source("https://evil.example/login", "docs.example — sign in"),
            source("https://docs.example/", "docs.example — sign in"),
            visible_text_has=["evil.example", "docs.example"],
        ),
        search(
            "title-is-url",
            N_("A title that is the URL itself: the label is that text, and the host beside it says where it leads."),
            source("https://office.kittiwick.example/dues", "https://office.kittiwick.example/dues"),
            hrefs_exact=["https://office.kittiwick.example/dues"],
        ),
        search(
            "title-query-hostile",
            N_("Markup in the query is text in the head as well."),
            _AFTER,
            args={"query": "<script>alert(1)</script> **dues** :material/home:"},
            title="<script>alert(1)</script> **dues** :material/home:",
            no_element=["script"],
        ),
        search(
            "title-query-long",
            N_("A query of 2,000 characters can be read as a whole and leaves the list where it is."),
            _AFTER,
            args={"query": "tide tables for every harbour of the coast " * 46},
            visible_text_has=["The source after it"],
        ),
    ),
)
