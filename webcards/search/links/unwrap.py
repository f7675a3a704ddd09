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
    """Links of `host` (or of a host below it) whose path matches carry their target in the first of `names` present."""

    host: re.Pattern[str]
    path: re.Pattern[str]
    names: tuple[str, ...] = ()
    read: Callable[[str], str | None] | None = None
    """How the parameter's decoded value becomes the target, where it is not the target itself."""


def _bing_target(value: str) -> str | None:
    """`a1` and the address in base64 for URLs, without padding."""
    if not value.startswith("a1"):
        return None
    try:
        decoded = urlsafe_b64decode(value[2:] + "=" * (-len(value[2:]) % 4)).decode()
    except ValueError:
        return None
    # A path alone is Bing's own page.
    return decoded if "://" in decoded else None


def _on(host: str, path: str, *names: str, read: Callable[[str], str | None] | None = None) -> Wrapper:
    return Wrapper(re.compile(rf"(?:.+\.)?{host}\.?"), re.compile(path), names, read)


_GOOGLE = r"google\.(?:com|[a-z]{2}|com?\.[a-z]{2})"
_WRAPPERS = (
    _on(_GOOGLE, r"/url", "q", "url", "imgrefurl"),
    _on(_GOOGLE, r"/imgres", "imgrefurl"),
    _on(r"bing\.com", r"/ck/a", "u", read=_bing_target),
    _on(r"bing\.com", r"/(?:news/apiclick\.aspx|alink/link)", "url"),
    _on(r"facebook\.com", r"/(?:l|flx/warn)(?:\.php|/)?", "u"),
    _on(r"instagram\.com", r"/?", "u"),
    _on(r"messenger\.com", r"/l\.php", "u"),
    _on(r"linkedin\.com", r"/(?:redir/redirect|safety/go|redirect)/?", "url"),
    _on(r"youtube\.com", r"/redirect/?", "q"),
    _on(r"out\.reddit\.com", r"/.*", "url"),
    _on(r"vk\.com", r"/away\.php", "to"),
    _on(r"slack-redir\.net", r"/link", "url"),
    _on(r"steamcommunity\.com", r"/linkfilter/?", "u", "url"),
    _on(r"t\.umblr\.com", r"/redirect", "z"),
    _on(r"safelinks\.protection\.outlook\.com", r"/.*", "url"),
    _on(r"disq\.us", r"/url", "url"),
    _on(r"medium\.com", r"/r/?", "url"),
    _on(r"exit\.sc", r"/", "url"),
    _on(r"pixiv\.net", r"/jump\.php", "url"),
    _on(r"link\.zhihu\.com", r"/", "target"),
    _on(r"link\.juejin\.cn", r"/?", "target"),
    _on(r"link\.csdn\.net", r"/", "target"),
    _on(r"gitee\.com", r"/link", "target"),
    _on(r"sogou\.com", r"/websearch/ppc\.jsp", "url"),
)
_DUCKDUCKGO = _on(r"duckduckgo\.com", r"/l/?", "uddg")
_DECODED_UDDG = re.compile(r"(?:^|&)uddg=(https?://.*?)(?:&rut=[^&]*)?$")
_YAHOO = re.compile(r"(?:.+\.)?(?:r\.)?search\.yahoo\.(?:com|co\.jp)")
_YAHOO_TARGET = re.compile(r"/RU=([^/]+)/")

_ADVERTISEMENTS = (
    _on(r"duckduckgo\.com", r"/y\.js"),
    _on(r"bing\.com", r"/(?:aclick|aclk)"),
    _on(_GOOGLE, r"/(?:aclk|pagead/.*)"),
    _on(r"googleadservices\.com", r"/.*"),
    _on(r"doubleclick\.net", r"/.*"),
    _on(r"search\.yahoo\.com", r"/cbclk2?/.*"),
    _on(r"yabs\.yandex\.(?:ru|com)", r"/.*"),
)


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
    return parsed is not None and any(_matches(wrapper, parsed) for wrapper in _ADVERTISEMENTS)


def _target(url: str) -> str | None:
    parsed = _parsed(url)
    if parsed is None:
        return None
    if _matches(_DUCKDUCKGO, parsed):
        # The parameter is written wholly encoded, so a bare "://" means that somebody has decoded the link already:
        # what follows "&" then belongs to the target, and decoding again would change it.
        bare = _DECODED_UDDG.search(parsed.search[1:])
        return bare[1] if bare else _parameter(_DUCKDUCKGO, parsed.search[1:])
    if _YAHOO.fullmatch(parsed.hostname):
        found = _YAHOO_TARGET.search(parsed.pathname)
        return unquote(found[1]) if found else None
    for wrapper in _WRAPPERS:
        if _matches(wrapper, parsed):
            return _parameter(wrapper, parsed.search[1:])
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
    """Parsed as a link in a page over https would be, so that `//host/…` is one; None if it is no web link."""
    try:
        parsed = ada_url.URL(url, "https://relative.invalid/")
    except ValueError:
        return None
    if parsed.protocol not in ("http:", "https:") or parsed.hostname == "relative.invalid":
        return None
    return parsed


def _absolute(url: str) -> bool:
    try:
        ada_url.URL(url)
    except ValueError:
        return False
    return True


def _matches(wrapper: Wrapper, parsed: ada_url.URL) -> bool:
    return bool(wrapper.host.fullmatch(parsed.hostname) and wrapper.path.fullmatch(parsed.pathname))
