"""Addresses that are long, odd, or no web addresses at all; of sources and of fetched pages."""

from components.gallery.state import Group, fetch, search, source
from components.i18n import N_

_LONG = "https://office.kittiwick.example/search?q=" + "dues-" * 391 + "end"

GROUP = Group(
    "addresses",
    N_("Addresses"),
    (
        search(
            "address-2000-characters",
            N_("A URL of 2,000 characters without a title: the host is the label, the link is whole."),
            source(_LONG),
            hrefs_exact=[_LONG],
        ),
        search(
            "address-credentials",
            N_("A name and a password before the host fool nobody: the real host is shown beside the label."),
            source("https://docs.example:secret@evil.example/login", "docs.example"),
            visible_text_has=["evil.example"],
        ),
        search(
            "address-other-schemes",
            N_("javascript:, data:, file:, mailto: and ftp: are plain text, never a link."),
            source("javascript:alert(document.cookie)", "Script"),
            source("data:text/html,<script>alert(1)</script>", "Data"),
            source("file:///etc/passwd", "File"),
            source("mailto:harbour@office.kittiwick.example", "Mail"),
            source("ftp://office.kittiwick.example/tides.csv", "FTP"),
            hrefs_exact=[],
            numbers=[1, 2, 3, 4, 5],
            visible_text_has=["file:///etc/passwd"],
        ),
        search(
            "address-hidden-scheme",
            N_("A control character or a capital inside “javascript” changes nothing: it stays plain text."),
            source("java\tscript:alert(1)", "Tab"),
            source("\x01javascript:alert(1)", "Control"),
            source("JaVaScRiPt://office.kittiwick.example/%0aalert(1)", "With a host"),
            hrefs_exact=[],
        ),
        search(
            "address-unparsable",
            N_("What cannot be parsed is plain text; the sources around it keep their links and their numbers."),
            source("not a url"),
            source("https://[::1", "Broken host"),
            source("https://office.kittiwick.example:99999/", "Port out of range"),
            source("", "Empty"),
            source("https://office.kittiwick.example/", "Fine"),
            hrefs_exact=["https://office.kittiwick.example/"],
            numbers=[1, 2, 3, 4, 5],
            visible_text_has=["not a url", "Broken host"],
        ),
        search(
            "address-relative",
            N_("A path or a host without a scheme is no link: it would lead into this app."),
            source("/dues", "Path"),
            source("office.kittiwick.example/dues", "No scheme"),
            source("//evil.example/", "No scheme, two slashes"),
            hrefs_exact=[],
        ),
        search(
            "address-markup",
            N_("Quotation marks and tags in a URL cannot leave the attribute that holds it."),
            source('https://ok.example/"><script>alert(1)</script>', "Marks"),
            no_element=["script"],
            links_count=1,
        ),
        search(
            "address-spaces",
            N_("Spaces around a URL are dropped, those inside are encoded."),
            source("  https://office.kittiwick.example/harbour dues  ", "Harbour dues"),
            hrefs_exact=["https://office.kittiwick.example/harbour%20dues"],
        ),
        search(
            "address-bidi-override",
            N_("A character that turns text around makes a URL plain text; the next row reads as ever."),
            source("https://d.example/about\u202egpj.exe", "Turned"),
            source("https://office.kittiwick.example/", "The next row"),
            hrefs_exact=["https://office.kittiwick.example/"],
            bidi_contained=True,
        ),
        fetch(
            "address-fetch-not-web",
            N_("A fetched address that is no web address is shown as text, without a link."),
            url="file:///etc/passwd",
            args={"url": "file:///etc/passwd"},
            hrefs_exact=[],
            visible_text_has=["file:///etc/passwd"],
        ),
        fetch(
            "address-fetch-unparsable",
            N_("A final address that cannot be parsed is shown as text, and the status beside it."),
            url="https://[oops",
            hrefs_exact=[],
            visible_text_has=["https://[oops", "200"],
        ),
        fetch(
            "address-fetch-2000-characters",
            N_("A final address of 2,000 characters breaks, stays within its box, and can be read to the end."),
            url=_LONG,
            args={"url": _LONG},
            hrefs_exact=[_LONG],
        ),
        fetch(
            "address-fetch-redirected",
            N_("The address that was asked for stands in the head, the final one is the link below it."),
            url="https://office.kittiwick.example/dues",
            args={"url": "http://go.kittiwick.example/d"},
            title="http://go.kittiwick.example/d",
            hrefs_exact=["https://office.kittiwick.example/dues"],
        ),
        fetch(
            "address-fetch-credentials",
            N_("A password in a final address does not hide the host that stands beside it."),
            url="https://docs.example:secret@evil.example/",
            args={"url": "https://docs.example:secret@evil.example/"},
            visible_text_has=["evil.example"],
        ),
    ),
)
