"""Where a redirect leads and whether it may be followed: Location, Refresh, loops, downgrades, other hosts.

Pure. Whether the target's address may be reached is asked of the guard at each hop, by retrieve.py.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.url import WebUrl, parse_url, shown

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
"""WHATWG Fetch, section 2.2.3 "redirect status"."""
MAX_REFRESH_DELAY = 10
"""Seconds. A page that moves on later is one to be read first (news pages reload themselves every few minutes)."""

CrossHost = Literal["follow", "same-origin"]


class Redirect(msgspec.Struct, frozen=True, rename="camel"):
    """One hop: the URL that answered with a redirect, and its status (200 for a refresh)."""

    url: str
    status: int


class Chain:
    """The hops of one fetch so far, and the rules for the next."""

    def __init__(self, start: WebUrl, *, limit: int, cross_host: CrossHost = "follow") -> None:
        self.hops: list[Redirect] = []
        self.start = start
        self._limit = limit
        self._cross_host = cross_host
        self._seen: set[tuple[str, str]] = set()

    def visit(self, url: WebUrl, cookies: str = "") -> None:
        """Note that `url` is asked for, with these cookies: the same once more is a loop.

        Raises WebError (WEB_REDIRECT_BLOCKED).
        """
        key = url.without_fragment, cookies
        if key in self._seen:
            raise _blocked(f"The redirects go round in a circle: {shown(url.href)} leads back to itself.")
        self._seen.add(key)

    def follow(self, current: WebUrl, target: str, status: int) -> WebUrl:
        """The URL that `target` (a Location, or a refresh) means at `current`.

        Raises WebError: WEB_REDIRECT_BLOCKED where the rules forbid it, WEB_BLOCKED_URL for credentials in the target.
        """
        url = self._resolve(current, target)
        if len(self.hops) >= self._limit:
            raise _blocked(
                f"More than {self._limit} redirects, the last of them to {shown(url.href)} "
                "(WEBCARDS_FETCH_MAX_REDIRECTS sets the limit)."
            )
        if current.scheme == "https" and url.scheme == "http":
            raise _blocked(
                f"{current.netloc} redirects from https to plain http, which is not followed: {shown(url.href)}"
            )
        if self._cross_host == "same-origin" and not _same_site(self.start, url):
            raise _blocked(
                f"{current.netloc} redirects to another host, {url.netloc}: {shown(url.href)}. "
                "Fetch that URL if it is wanted (WEBCARDS_FETCH_CROSS_HOST=follow follows such redirects)."
            )
        self.hops.append(Redirect(current.href, status))
        return url

    def _resolve(self, current: WebUrl, target: str) -> WebUrl:
        try:
            url = parse_url(target, current)
        except WebError as error:
            message = f"{current.netloc} redirects to where no fetch goes. {error.message}"
            if error.code == "WEB_BLOCKED_URL":
                raise WebError(error.code, message) from None
            raise _blocked(message) from None
        if current.fragment and not url.fragment:
            # RFC 9110, section 10.2.2: a Location without a fragment takes over the one asked for.
            return parse_url(url.href + current.fragment)
        return url


def location_of(status: int, values: Sequence[bytes]) -> str | None:
    """The target of a 3xx answer, from its Location headers; None where there is none, and the answer is a result.

    Raises WebError (WEB_REDIRECT_BLOCKED) for several headers that disagree.
    """
    if status not in REDIRECT_STATUSES:
        return None
    targets = {_text(value).strip() for value in values} - {""}
    if len(targets) > 1:
        raise _blocked("The redirect names several different targets (Location), so none is followed.")
    return targets.pop() if targets else None


def refresh_of(value: str | None) -> str | None:
    """The target of a Refresh header that moves on within `MAX_REFRESH_DELAY` seconds; None if it names none.

    The value's grammar is that of WHATWG HTML, "shared declarative refresh steps".
    """
    match = _REFRESH.match(value or "")
    if match is None or int(match["seconds"] or 0) > MAX_REFRESH_DELAY:
        return None
    target = match["target"].strip()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return target or None


def scriptless_refresh_of(body: bytes) -> str | None:
    """Where a page sends readers without script (`<meta http-equiv=refresh>` inside `<noscript>`), or None.

    For a page that has nothing else to read: link-out pages move on by script, and say so once more in this way.
    """
    for part in _NOSCRIPT.findall(body[:_SCRIPTLESS_BYTES]):
        for tag in _META.findall(part):
            attributes = {
                name.lower(): html.unescape(first or second or third)
                for name, first, second, third in _ATTRIBUTE.findall(_text(tag))
            }
            if attributes.get("http-equiv", "").strip().lower() == "refresh":
                return refresh_of(attributes.get("content"))
    return None


_SCRIPTLESS_BYTES = 16_384
_NOSCRIPT = re.compile(rb"<noscript\b[^>]{0,200}>(.{0,4096}?)</noscript", re.IGNORECASE | re.DOTALL)
_META = re.compile(rb"<meta\b([^>]{0,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_REFRESH = re.compile(
    r"\s*(?P<seconds>\d{0,9})[\d.]*\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?(?P<target>.*)\Z", re.IGNORECASE | re.DOTALL
)


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _same_site(start: WebUrl, url: WebUrl) -> bool:
    """The same origin, or the same host by https on its usual port in place of http."""
    return url.origin == start.origin or (url.host == start.host and (start.port, url.port) == (80, 443))


def _blocked(message: str) -> WebError:
    return WebError("WEB_REDIRECT_BLOCKED", message)
