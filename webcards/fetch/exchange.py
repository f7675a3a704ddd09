"""One hop: a request sent, again where that may help, and its answer's body read up to the caps.

Which hop comes next is retrieve.py's part; what the exceptions mean, failures.py's.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import logging
import time
from collections.abc import AsyncGenerator, Callable
from typing import Literal

import httpcore
import httpx
import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.decoding import BodyDecoder, UndecodableError
from webcards.fetch.failures import BROKEN_OFF, failure, may_pass
from webcards.fetch.redirects import REDIRECT_STATUSES
from webcards.fetch.url import WebUrl

# Retries are counted in the details of a call; who wants each of them in a log attaches a handler.
logging.getLogger("stamina").addHandler(logging.NullHandler())

MAX_RETRY_WAIT = 10.0
"""Seconds that are waited for a busy server (Retry-After) at most; a longer wish is told to the caller instead."""
FIRST_BACKOFF = 0.2
"""Seconds before a broken connection is tried again; each time twice as long."""
LAST_SECOND = 1.0
"""Seconds that must be left of the deadline after a wait, or the wait is not worth it."""
DRAINED = 16_384
"""Bytes of a redirect's own body that are read so that its connection can be used again."""
PEEKED = 4096
"""Decoded bytes that are there when `Peek` is asked."""

Peek = Callable[[bytes, str | None, str], object]
"""Looks at the first bytes, the content type and the URL; raises WebError where reading on is pointless."""


class Progress:
    """How far a call has come: what a person is told when the deadline ends it."""

    def __init__(self, url: WebUrl) -> None:
        self.url = url
        self.bytes_read = 0
        self.complete = False

    def words(self, seconds: float) -> str:
        """What had happened when `seconds` were over."""
        host, limit = self.url.netloc, f"{seconds:g} s (WEBCARDS_FETCH_TIMEOUT sets the limit)"
        if self.complete:
            return f"The page of {host} came, but could not be read within {limit}."
        if self.bytes_read:
            return f"{host} was still sending after {limit}; {self.bytes_read:,} bytes had come."
        return f"{host} did not answer within {limit}."


class Answer(msgspec.Struct, frozen=True):
    """What one hop brought. `body` is decoded; `cut`: there was, or should have been, more of it; `broken`: the
    connection broke off in the middle."""

    url: WebUrl
    status: int
    headers: httpx.Headers
    body: bytes
    cut: bool
    bytes_read: int
    broken: bool = False
    retries: int = 0
    http_version: str | None = None
    remote_address: str | None = None
    cache: Literal["hit", "miss"] | None = None

    @property
    def content_type(self) -> str | None:
        """The Content-Type header as sent, or None."""
        value: str | None = self.headers.get("content-type")
        return value

    def header_bytes(self, name: bytes) -> list[bytes]:
        """A header's values as they came."""
        return [value for key, value in self.headers.raw if key.lower() == name]


class _UnsettledError(Exception):
    """An attempt after which another may help: a busy server's answer, one that broke off, or none."""

    def __init__(self, answer: Answer | None, cause: Exception | None, retries: int) -> None:
        super().__init__(type(cause).__name__ if cause is not None else "broken or busy")
        self.answer, self.cause, self.retries = answer, cause, retries


class Exchange(msgspec.Struct, frozen=True):
    """One request to one transport, with the caps on its answer."""

    transport: httpx.AsyncBaseTransport
    request: Callable[[], httpx.Request]
    url: WebUrl
    max_bytes: int
    retries: int
    progress: Progress
    peek: Peek | None = None

    async def run(self, deadline: float) -> Answer:
        """The answer. `deadline` is the event loop's time. Raises WebError; cancelling closes the connection."""
        try:
            return await self._settled(0)
        except _UnsettledError as first:
            unsettled = first
        try:
            return await self._again(unsettled, deadline)
        except _UnsettledError as last:
            unsettled = last
        answer = unsettled.answer
        if answer is None or (answer.broken and not answer.body):
            raise failure(unsettled.cause or httpcore.ReadError("broke off"), self.url) from unsettled.cause
        return answer

    async def _again(self, first: _UnsettledError, deadline: float) -> Answer:
        """What further attempts bring after the first. Raises `_UnsettledError`: the last one's, or the first's."""
        # Imported and set up when the first attempt has failed: most need no other, and this costs a tenth of a fetch.
        import stamina

        def wait(error: Exception) -> bool | float:
            if not isinstance(error, _UnsettledError):
                return False
            seconds = _wait_before_retry(error)
            now = asyncio.get_running_loop().time()
            return False if seconds is None or now + seconds + LAST_SECOND >= deadline else seconds

        async for attempt in stamina.retry_context(on=wait, attempts=self.retries + 1, timeout=None):
            with attempt:
                if attempt.num == 1:
                    raise first
                return await self._settled(attempt.num - 1)
        raise first

    async def _settled(self, retries: int) -> Answer:
        """What the next attempt brings. Raises `_UnsettledError` where a further one may bring more."""
        try:
            answer = await self._once(retries)
        except WebError:
            raise
        except Exception as error:  # whatever a hostile server provokes in the libraries is told in words
            raise _UnsettledError(None, error, retries) from error
        if answer.broken or retry_after(answer.status, answer.headers) is not None:
            raise _UnsettledError(answer, None, retries)
        return answer

    async def _once(self, retries: int) -> Answer:
        self.progress.url, self.progress.bytes_read = self.url, 0
        response = await self.transport.handle_async_request(self.request())
        reading = _Reading(response, self.max_bytes, self.progress)
        try:
            # Asked now: a server that closes after its answer leaves a socket that knows its peer no more.
            remote_address = _remote_address(response)
            if leads_on(response.status_code, response.headers):
                await reading.drain()
            else:
                await reading.run(self.url, self.peek)
        finally:
            await response.aclose()
        return Answer(
            url=self.url,
            status=response.status_code,
            headers=response.headers,
            body=bytes(reading.body),
            cut=reading.cut or reading.broken,
            broken=reading.broken,
            retries=retries,
            bytes_read=reading.bytes_read,
            http_version=_http_version(response),
            remote_address=remote_address,
            cache=_cache_use(response),
        )


