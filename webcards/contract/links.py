"""Which URL may become a link, and which host it really leads to: read by the WHATWG rules, as the browser will."""

import unicodedata
from functools import lru_cache

import ada_url
import idna
from msgspec import Struct

# https://url.spec.whatwg.org/ sets no limit; a browser follows far longer ones, yet no honest link comes near this.
MAX_URL_LENGTH = 65_536


class Host(Struct, frozen=True):
    """A link's host for display. `ascii` is what is looked up; `unicode` differs from it for an internationalised name."""

    ascii: str
    unicode: str

    @property
    def is_idn(self) -> bool:
        return self.ascii != self.unicode


@lru_cache(maxsize=4096)
def safe_link(url: str) -> str | None:
    """The href for an http(s) URL that parses, in its normalised form; None for anything else, which stays plain text."""
    parsed = _parse(url)
    return None if parsed is None else parsed[0]


@lru_cache(maxsize=4096)
def link_host(url: str) -> Host | None:
    """The host that an http(s) URL leads to, with a port that is not the default; None where there is none."""
    parsed = _parse(url)
    if parsed is None:
        return None
    _, hostname, port = parsed
    suffix = f":{port}" if port else ""
    return Host(hostname + suffix, _unicode_name(hostname) + suffix)


def link_hostname(url: str) -> str | None:
    """The hostname of an http(s) URL, without the port (WHATWG URL, `hostname`); None where there is none."""
    parsed = _parse(url)
    return None if parsed is None else parsed[1]


def _parse(url: str) -> tuple[str, str, str] | None:
    """(href, hostname, port), or None if it is no http(s) URL."""
    if not url or len(url) > MAX_URL_LENGTH or (not url.isprintable() and _hides_something(url)):
        return None
    try:
        parsed = ada_url.URL(url)
        if parsed.protocol not in ("http:", "https:") or not parsed.hostname:
            return None
        return parsed.href, parsed.hostname, parsed.port
    except ValueError:  # UnicodeEncodeError, for half a surrogate pair, is one too
        return None


def _hides_something(url: str) -> bool:
    """Whether it holds a control character or one that turns text around: no honest URL has one inside.

    Browsers drop tabs and line breaks (WHATWG URL, basic URL parser, step 3), which is how a script URL is disguised.
    White space around a URL is what a careless producer left there.
    """
    return any(unicodedata.category(char) in ("Cc", "Cs") or char in BIDI_CONTROLS for char in url.strip())


# Unicode 15, Bidi_Control.
BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _unicode_name(hostname: str) -> str:
    if "xn--" not in hostname:
        return hostname
    labels = []
    for label in hostname.split("."):
        try:
            # Only names that IDNA 2008 allows are shown in their own script: the others are where look-alikes hide.
            labels.append(idna.decode(label) if label.startswith("xn--") else label)
        except (idna.IDNAError, UnicodeError):
            labels.append(label)
    return ".".join(labels)
