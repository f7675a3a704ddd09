"""One URL to its final answer's bytes: redirects hop by hop, each checked; caps; retries. No extraction.

The guard says what may be reached, redirects.py what may be followed, decoding.py undoes encodings; this file sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import httpcore
import httpx
import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.cookies import ChainCookies
from webcards.fetch.decoding import ACCEPT_ENCODING, BodyDecoder, Undecodable
from webcards.fetch.failures import failure, may_pass
from webcards.fetch.guard import Guard
from webcards.fetch.redirects import REDIRECT_STATUSES, Chain, Redirect, location_of, refresh_of
from webcards.fetch.url import WebUrl, parse_url, shown

ACCEPT = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5"
)
"""Markdown first, as the page is read by a model; then what has text."""
MAX_RETRY_WAIT = 10.0
"""Seconds that are waited for a busy server (Retry-After) at most; a longer wish is told to the caller instead."""
FIRST_BACKOFF = 0.2
"""Seconds before a broken connection is tried again; each time twice as long."""
DRAINED = 16_384
"""Bytes of a redirect's own body that are read so that its connection can be used again."""

LAST_SECOND = 1.0
"""Seconds that must be left of the deadline after a wait, or the wait is not worth it."""
PEEKED = 4096
"""Decoded bytes that are there when `Peek` is asked."""
BROKEN_OFF = (
    httpcore.NetworkError, httpcore.ProtocolError, httpcore.ReadTimeout, httpx.NetworkError, httpx.ProtocolError, httpx.ReadTimeout
)  # fmt: skip

Peek = Callable[[bytes, str | None, str], None]
"""Looks at the first bytes, the content type and the URL; raises WebError where reading on is pointless."""


class Retrieval(msgspec.Struct, frozen=True):
    """A final answer. `body` is decoded; `cut`: there was, or should have been, more of it; `broken`: the
    connection broke off in the middle."""

    url: WebUrl
    status: int
    headers: httpx.Headers
    body: bytes
    cut: bool
    bytes_read: int
    broken: bool = False
    redirects: tuple[Redirect, ...] = ()
    retries: int = 0
    http_version: str | None = None
    remote_address: str | None = None
    from_library: bool = False
    cache: Literal["hit", "miss"] | None = None

    @property
    def content_type(self) -> str | None:
        """The Content-Type header as sent, or None."""
        return self.headers.get("content-type")


class Rules(msgspec.Struct, frozen=True):
    """The caps and manners of a retriever."""

    max_bytes: int
    user_agent: str
    retries: int = 2
    headers: Mapping[str, tuple[tuple[str, str], ...]] = {}


