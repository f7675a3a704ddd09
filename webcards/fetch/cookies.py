"""The cookies of one fetch: kept while its redirects run, sent only to the very host that set them, then forgotten.

Without them a site that sets a cookie and redirects to itself would go round in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable

from webcards.fetch.url import WebUrl

MAX_COOKIES = 50
"""Cookies kept of one host; RFC 6265 (section 6.1) asks for at least as many."""
MAX_COOKIE_LENGTH = 4096


class ChainCookies:
    """A jar without domains and paths: narrower than RFC 6265, so that nothing can leak to a neighbour."""

    def __init__(self) -> None:
        self._jars: dict[str, dict[str, tuple[str, bool]]] = {}

    def take(self, url: WebUrl, set_cookie: Iterable[str]) -> None:
        """Keep what an answer of `url` sets, and forget what it unsets (`Max-Age=0`)."""
        for line in set_cookie:
            pair, *attributes = line.split(";")
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not (equals and name) or len(pair) > MAX_COOKIE_LENGTH or not pair.isprintable():
                continue
            jar = self._jars.setdefault(url.host, {})
            flags = {attribute.strip().lower().replace(" ", "") for attribute in attributes}
            if any(flag.startswith(("max-age=0", "max-age=-")) for flag in flags):
                jar.pop(name, None)
            elif name in jar or len(jar) < MAX_COOKIES:
                jar[name] = value, "secure" in flags

    def header(self, url: WebUrl) -> str:
        """The Cookie header for a request to `url`; empty if there is none."""
        jar = self._jars.get(url.host, {})
        return "; ".join(
            f"{name}={value}" for name, (value, secure) in jar.items() if url.scheme == "https" or not secure
        )
