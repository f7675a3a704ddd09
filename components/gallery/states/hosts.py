"""Hosts: what stands beside a label to say where a link really leads."""

from components.gallery.state import Group, search, source
from components.i18n import N_

GROUP = Group(
    "hosts",
    N_("Hosts"),
    (
        search(
            "host-long",
            N_("A host of 250 characters breaks inside the card and can be read to its end, where the site's name is."),
            source("https://" + "wind." * 46 + "kittiwick.example/dues", "Harbour dues"),
            visible_text_has=["wind." * 46 + "kittiwick.example"],
        ),
        search(
            "host-idn",
            N_("A name in its own script stands beside the name that is looked up: both can be read."),
            source("https://鸥港.example/大风", "海堤大风"),
            visible_text_has=["鸥港.example", "xn--j6w163h.example"],
        ),
        search(
            "host-punycode",
            N_("A URL written in punycode shows the same two names as one written in its own script."),
            source("https://xn--j6w163h.example/", "海堤大风"),
            visible_text_has=["鸥港.example", "xn--j6w163h.example"],
        ),
        search(
            "host-look-alike",
            N_("A Cyrillic “а” in a Latin name: the punycode beside it gives it away."),
            source("https://аpple.example/login", "Sign in"),
            source("https://apple.example/login", "Sign in"),
            visible_text_has=["xn--"],
        ),
        search(
            "host-look-alike-mixed",
            N_(
                "Greek and Latin letters mixed in one name, and full-width letters: the name that is looked up is shown."
            ),
            source("https://gοοgle.example/", "Greek omicrons"),
            source("https://ｋｉｔｔｉｗｉｃｋ.example/", "Full width"),
            visible_text_has=["kittiwick.example"],
        ),
        search(
            "host-invalid-a-label",
            N_("A punycode label that stands for nothing valid stays as it is written."),
            source("https://xn--a.example/", "An odd name"),
            numbers=[1],
        ),
        search(
            "host-ipv4",
            N_("An address in place of a name, also when written as one number, is shown as it is looked up."),
            source("http://203.0.113.7/dues", "By address"),
            source("http://3405803783/dues", "By number"),
            visible_text_has=["203.0.113.7"],
            hrefs_exact=["http://203.0.113.7/dues", "http://203.0.113.7/dues"],
        ),
        search(
            "host-ipv6",
            N_("An IPv6 address keeps its brackets, and its port stands behind them."),
            source("http://[2001:db8::7]/dues", "By address"),
            source("http://[2001:db8::7]:8080/dues", "With a port"),
            visible_text_has=["[2001:db8::7]", "[2001:db8::7]:8080"],
        ),
        search(
            "host-port",
            N_("A port is shown unless it is the scheme's own."),
            source("https://office.kittiwick.example:8443/", "Port 8443"),
            source("https://office.kittiwick.example:443/", "Port 443"),
            visible_text_has=["office.kittiwick.example:8443"],
            visible_text_lacks=[":443 "],
        ),
        search(
            "host-upper-case",
            N_("Capitals in a host are small letters in the link and beside it."),
            source("HTTPS://OFFICE.Kittiwick.EXAMPLE/Dues", "Harbour dues"),
            visible_text_has=["office.kittiwick.example"],
            hrefs_exact=["https://office.kittiwick.example/Dues"],
        ),
        search(
            "host-trailing-dot",
            N_("A name with a dot at its end is a link like any other."),
            source("https://office.kittiwick.example./dues", "Harbour dues"),
            links_count=1,
        ),
        search(
            "host-subdomain-trick",
            N_("docs.example is only the beginning of the name: the whole host is shown, its end too."),
            source("https://docs.example.evil.example/login", "Sign in"),
            visible_text_has=["docs.example.evil.example"],
        ),
        search(
            "host-mixed",
            N_("Sources of six sites: each site has a letter and a colour of its own, the same in every card."),
            source("https://office.kittiwick.example/", "Office"),
            source("https://gazette.kittiwick.example/", "Gazette"),
            source("https://wiki.kittiwick.example/", "Wiki"),
            source("https://lowwater.example/", "Low Water"),
            source("https://marsa.example/", "Marsa"),
            source("https://office.kittiwick.example/dues", "Office again"),
            numbers=[1, 2, 3, 4, 5, 6],
        ),
    ),
)