class Retriever:
    """Sends requests: to the library's transport for its hosts, to the network's for all others."""

    def __init__(
        self,
        *,
        guard: Guard,
        rules: Rules,
        network: httpx.AsyncBaseTransport,
        library: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._guard = guard
        self._rules = rules
        self._network = network
        self._library = library

    async def retrieve(
        self, url: WebUrl, *, chain: Chain, deadline: float, accept: str = ACCEPT, peek: Peek | None = None
    ) -> Retrieval:
        """The answer at the end of the redirects. `deadline` is the event loop's time by which the caller gives up.

        Raises WebError; cancelling it closes the connection.
        """
        cookies = ChainCookies()
        retries = 0
        while True:
            try:
                self._guard.check_url(url)
                chain.visit(url, cookies.header(url))
                answer, tried = await _Exchange(self, url, cookies.header(url), accept, peek).run(deadline)
            except WebError as error:
                raise _on_the_way(error, chain) from None
            retries += tried
            cookies.take(url, answer.headers.get_list("set-cookie"))
            target = location_of(answer.status, _raw(answer.headers, b"location")) or refresh_of(
                answer.headers.get("refresh")
            )
            if target is None or _is_reload(url, target, answer.status):
                return msgspec.structs.replace(answer, redirects=tuple(chain.hops), retries=retries)
            url = chain.follow(url, target, answer.status)

    def is_library(self, url: WebUrl) -> bool:
        """Whether the library answers for this host."""
        return self._library is not None and url.host in self._guard.library_hosts

    def transport_for(self, url: WebUrl) -> httpx.AsyncBaseTransport:
        """What answers for this host."""
        return self._library if self._library is not None and self.is_library(url) else self._network

    def request(self, url: WebUrl, *, accept: str, cookies: str) -> httpx.Request:
        """The GET for one hop. A host's extra headers are looked up anew at each hop, so they never reach another."""
        headers = {
            "Host": url.netloc,
            "User-Agent": self._rules.user_agent,
            "Accept": accept,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        if cookies:
            headers["Cookie"] = cookies
        for name, value in self._rules.headers.get(url.host, ()):
            headers = {known: text for known, text in headers.items() if known.lower() != name.lower()}
            headers[name] = value
        try:
            parsed = httpx.URL(url.without_fragment)
            names_the_same = parsed.raw_host.decode("ascii").rstrip(".") == url.host
        except (httpx.InvalidURL, ValueError):
            names_the_same = False
        if not names_the_same:
            # Two parsers that read one URL differently are how guards are fooled; such a URL goes nowhere.
            raise WebError("WEB_INVALID_URL", f"The host of {url.href[:200]!r} can be read in two ways.")
        extensions: dict[str, Any] = {"target": url.target}
        if url.address is None:
            extensions["sni_hostname"] = url.host  # TLS knows no trailing dot (RFC 6066, section 3)
        return httpx.Request("GET", parsed, headers=headers, extensions=extensions)

    @property
    def rules(self) -> Rules:
        """The caps and manners."""
        return self._rules


class _Exchange:
    """One hop: the request, sent again where that may help, and its answer read up to the caps."""

    def __init__(self, retriever: Retriever, url: WebUrl, cookies: str, accept: str, peek: Peek | None) -> None:
        self._retriever = retriever
        self._url = url
        self._cookies = cookies
        self._accept = accept
        self._peek = peek

    async def run(self, deadline: float) -> tuple[Retrieval, int]:
        """The answer, and how often the request was sent again. Raises WebError."""
        for attempt in itertools.count():
            answer, error, wait = None, None, None
            try:
                answer = await self._once()
            except WebError:
                raise
            except Exception as caught:  # noqa: BLE001 - whatever a hostile server provokes below is told in words
                error = caught
            if answer is None or answer.broken:
                wait = FIRST_BACKOFF * 2**attempt if error is None or may_pass(error) else None
            else:
                asked = retry_after(answer.status, answer.headers)
                wait = asked if asked is not None and asked <= MAX_RETRY_WAIT else None
            in_time = wait is not None and asyncio.get_running_loop().time() + wait + LAST_SECOND < deadline
            if wait is not None and in_time and attempt < self._retriever.rules.retries:
                await asyncio.sleep(wait)
                continue
            if answer is None or (answer.broken and not answer.body):
                raise failure(error or httpcore.ReadError("broke off"), self._url) from error
            return answer, attempt
        raise AssertionError("counting does not end")

    async def _once(self) -> Retrieval:
        transport = self._retriever.transport_for(self._url)
        request = self._retriever.request(self._url, accept=self._accept, cookies=self._cookies)
        response = await transport.handle_async_request(request)
        reading = _Reading(response, self._retriever.rules.max_bytes)
        try:
            if _leads_on(response):
                await reading.drain()
            else:
                await reading.run(self._url, self._peek)
        finally:
            await reading.close()
        return Retrieval(
            url=self._url,
            status=response.status_code,
            headers=response.headers,
            body=bytes(reading.decoder.body),
            cut=reading.cut or reading.broken,
            broken=reading.broken,
            bytes_read=reading.bytes_read,
            http_version=_http_version(response),
            remote_address=_remote_address(response),
            from_library=self._retriever.is_library(self._url),
        )


class _Reading:
    """The body of one answer, read raw and decoded as it comes, up to the caps."""

    def __init__(self, response: httpx.Response, limit: int) -> None:
        self.bytes_read = 0
        self.cut = False
        self.broken = False
        self.decoder = BodyDecoder(response.headers.get("content-encoding"), limit=limit)
        self._response = response
        self._limit = limit
        self._finished = False

    async def run(self, url: WebUrl, peek: Peek | None) -> None:
        """Read until the end or a cap. Raises WebError where nothing of the body can be used."""
        try:
            async with contextlib.aclosing(aiter(_stream(self._response))) as chunks:
                async for chunk in chunks:
                    if not self._take(chunk):
                        break
                    if peek is not None and len(self.decoder.body) >= PEEKED:
                        peek(bytes(self.decoder.body[:PEEKED]), self._response.headers.get("content-type"), url.href)
                        peek = None
                else:
                    self._finished = True
                    self.cut = not self.decoder.finish()
        except Undecodable as error:
            if not self.decoder.body:
                raise WebError(
                    "WEB_PROVIDER_ERROR", f"{url.netloc} sent a page that cannot be read: {error}."
                ) from None
            self.cut = True
        except BROKEN_OFF:
            self.broken = True

    def _take(self, chunk: bytes) -> bool:
        """Decode a chunk; False once a cap is reached."""
        room = self._limit - self.bytes_read
        if len(chunk) > room:
            chunk, self.cut = chunk[:room], True
        self.bytes_read += len(chunk)
        self.decoder.feed(chunk)
        self.cut = self.cut or self.decoder.full
        return not self.cut

    async def drain(self) -> None:
        """Read a redirect's small body and drop it, so that its connection can be used again."""
        length = self._response.headers.get("content-length", "")
        if not (length.isdigit() and int(length) <= DRAINED):
            return
        with contextlib.suppress(TimeoutError, *BROKEN_OFF):
            async with asyncio.timeout(1), contextlib.aclosing(aiter(_stream(self._response))) as chunks:
                async for _ in chunks:
                    pass
                self._finished = True

    async def close(self) -> None:
        """Give the connection back, or close it where the body was not read to its end."""
        stream = self._response.extensions.get("network_stream")
        await _stream(self._response).aclose()
        if not self._finished and _http_version(self._response) == "HTTP/2" and stream is not None:
            # httpcore does not reset a stream that is given up: the server would go on sending into a window that
            # nobody empties, and the connection's next request would hang.
            await stream.aclose()


def retry_after(status: int, headers: httpx.Headers) -> float | None:
    """Seconds after which a busy server (429, 503) asks to be tried again (RFC 9110, 10.2.3); None if it does not say."""
    value = headers.get("retry-after", "").strip()
    if status not in (429, 503) or not value:
        return None
    if value.isdigit():
        return float(value[:9])
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _leads_on(response: httpx.Response) -> bool:
    if response.status_code in REDIRECT_STATUSES:
        return bool(response.headers.get("location", "").strip())
    return False


def _is_reload(url: WebUrl, target: str, status: int) -> bool:
    """Whether a refresh only asks for the same page again: it is shown as it is."""
    if status in REDIRECT_STATUSES:
        return False
    with contextlib.suppress(WebError):
        return parse_url(target, url).without_fragment == url.without_fragment
    return False


def _stream(response: httpx.Response) -> httpx.AsyncByteStream:
    stream = response.stream
    assert isinstance(stream, httpx.AsyncByteStream)
    return stream


def _raw(headers: httpx.Headers, name: bytes) -> list[bytes]:
    return [value for key, value in headers.raw if key.lower() == name]


def _http_version(response: httpx.Response) -> str | None:
    version = response.extensions.get("http_version")
    return version.decode("ascii", "replace") if isinstance(version, bytes) else None


def _remote_address(response: httpx.Response) -> str | None:
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return str(peer[0]) if isinstance(peer, tuple) and peer else None


def _on_the_way(error: WebError, chain: Chain) -> WebError:
    """The error, saying that a redirect led there, if one did."""
    if not chain.hops:
        return error
    message = f"{error.message} (A redirect from {shown(chain.hops[-1].url)} led there.)"
    return WebError(error.code, message, retry_after=error.retry_after)
