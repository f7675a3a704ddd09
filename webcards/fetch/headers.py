"""The extra headers of the settings, by host: for an intranet that wants a token, say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from webcards.contract.errors import WebError
from webcards.fetch.retrieve import HostHeaders
from webcards.fetch.url import parse_url

# What the connection itself lives on; RFC 9110, section 7.6.1, and RFC 9112.
_OURS = frozenset({"host", "connection", "content-length", "transfer-encoding", "upgrade", "te", "accept-encoding"})

_ENTRY = re.compile(r"[^\s=,/]+=\s*[A-Za-z0-9-]+\s*:")


def host_headers(entries: Iterable[str]) -> HostHeaders:
    """`host=Name: value` entries as a mapping from host (or host:port) to its headers.

    Raises WebError (WEB_PROVIDER_ERROR) for one that cannot be read; its value, which may be a secret, is not repeated.
    """
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for entry in _rejoined(entries):
        host, equals, line = entry.partition("=")
        name, colon, value = (part.strip() for part in line.partition(":"))
        name_is_token = name.isascii() and all(char.isalnum() or char in "!#$%&'*+-.^_`|~" for char in name)
        if not (equals and colon and name and name_is_token) or not (value.isascii() and value.isprintable()):
            raise _unreadable(host, "host=Name: value is wanted")
        if name.lower() in _OURS:
            raise _unreadable(host, f"the header {name} is the connection's own")
        try:
            key = parse_url(f"http://{host.strip()}/").netloc
        except WebError:
            raise _unreadable(host, "a host comes first") from None
        found[key] = (*found.get(key, ()), (name, value))
    return found


def _rejoined(entries: Iterable[str]) -> list[str]:
    """The entries as they were meant: what follows a comma inside a value, and begins no entry, belongs to it."""
    whole: list[str] = []
    for entry in entries:
        if whole and not _ENTRY.match(entry):
            whole[-1] += f", {entry}"
        else:
            whole.append(entry)
    return whole


def _unreadable(host: str, why: str) -> WebError:
    return WebError("WEB_PROVIDER_ERROR", f"The setting WEBCARDS_FETCH_HEADERS cannot be read for {host!r}: {why}.")
