"""Hides keys, tokens, cookies, credentials and signed query strings before a log is shown or shared, and says what it hid.

Wide rather than narrow: something harmless that is hidden can be looked up in the log, a secret that is shown is lost.
"""

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from webcards.contract.values import WebSource
from webcards.logs.decode import UndecodableError, decode
from webcards.logs.model import Found, FoundPage, FoundSources, LoggedCall, LoggedError

MASK = "[masked]"
_URL_MASK = "masked"
_DEEPEST = 100
_TOO_DEEP = "[nested too deeply to be shown]"


class Masked(Struct, frozen=True):
    """A kind of secret that was hidden, and how often."""

    kind: str
    count: int


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
# Parts of a signed query that no longer stand in a URL: after an escaped ampersand, or encoded into another URL.
_LOOSE = re.compile(
    r"(?i)(?P<name>\b(?:x-(?:amz|goog|oss|cos)-[a-z0-9-]{2,40}|signature|sig|access_?token|awsaccesskeyid)(?:=|%3D))"
    r"(?P<value>[^&\s\"'\\<>%]{8,})"
)
_URL = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`\\]+")
_USER = re.compile(r"(?i)^([a-z][a-z0-9+.-]*://)([^/?#@\s]+)@")
_SIGNED = re.compile(
    r"(?i)^(?:x-(?:amz|goog|oss|cos|tos|bce|obs)-.+|sig|sign|signature|token|access_?token|auth|auth_?key|authkey|api_?key"
    r"|apikey|awsaccesskeyid|googleaccessid|ossaccesskeyid|key-pair-id|policy|password|passwd|pwd|secret|client_secret"
    r"|id_token|refresh_token|jwt|session|sessionid|session_id|sid|ticket|hmac|credential|code_verifier|client_assertion"
    r"|q-signature|q-ak|q-sign-time|hdnts|hdnea|hash_token|private_token|access_key|accesskey|x-api-key|subscription-key)$"
)
_LONG_VALUE = 20


def mask_text(text: str, found: Counter[str] | None = None) -> str:
    """The text without its secrets. What was hidden is counted in `found` by kind. Never raises."""
    found = Counter() if found is None else found

    def count(kind: str, shown: str) -> str:
        found[kind] += 1
        return shown

    text = _PRIVATE_KEY.sub(lambda _: count("private key", MASK), text)
    text = _URL.sub(lambda url: mask_url(url[0], found), text)
    text = _LOOSE.sub(lambda hit: count("signed query string", hit["name"] + _URL_MASK), text)
    text = _HEADER.sub(lambda hit: count(_header_kind(hit["name"]), f"{hit['name']}{hit['between']}{MASK}"), text)
    text = _SCHEME.sub(lambda hit: _scheme(hit, count), text)
    text = _JWT.sub(lambda _: count("token", MASK), text)
    text = _KEYS.sub(lambda _: count("key", MASK), text)
    return _ASSIGNED.sub(lambda hit: _assigned(hit, count), text)


def _scheme(hit: re.Match[str], count: Any) -> str:
    """`Bearer x` is a token; "basic research" is not: a word of letters alone is left."""
    if hit[3].isalpha() and len(hit[3]) < 24:
        return hit[0]
    return str(count("token", f"{hit[1]}{hit[2]}{MASK}"))


def _assigned(hit: re.Match[str], count: Any) -> str:
    value = hit["value"]
    if value.startswith((MASK, _URL_MASK)) or value in ("undefined", "required", "string"):
        return hit[0]
    return str(count("credential", f"{hit['name']}{MASK}"))


def _header_kind(name: str) -> str:
    lowered = name.lower()
    return "cookie" if "cookie" in lowered else "token" if "auth" in lowered else "key"


def mask_url(url: str, found: Counter[str] | None = None) -> str:
    """The URL without user and password, and without the values of its query that grant access. Never raises."""
    found = Counter() if found is None else found
    if _USER.match(url):
        found["credentials in a URL"] += 1
        url = _USER.sub(rf"\1{_URL_MASK}@", url)
    head, mark, rest = url.partition("?")
    if not mark:
        return _masked_fragment(url, found)
    query, hash_mark, fragment = rest.partition("#")
    parts = re.split("([&;])", query)
    hidden = 0
    for place in range(0, len(parts), 2):
        name, equals, value = parts[place].partition("=")
        if equals and value and value != _URL_MASK and _grants_access(unquote(name), value):
            parts[place], hidden = f"{name}={_URL_MASK}", hidden + 1
    if hidden:
        found["signed query string"] += 1
    return _masked_fragment(f"{head}?{''.join(parts)}{hash_mark}{fragment}", found)


def _masked_fragment(url: str, found: Counter[str]) -> str:
    """OAuth's implicit answers carry their tokens in the fragment (RFC 6749, section 4.2.2)."""
    head, mark, fragment = url.partition("#")
    shown = re.sub(r"(?i)((?:^|&)(?:access_token|id_token|refresh_token)=)[^&]+", rf"\1{_URL_MASK}", fragment)
    if shown == fragment:
        return url
    found["token"] += 1
    return f"{head}{mark}{shown}"


def _grants_access(name: str, value: str) -> bool:
    name = name.removeprefix("amp;")
    if _SIGNED.match(name):
        return True
    # `key` and `code` are mostly harmless; as long as this they are not.
    return name.lower() in ("key", "code", "s", "st", "e") and len(value) >= _LONG_VALUE and not value.isalpha()


def mask_value(value: Any, found: Counter[str] | None = None, depth: int = 0) -> Any:
    """JSON without its secrets: in its texts, and the whole value of a field whose name says that it is one.

    What is nested more than 100 deep is left out: nobody reads that far, and it cannot be masked without end.
    """
    found = Counter() if found is None else found
    if depth > _DEEPEST:
        return _TOO_DEEP
    match value:
        case str():
            return mask_text(value, found)
        case list() | tuple():
            return [mask_value(item, found, depth + 1) for item in value]
        case dict():
            return {key: _member(key, item, found, depth + 1) for key, item in value.items()}
        case _:
            return value


def _member(key: Any, item: Any, found: Counter[str], depth: int) -> Any:
    if isinstance(key, str) and _FIELD.match(key) and isinstance(item, str) and len(item) >= 4:
        found["cookie" if "cookie" in key.lower() else "credential"] += 1
        return MASK
    return mask_value(item, found, depth)


def mask_call(call: LoggedCall) -> tuple[LoggedCall, tuple[Masked, ...]]:
    """The call as it may be shown to anybody, and what was hidden. Never raises.

    A raw record in which something was hidden is written anew; any other keeps its very bytes.
    """
    found: Counter[str] = Counter()
    result = call.result
    if result is not None:
        result = replace(
            result,
            content=mask_value(result.content, found),
            meta=mask_value(result.meta, found),
            details=mask_value(result.details, found),
        )
    error = call.error
    if error is not None and error.message is not None:
        error = LoggedError(error.name, error.code, mask_text(error.message))
    # The same secrets stand in the result, in what was found in it and in the records: they are counted once.
    raw = tuple(_masked_record(part) for part in call.raw)
    masked = replace(
        call,
        args=mask_value(call.args, found),
        result=result,
        error=error,
        found=_masked_found(call.found, found if result is None or not result.content else Counter()),
        raw=raw,
    )
    return masked, tuple(Masked(kind, count) for kind, count in sorted(found.items()))


def _masked_record(record: bytes) -> bytes:
    """A record of the log: masked as the JSON that it is, so that an escape in it hides nothing from us."""
    found: Counter[str] = Counter()
    try:
        value = mask_value(decode(record).value, found)
    except UndecodableError:
        masked = mask_text(record.decode("utf-8", "replace"), found).encode("utf-8", "replace")
        return masked if found else record
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") if found else record


def _masked_found(kept: Found | None, found: Counter[str]) -> Found | None:
    match kept:
        case FoundSources():
            sources = [
                WebSource(
                    mask_text(item.url, found),
                    mask_value(item.title, found),
                    mask_value(item.snippet, found),
                    item.published_at,
                )
                for item in kept.sources
            ]
            return FoundSources(sources, mask_value(kept.answer, found), kept.truncated)
        case FoundPage():
            return FoundPage(mask_text(kept.url, found), kept.status_code, kept.truncated)
        case None:
            return None


def masked_note(hidden: tuple[Masked, ...]) -> str | None:
    """What was hidden, as a sentence for people; None if nothing was."""
    if not hidden:
        return None
    kinds = [f"{item.count} {item.kind if item.count == 1 else _plural(item.kind)}" for item in hidden]
    listed = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"
    return f"Hidden here: {listed}."


def _plural(kind: str) -> str:
    return kind if kind.startswith("credentials") else f"{kind}s"
