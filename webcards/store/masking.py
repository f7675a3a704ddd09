"""Secrets out of what is stored: credentials in URLs, and the values of query parameters that sign or
authorise.

Works on any text, since a URL may stand in a query, an argument, a page's text or a source. Pure.
"""

import re
from typing import Any

MASK = "***"

_NAMES = (
    "(?:access|refresh|id|auth|session|bearer|private|hash|csrf)[_-]?token|token"
    "|(?:api|app|auth|subscription|access|private)[_-]?key|key"
    "|(?:client|app)[_-]?secret|secret|password|passwd|passphrase|pass|pwd"
    "|signature|sig|sign|hmac|hash_?sig|credentials?|authorization|auth|jwt|otp|ticket"
    "|session[_-]?id|session|sessid|sid|phpsessid|jsessionid|code_verifier|client_assertion"
    "|x-(?:amz|goog|oss|cos|tos|bce|obs)-(?:signature|credential|security[_-]?token)|q-signature|q-ak|hdnts|hdnea"
    "|(?:aws|oss)accesskeyid|googleaccessid|x-api-key|key-pair-id|policy"
)
# A parameter begins after ?, &, ; or #, and ends at the next separator, white space, quote or bracket.
_PARAMETER = re.compile(rf"((?:[?&;#]|&amp;)(?:{_NAMES})=)(?!\*\*\*)[^\s&;#\"'<>\\)\]}}|`]+", re.IGNORECASE)
# The same in a URL that stands percent-encoded inside another one's query.
_ENCODED_PARAMETER = re.compile(
    rf"(%(?:3F|26)(?:{_NAMES})%3D)(?!\*\*\*)(?:(?!%26|%23)[^\s&;#\"'<>\\)\]}}|`])+", re.IGNORECASE
)
# RFC 3986 section 3.2.1: userinfo stands between "//" and "@" and holds no "/", "?" or "#".
_USERINFO = re.compile(r"((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:[\\/]{2,})[^\s/?#\\\"'<>]*@", re.IGNORECASE)
_ENCODED_USERINFO = re.compile(r"(%3A%2F%2F)(?:(?!%2F|%3F|%23)[^\s/?#&\"'<>])*?%40", re.IGNORECASE)


def mask(text: str) -> str:
    """The text with userinfo cut out of every URL and the values of secret-bearing parameters replaced by
    `***`.
    """
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    if "%3" in text:
        text = _ENCODED_PARAMETER.sub(rf"\1{MASK}", text)
    if "@" in text:
        text = _USERINFO.sub(r"\1", text)
    if "%40" in text:
        text = _ENCODED_USERINFO.sub(r"\1", text)
    return text


def mask_all(value: Any) -> Any:
    """The same for every string, keys included, of a JSON value."""
    match value:
        case str():
            return mask(value)
        case list() | tuple():
            return [mask_all(item) for item in value]
        case dict():
            return {mask(key) if isinstance(key, str) else key: mask_all(item) for key, item in value.items()}
        case _:
            return value
