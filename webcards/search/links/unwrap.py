"""Undoing redirect wrappers: the address that an engine or a site hides inside a link of its own.

Only hosts and paths that are known to redirect are undone. Whether the address found may be shown is checked again by
the caller's rule for any link; an advertisement's wrapper is not a result at all.
"""

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable
from urllib.parse import unquote

import ada_url
from msgspec import Struct

_NESTING = 4
"""A wrapper inside a wrapper is undone too, but not without end."""


class Wrapper(Struct, frozen=True):
    """Links whose path matches carry their target in the first of `names` that is present."""

    path: re.Pattern[str]
    names: tuple[str, ...] = ()
    read: Callable[[str], str | None] | None = None
    """How the parameter's decoded value becomes the target, where it is not the target itself."""


def _bing_target(value: str) -> str | None:
    """`a1` and the address in base64 for URLs, without padding."""
    if not value.startswith("a1"):
        return None
    try:
        coded = value[2:].replace("+", "-").replace("/", "_").rstrip("=")
        decoded = urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        return None
    # A path alone is Bing's own page.
    return decoded if "://" in decoded else None


def _at(path: str, *names: str, read: Callable[[str], str | None] | None = None) -> Wrapper:
    return Wrapper(re.compile(path), names, read)


_WRAPPERS: dict[str, tuple[Wrapper, ...]] = {
    "google": (_at(r"/url", "q", "url", "imgrefurl"), _at(r"/imgres", "imgrefurl")),
    "bing.com": (
        _at(r"/ck/a", "u", read=_bing_target),
        _at(r"/(?:news/apiclick\.aspx|alink/link)", "url"),
    ),
    "facebook.com": (_at(r"/(?:l|flx/warn)(?:\.php|/)?", "u"),),
    "instagram.com": (_at(r"/?", "u"),),
    "messenger.com": (_at(r"/l\.php", "u"),),
    "linkedin.com": (_at(r"/(?:redir/redirect|safety/go|redirect)/?", "url"),),
    "youtube.com": (_at(r"/redirect/?", "q"),),
    "out.reddit.com": (_at(r"/.*", "url"),),
    "vk.com": (_at(r"/away\.php", "to"),),
    "slack-redir.net": (_at(r"/link", "url"),),
    "steamcommunity.com": (_at(r"/linkfilter/?", "u", "url"),),
    "t.umblr.com": (_at(r"/redirect", "z"),),
    "safelinks.protection.outlook.com": (_at(r"/.*", "url"),),
    "disq.us": (_at(r"/url", "url"),),
    "medium.com": (_at(r"/r/?", "url"),),
    "exit.sc": (_at(r"/", "url"),),
    "pixiv.net": (_at(r"/jump\.php", "url"),),
    "link.zhihu.com": (_at(r"/", "target"),),
    "link.juejin.cn": (_at(r"/?", "target"),),
    "link.csdn.net": (_at(r"/", "target"),),
    "gitee.com": (_at(r"/link", "target"),),
}
"""By domain; hosts below it count too. "google" stands for Google's domains of every country."""

_ADVERTISEMENTS = {
    "duckduckgo.com": (_at(r"/y\.js"),),
    "bing.com": (_at(r"/(?:aclick|aclk)"),),
    "google": (_at(r"/(?:aclk|pagead/.*)"),),
    "googleadservices.com": (_at(r"/.*"),),
    "doubleclick.net": (_at(r"/.*"),),
    "search.yahoo.com": (_at(r"/cbclk2?/.*"),),
    "yabs.yandex.ru": (_at(r"/.*"),),
    "yabs.yandex.com": (_at(r"/.*"),),
}
_DUCKDUCKGO = _at(r"/l/?", "uddg")
_DECODED_UDDG = re.compile(r"(?:^|&)uddg=(https?://.*?)(?:&rut=[^&]*)?$")
_YAHOO = frozenset({"search.yahoo.com", "search.yahoo.co.jp"})
_YAHOO_TARGET = re.compile(r"/RU=([^/]+)/")
_GOOGLE = re.compile(r"(?:.+\.)?google\.(?:com|[a-z]{2}|com?\.[a-z]{2})")

_RELATIVE = {"/l/?": "https://duckduckgo.com/", "/url?": "https://www.google.com/"}
"""How wrappers begin that lack their own engine's host, and whose they are."""
_DOMAINS = {*_WRAPPERS, *_ADVERTISEMENTS, "duckduckgo.com", *_YAHOO} - {"google"}
_MENTIONED = (*sorted(_DOMAINS), "google.")
"""Nearly every link names none of these hosts, and need not be parsed to know."""


def unwrap(url: str) -> str:
    """The address inside a known redirect wrapper, decoded exactly once a wrapper; any other link as it was given.

    The result may be of any scheme that stood in the wrapper (`javascript:…`): it is not a checked link.
    """
    for _ in range(_NESTING):
        target = _target(url)
        if not target or not _absolute(target):
            break
        url = target
    return url


def is_advertisement(url: str) -> bool:
    """Whether the link is an engine's click counter for a sponsored entry."""
    parsed = _parsed(url)
    if parsed is None:
        return False
    domain, path = _domain(parsed.hostname), parsed.pathname
    return any(counter.path.fullmatch(path) for counter in _ADVERTISEMENTS.get(domain, ()))


def _target(url: str) -> str | None:
    parsed = _parsed(url)
    if parsed is None:
        return None
    domain, path, query = _domain(parsed.hostname), parsed.pathname, parsed.search[1:]
    if domain in _YAHOO:
        found = _YAHOO_TARGET.search(path)
        return unquote(found[1]) if found else None
    if domain == "duckduckgo.com" and _DUCKDUCKGO.path.fullmatch(path):
        # The parameter is written wholly encoded, so a bare "://" means that somebody has decoded the link already:
        # what follows "&" then belongs to the target, and decoding again would change it.
        bare = _DECODED_UDDG.search(query)
        return bare[1] if bare else _parameter(_DUCKDUCKGO, query)
    for wrapper in _WRAPPERS.get(domain, ()):
        if wrapper.path.fullmatch(path):
            return _parameter(wrapper, query)
    return None


def _parameter(wrapper: Wrapper, query: str) -> str | None:
    # "&amp;" between the parts is what is left of an attribute that was read without its entities.
    parts = [part.partition("=") for part in query.replace("&amp;", "&").split("&")]
    for name in wrapper.names:
        for key, _, value in parts:
            if key == name and value:
                decoded = unquote(value).strip()
                return wrapper.read(decoded) if wrapper.read else decoded
    return None


def _parsed(url: str) -> ada_url.URL | None:
    """Parsed as a link in its engine's page would be, so that `//host/…` is one; None if it is none that matters here."""
    lowered = url.lower()
    page = next((page for start, page in _RELATIVE.items() if lowered.startswith(start)), None)
    if page is None and not any(name in lowered for name in _MENTIONED):
        return None
    if page is None and ":" not in lowered.partition("/")[0] and _domain(lowered.partition("/")[0]):
        url = f"https://{url}"
    try:
        parsed = ada_url.URL(url, page or "https://relative.invalid/")
    except ValueError:
        return None
    return parsed if parsed.protocol in ("http:", "https:") else None


def _domain(hostname: str) -> str:
    """The known domain that the host is, or is below; "" if there is none."""
    host = hostname.rstrip(".")
    if _GOOGLE.fullmatch(host):
        return "google"
    while host not in _DOMAINS and host:
        host = host.partition(".")[2]
    return host


def _absolute(url: str) -> bool:
    try:
        ada_url.URL(url)
    except ValueError:
        return False
    return True
