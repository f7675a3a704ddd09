"""Hides keys, tokens, cookies, credentials and signed query strings in texts, URLs and JSON, and counts what it hid.

The one place that knows what a secret looks like: for logs before they are shown, and for calls before they are kept.
Wide rather than narrow: something harmless that is hidden can be looked up again, a secret that is shown is lost. Pure.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

MASK = "[masked]"
URL_MASK = "masked"
DEEPEST = 100
_TOO_DEEP = "[nested too deeply to be shown]"

# Where a word begins: also after a line break that is written out, as in JSON inside a text.
_BEGIN = r"(?:\b|(?<=\\n)|(?<=\\r)|(?<=\\t))"
_KEYS = re.compile(
    r"""(?x)(?<![A-Za-z0-9_-])(?:
        sk-[A-Za-z0-9_-]{16,} | (?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,} | (?:AKIA|ASIA)[0-9A-Z]{16}
        | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,}
        | xox[abposr]-[A-Za-z0-9-]{10,} | AIza[0-9A-Za-z_-]{30,} | ya29\.[0-9A-Za-z_-]{20,} | tvly-[A-Za-z0-9_-]{10,}
        | pplx-[A-Za-z0-9]{16,} | gsk_[A-Za-z0-9]{16,} | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{20,}
        | xai-[A-Za-z0-9]{16,} | fc-[a-f0-9]{24,} | jina_[A-Za-z0-9]{16,} | BSA[A-Za-z0-9_-]{20,}
        | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | r8_[A-Za-z0-9]{20,} | dop_v1_[a-f0-9]{32,}
    )"""
)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")
_PRIVATE_KEY = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.{0,20000}?(?:-----END \1-----|\Z)", re.DOTALL)
_SCHEME = re.compile(rf"(?i){_BEGIN}(Bearer|Basic|Digest|Token)(\s+)([A-Za-z0-9._~+/=-]{{8,}})")
# A header in text; a value in quotes ends at the quote, and escaped JSON ends it with a backslash.
_HEADER = re.compile(
    rf"""(?i){_BEGIN}(?P<name>(?:proxy-)?authorization|(?:set-)?cookie2?|api-key
        |x-(?:api-key|auth-token|csrf-token|subscription-token))
        (?P<between>\\*["']?\s*[:=]\s*\\*["']?)(?P<value>[^\r\n"'\\]{{4,}})""",
    re.VERBOSE,
)
_FIELD_NAMES = (
    r"api[_-]?key|apikey|access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|session[_-]?token|bearer[_-]?token"
    r"|client[_-]?secret|secret[_-]?(?:access[_-]?)?key|aws[_-]?secret[_-]?access[_-]?key|secret|password|passwd|pwd"
    r"|passphrase|private[_-]?key|credentials?|authorization|cookies?|set-cookie|x-api-key|x-subscription-token|token"
)
_FIELD = re.compile(rf"(?i)^(?:{_FIELD_NAMES})$")
_ASSIGNED = re.compile(
    rf"""(?ix)(?P<name> \\*["'](?:{_FIELD_NAMES})\\*["']\s*:\s*\\*["']
        | {_BEGIN}(?:{_FIELD_NAMES})(?:=["']?|\s*=\s*["']) )
        (?P<value>[^\s"'&\\<>]{{6,}})"""
)
# What a text in lower case must hold for the patterns above to find anything: most texts do not, and looking for one plain
# word after the other takes a small part of the time of any pattern.
_HEADER_WORDS = ("authorization", "cookie", "api-key", "-token")
_SCHEME_WORDS = ("bearer", "basic", "digest", "token")
_FIELD_WORDS = ("key", "token", "secret", "passw", "pwd", "passphrase", "credential", "authorization", "cookie")
_SCHEME_LIKE = re.compile(r"(?:bearer|basic|digest|token)\s+[a-z0-9._~+/=-]{8}")
_HEADER_LIKE = re.compile(r"(?:authorization|cookie2?|api-key|-token)\\*[\"']?\s*[:=]")
_FIELD_LIKE = re.compile(
    r"(?:key|token|secret|passw(?:or)?d|pwd|passphrase|credentials?|authorization|cookies?)"
    r"(?:\\*[\"']\s*:|=|\s+=\s*[\"'])"
)
# A piece of each key that `_KEYS` knows, by a sign that most texts do not hold: "k_" is one of sk_, pk_, rk_ and gsk_, "f_"
# of hf_, "_pat_" of github_pat_.
_KEY_PIECES = {
    "_": ("k_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "_pat_", "f_", "npm_", "jina_", "r8_", "dop_v1_"),
    "-": ("sk-", "glpat-", "xox", "tvly-", "pplx-", "xai-", "fc-"),
    "A": ("AKIA", "ASIA", "AIza", "BSA"),
    ".": ("ya29.", "SG."),
}
# The names of parameters whose value grants access, in a query or a fragment.
_GRANTING = (
    r"x-(?:amz|goog|oss|cos|tos|bce|obs)-[a-z0-9-]{1,40}|sig|sign|signature|auth|auth_?key"
    r"|(?:access|refresh|id|auth|session|bearer|private|hash|csrf)[_-]?token|token"
    r"|(?:api|app|auth|subscription|access|private)[_-]?key|x-api-key|key-pair-id|policy"
    r"|(?:aws|oss)accesskeyid|googleaccessid|password|passwd|passphrase|pass|pwd|(?:client|app)[_-]?secret|secret"
    r"|jwt|otp|session|session_?id|sessid|sid|phpsessid|jsessionid|ticket|hmac|hash_?sig|credentials?|authorization"
    r"|code_verifier|client_assertion|q-signature|q-ak|q-sign-time|hdnts|hdnea"
)
_GRANTS = re.compile(rf"(?i)^(?:{_GRANTING})$")
# Parts of a signed query that no longer stand in a URL: after an escaped ampersand, or encoded into another URL.
_LOOSE = re.compile(
    r"(?i)(?P<name>\b(?:x-(?:amz|goog|oss|cos)-[a-z0-9-]{2,40}|signature|sig|access_?token|awsaccesskeyid)(?:=|%3D))"
    rf"(?P<value>(?!{URL_MASK}\b)[^&\s\"'\\<>%]{{8,}})"
)
# A parameter of an address without a scheme, or of one that is odd: after ?, &, ; or #.
_PARAMETER = re.compile(
    rf"(?i)(?P<name>(?:[?&;#]|&amp;)(?:{_GRANTING})=)(?P<value>(?!{URL_MASK}\b)[^\s&;#\"'<>\\)\]}}|`]+)"
)
# The same in a URL that stands percent-encoded inside another one's query.
_ENCODED_PARAMETER = re.compile(
    rf"(?i)(?P<name>%(?:3F|26)(?:{_GRANTING})%3D)(?P<value>(?!{URL_MASK}\b)(?:(?!%26|%23)[^\s&;#\"'<>\\)\]}}|`])+)"
)
# A URL is looked for from its "://": what stands before it, and after it.
_URL_SCHEME = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,20}\Z")
_URL_REST = re.compile(r"[^\s<>\"'`\\]+")
_LONGEST_SCHEME = 21
# Userinfo stands between "//" and "@" and holds no "/", "?" or "#" (RFC 3986, section 3.2.1); browsers take
# backslashes for slashes.
_USER = re.compile(rf"(?i)((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{{0,20}}:[\\/]{{2,}})(?!{URL_MASK}@)[^\s/?#\\\"'<>]*@")
_ENCODED_USER = re.compile(rf"(?i)(%3A%2F%2F)(?!{URL_MASK}%40)(?:(?!%2F|%3F|%23)[^\s/?#&\"'<>])*?%40")
# The same, cheaply: what a text in lower case must hold for each of the above.
_PARAMETER_LIKE = re.compile(rf"[?&;#](?:{_GRANTING})=")
_USER_LIKE = re.compile(r":[\\/]{2,}[^\s/?#\\\"'<>]*@")
_LOOSE_PIECES = (
    *("sig=", "signature=", "token=", "keyid=", "sig%3d", "signature%3d", "token%3d", "keyid%3d"),
    *("x-amz-", "x-goog-", "x-oss-", "x-cos-"),
)
_LONG_VALUE, _LONG_KEY, _LONGEST_FIELD = 20, 8, 40
# No secret that one would know as such fits into less, with the word that says so.
_SHORTEST = 6

_Count = Callable[[str, str], str]


def mask_text(text: str, found: Counter[str] | None = None) -> str:
    """The text without its secrets. What was hidden is counted in `found` by kind. Never raises."""
    if len(text) < _SHORTEST:
        return text
    found = Counter() if found is None else found

    def count(kind: str, shown: str) -> str:
        found[kind] += 1
        return shown

    if "PRIVATE KEY" in text:
        text = _PRIVATE_KEY.sub(lambda _: count("private key", MASK), text)
    if "=" in text or "@" in text or "%" in text:
        text = _without_parameters(text, found, count)
    lowered = text.lower()
    if _holds_any(lowered, _HEADER_WORDS) and _HEADER_LIKE.search(lowered):
        text = _HEADER.sub(lambda hit: count(_header_kind(hit["name"]), f"{hit['name']}{hit['between']}{MASK}"), text)
    if _holds_any(lowered, _SCHEME_WORDS) and _SCHEME_LIKE.search(lowered):
        text = _SCHEME.sub(lambda hit: _scheme(hit, count), text)
    if "eyJ" in text:
        text = _JWT.sub(lambda _: count("token", MASK), text)
    if any(sign in text and _holds_any(text, pieces) for sign, pieces in _KEY_PIECES.items()):
        text = _KEYS.sub(lambda _: count("key", MASK), text)
    if _holds_any(lowered, _FIELD_WORDS) and _FIELD_LIKE.search(lowered):
        text = _ASSIGNED.sub(lambda hit: _assigned(hit, count), text)
    return text


def _holds_any(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - this runs for every text of every event, and a generator takes twice the time
        if word in text:
            return True
    return False


def _without_parameters(text: str, found: Counter[str], count: _Count) -> str:
    """What addresses in a text carry: userinfo, and the values of parameters."""
    lowered = text.lower()
    if "://" in text:
        text = _with_masked_urls(text, found)
    if "@" in text and _USER_LIKE.search(lowered):
        text = _USER.sub(lambda hit: count("credentials in a URL", f"{hit[1]}{URL_MASK}@"), text)
    if "%40" in text:
        text = _ENCODED_USER.sub(lambda hit: count("credentials in a URL", f"{hit[1]}{URL_MASK}%40"), text)
    signed = "signed query string"
    if "=" in text and _PARAMETER_LIKE.search(lowered):
        text = _PARAMETER.sub(lambda hit: count(signed, hit["name"] + URL_MASK), text)
    if "%3" in text:
        text = _ENCODED_PARAMETER.sub(lambda hit: count(signed, hit["name"] + URL_MASK), text)
    if ("=" in text or "%3" in text) and _holds_any(lowered, _LOOSE_PIECES):
        text = _LOOSE.sub(lambda hit: count(signed, hit["name"] + URL_MASK), text)
    return text


def _with_masked_urls(text: str, found: Counter[str]) -> str:
    parts = []
    done, mark = 0, text.find("://")
    while mark >= 0:
        scheme = _URL_SCHEME.search(text, max(done, mark - _LONGEST_SCHEME), mark)
        rest = _URL_REST.match(text, mark + 3) if scheme else None
        if scheme and rest:
            parts += [text[done : scheme.start()], mask_url(text[scheme.start() : rest.end()], found)]
            done = rest.end()
        mark = text.find("://", max(done, mark + 3))
    return "".join([*parts, text[done:]])


def _scheme(hit: re.Match[str], count: _Count) -> str:
    """`Bearer x` is a token; "basic research" is not: a word of letters alone is left."""
    if hit[3].isalpha() and len(hit[3]) < 24:
        return hit[0]
    return count("token", f"{hit[1]}{hit[2]}{MASK}")


def _assigned(hit: re.Match[str], count: _Count) -> str:
    value = hit["value"]
    if value.startswith((MASK, URL_MASK)) or value in ("undefined", "required", "string"):
        return hit[0]
    return count("credential", f"{hit['name']}{MASK}")


def _header_kind(name: str) -> str:
    lowered = name.lower()
    return "cookie" if "cookie" in lowered else "token" if "auth" in lowered else "key"


def mask_url(url: str, found: Counter[str] | None = None) -> str:
    """The URL without user and password, and without the values of its query that grant access. Never raises."""
    found = Counter() if found is None else found
    if "@" in url:
        shown = _USER.sub(rf"\1{URL_MASK}@", url)
        if shown != url:
            found["credentials in a URL"] += 1
            url = shown
    if "=" not in url:
        return url
    head, mark, rest = url.partition("?")
    if not mark:
        return _masked_fragment(url, found)
    query, hash_mark, fragment = rest.partition("#")
    parts = re.split("([&;])", query)
    hidden = 0
    for place in range(0, len(parts), 2):
        name, equals, value = parts[place].partition("=")
        if equals and value and value != URL_MASK and _grants_access(unquote(name), value):
            parts[place], hidden = f"{name}={URL_MASK}", hidden + 1
    if hidden:
        found["signed query string"] += 1
    return _masked_fragment(f"{head}?{''.join(parts)}{hash_mark}{fragment}", found)


def _masked_fragment(url: str, found: Counter[str]) -> str:
    """OAuth's implicit answers carry their tokens in the fragment (RFC 6749, section 4.2.2)."""
    head, mark, fragment = url.partition("#")
    shown = _FRAGMENT.sub(rf"\1{URL_MASK}", fragment)
    if shown == fragment:
        return url
    found["token"] += 1
    return f"{head}{mark}{shown}"


_FRAGMENT = re.compile(rf"(?i)((?:^|[?&])(?:{_GRANTING})=)(?!{URL_MASK}\b)[^&]+")


def _grants_access(name: str, value: str) -> bool:
    name = name.removeprefix("amp;")
    if _GRANTS.match(name):
        return True
    # A key is one unless it is a short word; the others are mostly harmless, and as long as this they are not.
    if name.lower() == "key":
        return len(value) >= _LONG_KEY or not value.isalpha()
    return name.lower() in ("code", "s", "st", "e") and len(value) >= _LONG_VALUE and not value.isalpha()


def mask_value(value: Any, found: Counter[str] | None = None, *, deepest: int = DEEPEST) -> Any:
    """JSON without its secrets: in its texts and keys, and the whole value of a field whose name says that it is one.

    What is nested more than `deepest` deep is left out: nobody reads that far, and it cannot be masked without end.
    Raises RecursionError for what is nested deeper than Python goes, if `deepest` allows that.
    """
    return _masked(value, Counter() if found is None else found, deepest)


def _masked(value: Any, found: Counter[str], deepest: int) -> Any:
    # Runs for every value of every event: kinds are asked in the order in which they are met.
    if deepest < 0:
        return _TOO_DEEP
    if isinstance(value, str):
        return mask_text(value, found)
    if isinstance(value, dict):
        return {_key(key, found): _member(key, item, found, deepest - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item, found, deepest - 1) for item in value]
    return value


def _key(key: Any, found: Counter[str]) -> Any:
    """A key as it may be shown. Most are short words; a URL or a secret may stand there all the same."""
    if not isinstance(key, str) or (len(key) < _LONG_VALUE and key.isidentifier()):
        return key
    return mask_text(key, found)


def _member(key: Any, item: Any, found: Counter[str], deepest: int) -> Any:
    if isinstance(item, str) and len(item) >= 4 and isinstance(key, str) and _names_a_secret(key):
        found["cookie" if "cookie" in key.lower() else "credential"] += 1
        return MASK
    return _masked(item, found, deepest)


def _names_a_secret(key: str) -> bool:
    return len(key) <= _LONGEST_FIELD and _is_field(key)


@lru_cache(maxsize=1024)
def _is_field(key: str) -> bool:
    return _FIELD.match(key) is not None
