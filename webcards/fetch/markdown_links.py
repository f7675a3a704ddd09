"""Addresses on a page: made absolute as a browser makes them (WHATWG URL), with the schemes a reader can follow."""

from __future__ import annotations

from ada_url import URL
from lxml.html import HtmlElement

_LINK_SCHEMES = frozenset(("http:", "https:", "mailto:", "tel:", "ftp:"))
_IMAGE_SCHEMES = frozenset(("http:", "https:"))
MAX_URL_CHARS = 4_096


class Addresses:
    """Resolves the addresses of one page; each is parsed once."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._links: dict[str, str | None] = {}

    def link(self, href: str) -> str | None:
        """The absolute address of a link, or None for one that leads nowhere (a script, a broken URL)."""
        try:
            return self._links[href]
        except KeyError:
            resolved = self._links[href] = resolve(href, self._base, _LINK_SCHEMES)
            return resolved

    def image(self, source: str) -> str | None:
        """The absolute address of an image, or None for one that has no address of its own (`data:`)."""
        return resolve(source, self._base, _IMAGE_SCHEMES)


def resolve(reference: str, base: str, schemes: frozenset[str] = _IMAGE_SCHEMES) -> str | None:
    """`reference` against `base`, percent-encoded octets kept; None when it does not parse or has another scheme."""
    if len(reference) > MAX_URL_CHARS:
        return None
    try:
        url = URL(reference, base)
    except ValueError:
        return None
    if url.protocol not in schemes:
        return None
    return str(url.href)


def base_address(root: HtmlElement, url: str) -> str:
    """What the page's relative addresses stand on: its `<base>`, else its own URL (HTML §2.4.3)."""
    for element in root.iter("base"):
        href = element.get("href")
        if href is not None:
            return resolve(href.strip(), url) or url
    return url
