"""When two links are one page. Only for comparing: no link is ever shown in the form that is made here."""

import re

import ada_url

_TRACKING = re.compile(
    r"(?:utm_[a-z_]+|gclid|gclsrc|gbraid|wbraid|dclid|gad_source|gad_campaignid|fbclid|msclkid|yclid|ysclid|twclid|ttclid"
    r"|li_fat_id|igshid|igsh|mc_cid|mc_eid|mkt_tok|vero_id|oly_anon_id|oly_enc_id|_hsenc|_hsmi|_openstat|srsltid|_gl|_ga)"
    r"(?:=|$)",
    re.IGNORECASE,
)
"""Parameters that say where a reader came from and never which page is meant."""
_PERCENT = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_TEXT_DIRECTIVE = ":~:"


def dedup_key(url: str) -> str:
    """The same text for two URLs of one page.

    Parsed as browsers do (WHATWG URL): case of scheme and host, IDNA, default port and dot segments make no difference.
    Nor do a trailing slash, tracking parameters, an empty query or fragment, and how an unreserved character is written
    (RFC 3986 section 6.2.2). A fragment is another page: two parts of one manual are two sources. What does not parse
    is its own key.
    """
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return url.strip()
    if parsed.protocol not in ("http:", "https:"):
        return parsed.href
    search = parsed.search
    query = "&".join(part for part in search[1:].split("&") if part and not _TRACKING.match(part)) if search else ""
    # A text directive says what to highlight and is no part of the page's own fragment (URL Fragment Text Directives).
    fragment = parsed.hash[1:].partition(_TEXT_DIRECTIVE)[0]
    path = parsed.pathname.rstrip("/")
    key = f"{parsed.protocol}//{parsed.host.rstrip('.')}{path}"
    return _one_spelling(key + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else ""))


def same_site(url: str, site: str) -> bool:
    """Whether the URL's host is `site` or a host below it; `site` may carry a path ("docs.example/guide")."""
    try:
        parsed = ada_url.URL(url)
        wanted = ada_url.URL(site if "://" in site else f"https://{site}")
    except ValueError:
        return False
    host, root = parsed.hostname.rstrip("."), wanted.hostname.rstrip(".")
    below = host == root or host.endswith(f".{root}")
    return below and f"{parsed.pathname.rstrip('/')}/".startswith(f"{wanted.pathname.rstrip('/')}/")


def _one_spelling(url: str) -> str:
    def spelt(match: re.Match[str]) -> str:
        octet = int(match[1], 16)
        return chr(octet) if octet in _UNRESERVED else match[0].upper()

    return _PERCENT.sub(spelt, url) if "%" in url else url
