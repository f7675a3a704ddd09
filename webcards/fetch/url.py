"""A web address read once, by the WHATWG rules (ada-url): guard and connection never read it differently.

Owns what can be fetched at all: http(s), parsable, no credentials. Whether its host may be reached is the guard's part.
"""

from __future__ import annotations

import ipaddress
import re

import ada_url
import msgspec

from webcards.contract.errors import WebError

MAX_URL_LENGTH = 32_768
"""Characters. Longer ones are no addresses that a person or a page meant; httpx itself stops at 65,536."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Characters that WHATWG leaves in a domain but no name in the DNS has; httpx would percent-encode them.
_HOSTNAME = re.compile(r"[a-z0-9_.\-]+\Z")
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.\-]*:(?!\d)")
_ZONED = re.compile(r"\[([0-9A-Fa-f:.]+)%[^\]]*\]")
_SHOWN = 200


class WebUrl(msgspec.Struct, frozen=True):
    """An http(s) URL in its normal form. `host` is lower case, without brackets and without the root's trailing dot."""

    href: str
    scheme: str
    host: str
    port: int
    path: str
    address: Address | None = None
    fragment: str = ""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what decides whether two URLs lead to the same server (RFC 6454)."""
        return self.scheme, self.host, self.port

    @property
    def target(self) -> bytes:
        """Path and query as they go on the wire: exactly as a browser would send them."""
        return self.path.encode("ascii")

    @property
    def without_fragment(self) -> str:
        """The href up to `#`: the part that names what is fetched."""
        return self.href.partition("#")[0]

    @property
    def netloc(self) -> str:
        """Host and port, IPv6 in brackets, the default port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def parse_url(text: str, base: WebUrl | None = None) -> WebUrl:
    """Read `text`, relative to `base` if given.

    Raises WebError: WEB_INVALID_URL if it cannot be parsed or is not http(s), WEB_BLOCKED_URL if it holds credentials.
    """
    if len(text) > MAX_URL_LENGTH:
        raise WebError("WEB_INVALID_URL", f"The URL has {len(text):,} characters; at most {MAX_URL_LENGTH:,} are read.")
    try:
        parsed = ada_url.URL(text, None if base is None else base.href)
    except ValueError:  # UnicodeEncodeError, for half a surrogate pair, is one too
        raise _unparsable(text) from None
    scheme = str(parsed.protocol)[:-1]
    if scheme not in _DEFAULT_PORTS:
        if _SCHEME.match(text) is None and base is None:
            raise _unparsable(text)
        raise WebError("WEB_INVALID_URL", f"Only http and https can be fetched, and this is {scheme}: {shown(text)}")
    if parsed.username or parsed.password:
        # The credentials are left out of the message: it goes into logs and to the model.
        raise WebError(
            "WEB_BLOCKED_URL",
            f"The URL carries a user name or password for {parsed.hostname}; such URLs are not fetched. "
            "Leave the part before @ out.",
        )
    port = int(parsed.port) if parsed.port else _DEFAULT_PORTS[scheme]
    if port == 0:
        raise WebError("WEB_INVALID_URL", f"Port 0 cannot be connected to: {shown(text)}")
    host = str(parsed.hostname).removesuffix(".").lower()
    address = literal_address(host)
    host = host.strip("[]")
    if address is None and not _is_dns_name(host):
        raise WebError("WEB_INVALID_URL", f"{shown(host)!r} is no host name.")
    return WebUrl(
        href=str(parsed.href),
        scheme=scheme,
        host=host,
        port=port,
        path=f"{parsed.pathname}{parsed.search}",
        address=address,
        fragment=str(parsed.hash),
    )


def literal_address(host: str) -> Address | None:
    """The IP address that a host is written as (brackets allowed), or None for a name.

    The host comes from the WHATWG parser, which has already turned every other notation into the plain one.
    """
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def shown(text: str) -> str:
    """Text from outside for a message: one line, clipped, half surrogates replaced."""
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def _is_dns_name(host: str) -> bool:
    """Whether it could be looked up: RFC 1035 lengths, and the letters that occur in names in practice."""
    return bool(_HOSTNAME.match(host)) and len(host) <= 253 and all(0 < len(label) <= 63 for label in host.split("."))


def _unparsable(text: str) -> WebError:
    zoned = _ZONED.search(text)
    if zoned is not None and literal_address(zoned[1]) is not None:
        # A zone says which of this machine's own links is meant; no public address has one (RFC 4007, section 11).
        return WebError(
            "WEB_BLOCKED_URL",
            f"{shown(zoned[0])} names a link of this machine (an IPv6 zone): that is not a public address.",
        )
    if "://" not in text and _SCHEME.match(text) is None:
        return WebError(
            "WEB_INVALID_URL", f"{shown(text)!r} is no full web address: begin it with https:// or http://."
        )
    return WebError("WEB_INVALID_URL", f"{shown(text)!r} is no valid web address.")