class _Reading:
    """The body of one answer, read raw and decoded as it comes, up to the caps."""

    def __init__(self, response: httpx.Response, limit: int, progress: Progress) -> None:
        self.bytes_read = 0
        self.cut = False
        self.broken = False
        self._response = response
        self._limit = limit
        self._progress = progress
        self._decoder = BodyDecoder(limit=limit)

    @property
    def body(self) -> bytearray:
        return self._decoder.body

    async def run(self, url: WebUrl, peek: Peek | None) -> None:
        """Read until the end or a cap. Raises WebError where nothing of the body can be used."""
        encoding = self._response.headers.get("content-encoding")
        if encoding is not None:
            # What a packed body is worth shows once it is unpacked as far as the cap: a bomb is one for its size.
            peek = None
        try:
            self._decoder.undo(encoding)
            async with contextlib.aclosing(_chunks(self._response)) as chunks:
                async for chunk in chunks:
                    if not self._take(chunk):
                        return
                    if peek is not None and len(self.body) >= PEEKED:
                        peek(bytes(self.body[:PEEKED]), self._response.headers.get("content-type"), url.href)
                        peek = None
            self.cut = not self._decoder.complete
        except UndecodableError as error:
            if not self.body:
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
        self._progress.bytes_read = self.bytes_read
        self._decoder.feed(chunk)
        self.cut = self.cut or self._decoder.full
        return not self.cut

    async def drain(self) -> None:
        """Read a redirect's small body and drop it, so that its connection can be used again."""
        length = self._response.headers.get("content-length", "")
        if not (length.isdecimal() and int(length) <= DRAINED):
            return
        with contextlib.suppress(TimeoutError, *BROKEN_OFF):
            async with asyncio.timeout(1), contextlib.aclosing(_chunks(self._response)) as chunks:
                async for _ in chunks:
                    pass


def retry_after(status: int, headers: httpx.Headers) -> float | None:
    """Seconds after which a busy server (429, 503) asks to be tried again (RFC 9110, 10.2.3); None if it says none."""
    value = headers.get("retry-after", "").strip()
    if status not in (429, 503) or not value:
        return None
    if value.isdecimal():
        return float(value[:9])
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return None if moment.tzinfo is None else max(0.0, moment.timestamp() - time.time())


def leads_on(status: int, headers: httpx.Headers) -> bool:
    """Whether an answer is a redirect that names where to go."""
    return status in REDIRECT_STATUSES and bool(headers.get("location", "").strip())


def _wait_before_retry(unsettled: _UnsettledError) -> float | None:
    """Seconds to wait before asking again; None where that would not help."""
    answer, cause = unsettled.answer, unsettled.cause
    if answer is None or answer.broken:
        return FIRST_BACKOFF * 2.0**unsettled.retries if cause is None or may_pass(cause) else None
    asked = retry_after(answer.status, answer.headers)
    return asked if asked is not None and asked <= MAX_RETRY_WAIT else None


async def _chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    assert isinstance(response.stream, httpx.AsyncByteStream)
    async for chunk in response.stream:
        yield chunk


def _http_version(response: httpx.Response) -> str | None:
    version = response.extensions.get("http_version")
    return version.decode("ascii", "replace") if isinstance(version, bytes) else None


def _remote_address(response: httpx.Response) -> str | None:
    stream = response.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    return str(peer[0]) if isinstance(peer, tuple) and peer else None


def _cache_use(response: httpx.Response) -> Literal["hit", "miss"] | None:
    status = response.extensions.get("caching")
    if not isinstance(status, dict):
        return None
    return "hit" if status.get("from_cache") else "miss"
