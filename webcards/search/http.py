"""Asking a search engine's JSON API: one deadline, a bounded body, waiting where asked to, failures told in words.

Keys stand in headers, never in URLs or messages. What the rows mean is the provider's part.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

import httpx
import msgspec
from msgspec import Struct

from webcards.contract.errors import WebError
from webcards.search.plain_text import plain, shortened
from webcards.search.waiting import read_retry_after, when_to_retry

MAX_BYTES = 5_000_000
"""Bytes of an answer that are read, decoded."""
CONNECT_SECONDS = 5.0
ATTEMPTS = 3

Answer = TypeVar("Answer")


class Api(Struct, frozen=True):
    """An engine's API as far as every request to it is alike."""

    label: str
    advice: str
    """What to do if it refuses to answer us: which setting to look at."""
    timeout: float
    """Seconds for the whole search, waiting and trying again included."""
    headers: dict[str, str] = {}
    secrets: tuple[str, ...] = ()
    """Texts that must not turn up in a message."""

    def __repr__(self) -> str:
        return f"Api({self.label!r})"


class Reply(Struct, frozen=True):
    """A response that has been read to its end."""

    status: int
    headers: httpx.Headers
    body: bytes


async def ask(
    api: Api,
    method: str,
    url: str,
    answer: type[Answer],
    *,
    params: Mapping[str, str | int] | None = None,
    json: Mapping[str, Any] | None = None,
) -> Answer:
    """The API's answer as `answer`, which says what shape it must have.

    Answers of 429 and 503 that say when to come back are waited for, if the deadline allows it. Raises `WebError` with
    `WEB_PROVIDER_UNAVAILABLE` (no connection), `WEB_FETCH_TIMEOUT`, `WEB_RATE_LIMITED` or `WEB_PROVIDER_ERROR`.
    """
    deadline = asyncio.get_running_loop().time() + api.timeout
    request = httpx.Request(
        method,
        url,
        params=params,
        json=json,
        headers={"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "WebCards", **api.headers},
    )
    try:
        async with asyncio.timeout_at(deadline):
            reply = await _ask_until(api, request, deadline)
    except TimeoutError as error:
        raise WebError(
            "WEB_FETCH_TIMEOUT",
            f"{api.label} did not answer within {api.timeout:g} seconds. Try again, or raise WEBCARDS_SEARCH_TIMEOUT.",
        ) from error
    except httpx.HTTPError as error:
        raise _not_answered(api, error) from error
    if not 200 <= reply.status < 300:
        raise _refused(api, reply)
    return _decode(api, reply, answer)


async def _ask_until(api: Api, request: httpx.Request, deadline: float) -> Reply:
    timeout = httpx.Timeout(None, connect=min(CONNECT_SECONDS, api.timeout))
    async with httpx.AsyncClient(verify=_tls(), http2=True, trust_env=False, timeout=timeout) as client:
        for _ in range(ATTEMPTS - 1):
            reply = await _send(api, client, request)
            wait = _asked_to_wait(reply)
            if wait is None or asyncio.get_running_loop().time() + wait >= deadline:
                return reply
            await asyncio.sleep(wait)
        return await _send(api, client, request)


async def _send(api: Api, client: httpx.AsyncClient, request: httpx.Request) -> Reply:
    response = await client.send(request, stream=True)
    try:
        return Reply(response.status_code, response.headers, await _body(api, response))
    finally:
        await response.aclose()


async def _body(api: Api, response: httpx.Response) -> bytes:
    """The body, decoded with a bound on what comes out: httpx would decode a bomb whole."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise _failed(api, f"answered in an encoding that was not asked for ({encoding[:20]})")
    inflate = None if encoding in ("", "identity") else zlib.decompressobj(wbits=47 if "gzip" in encoding else 15)
    body = bytearray()
    try:
        async for chunk in response.aiter_raw():
            body += inflate.decompress(chunk, MAX_BYTES + 1 - len(body)) if inflate else chunk
            if len(body) > MAX_BYTES:
                raise _failed(api, f"sent more than {MAX_BYTES // 1_000_000} MB")
    except zlib.error as error:
        raise _failed(api, "sent a compressed answer that is damaged") from error
    return bytes(body)


def _decode(api: Api, reply: Reply, answer: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(reply.body, type=answer)
    except msgspec.ValidationError as error:
        # Only types and a path stand in this message, nothing of the answer itself.
        raise _failed(api, f"sent JSON of another shape than its documentation says ({error})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if reply.body.lstrip()[:1] == b"<":
            raise _refusal(api, f"sent a web page instead of JSON (HTTP {reply.status})") from error
        if not reply.body.strip():
            raise _failed(api, f"sent an empty answer (HTTP {reply.status})") from error
        raise _failed(api, f"sent an answer that is not JSON (HTTP {reply.status})") from error


def _asked_to_wait(reply: Reply) -> float | None:
    return wait_of(reply.headers) if reply.status in (429, 503) else None


def wait_of(headers: httpx.Headers) -> float | None:
    """Seconds to wait: from Retry-After, else from the window that is used up in `X-RateLimit-Remaining` and `-Reset`,
    two lists of equal length with the seconds until each window starts anew (Brave Search API, "Rate Limiting")."""
    if (told := read_retry_after(headers.get("retry-after"), datetime.now(UTC))) is not None:
        return told
    left = headers.get("x-ratelimit-remaining", "").split(",")
    resets = headers.get("x-ratelimit-reset", "").split(",")
    used_up = [
        seconds
        for remaining, reset in zip(left, resets, strict=False)
        if remaining.strip() == "0" and (seconds := read_retry_after(reset, datetime.now(UTC))) is not None
    ]
    # An epoch in place of seconds would be a wait of decades.
    return max(used_up) if used_up and max(used_up) <= 32 * 86_400 else None


def _refused(api: Api, reply: Reply) -> WebError:
    status = f"HTTP {reply.status}"
    said = _said(reply)
    match reply.status:
        case 429:
            wait = wait_of(reply.headers)
            return WebError(
                "WEB_RATE_LIMITED",
                f"{api.label} refuses the search because of too many requests. {when_to_retry(wait)}",
                retry_after=wait,
            )
        case 503 if (wait := wait_of(reply.headers)) is not None:
            return WebError(
                "WEB_PROVIDER_ERROR", f"{api.label} is overloaded ({status}). {when_to_retry(wait)}", retry_after=wait
            )
        case 401 | 403:
            # What it says of a key that it does not know may hold the key.
            return _refusal(api, f"refused the request ({status})")
        case _ if 300 <= reply.status < 400:
            return _refusal(api, f"redirects to another address ({status})")
        case _ if _about_the_key(said):
            return _refusal(api, f"refused the request ({status})")
        case _:
            words = shortened(redacted(said, api.secrets), 200)
            answered = f"answered with {status}" + (f", saying “{words}”" if words else "")
            return _failed(api, answered) if reply.status >= 500 else _refusal(api, answered)


_KEY_REFUSED = re.compile(
    r"(?:api.?key|token|credential)s?\b.*\b(?:invalid|missing|unknown|expired|not valid)|invalid.*\b(?:key|token)",
    re.IGNORECASE,
)


def _about_the_key(said: str) -> bool:
    return bool(_KEY_REFUSED.search(said))


_WORDS = ("detail", "message", "reason", "info", "error", "errors", "msg")
_DEEPEST = 4


def _said(reply: Reply) -> str:
    """The API's own words for its failure, wherever in the JSON they stand; "" if there are none."""
    try:
        content = msgspec.json.decode(reply.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    for _ in range(_DEEPEST):
        if isinstance(content, list):
            content = content[0] if content else ""
        if not isinstance(content, dict):
            break
        content = next((content[key] for key in _WORDS if content.get(key)), "")
    return plain(content[:2_000]) if isinstance(content, str) else ""


_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|tvly|pplx|bsa|key|token|bearer)[-_=: ]+[\w.-]*\d[\w.-]*"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}",
    re.IGNORECASE,
)


def redacted(text: str, secrets: tuple[str, ...]) -> str:
    """The text without our own keys, and without anything that looks like one."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    return _KEY_LIKE.sub("…", text)


def _not_answered(api: Api, error: httpx.HTTPError) -> WebError:
    match error:
        case httpx.ConnectError() if _certificate(error):
            return _failed(api, "showed a certificate that cannot be verified, so it may be somebody else")
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return WebError(
                "WEB_PROVIDER_UNAVAILABLE",
                f"{api.label} cannot be reached. Check the network connection of this machine, or the address if it is"
                " one of your own.",
            )
        case _:
            return _failed(api, "broke off before its answer was complete")


def _certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _failed(api: Api, happened: str) -> WebError:
    """The engine's own fault, or the way's."""
    return WebError("WEB_PROVIDER_ERROR", f"{api.label} {happened}. Try again later, or choose another engine.")


def _refusal(api: Api, happened: str) -> WebError:
    """What the settings may mend."""
    return WebError("WEB_PROVIDER_ERROR", f"{api.label} {happened}. {api.advice}")


@cache
def _tls() -> ssl.SSLContext:
    """Loading the certificates takes longer than all else here, so it is done once."""
    return httpx.create_ssl_context(trust_env=False)
