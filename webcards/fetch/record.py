"""Recording what is fetched as a WARC file (ISO 28500), one request and response after the other.

It sits right above the network, so that what is kept is what came. Serving a file back is replay.py's part.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
from warcio.statusandheaders import StatusAndHeaders
from warcio.timeutils import datetime_to_iso_date
from warcio.warcwriter import BufferWARCWriter

from webcards.contract.errors import WebError

# Of the request only what every fetcher sends is kept: the rest may be somebody's key.
_KEPT_REQUEST_HEADERS = frozenset({"host", "user-agent", "accept", "accept-encoding"})
_RESPONSE_SECRETS = frozenset({"set-cookie", "set-cookie2"})


class Recorder:
    """One WARC file that is added to. Records are gzipped each by itself unless the name ends in `.warc`."""

    def __init__(self, path: Path) -> None:
        """Raises WebError (WEB_PROVIDER_ERROR) where the folder is missing."""
        if not path.parent.is_dir():
            raise WebError(
                "WEB_PROVIDER_ERROR", f"The setting WEBCARDS_FETCH_RECORD names {path}, whose folder does not exist."
            )
        self._path = path
        self._gzip = path.suffix != ".warc"
        self._lock = asyncio.Lock()

    async def add(self, request: httpx.Request, response: httpx.Response, body: bytes, truncated: str | None) -> None:
        """Add an exchange. `truncated` is WARC's word for why the body ends early. Raises WebError if it cannot."""
        async with self._lock:
            try:
                await asyncio.to_thread(self._write, request, response, body, truncated)
            except OSError as error:
                raise WebError(
                    "WEB_PROVIDER_ERROR",
                    f"What was fetched could not be recorded in {self._path} (WEBCARDS_FETCH_RECORD): {error.strerror}.",
                ) from None

    def _write(self, request: httpx.Request, response: httpx.Response, body: bytes, truncated: str | None) -> None:
        writer = BufferWARCWriter(gzip=self._gzip, warc_version="1.1")
        if not self._path.exists():
            info = {"software": "webcards", "format": "WARC File Format 1.1"}
            writer.write_record(writer.create_warcinfo_record(self._path.name, info))
        url = _url(request)
        extra = {} if truncated is None else {"WARC-Truncated": truncated}
        answer = writer.create_warc_record(
            url,
            "response",
            payload=io.BytesIO(body),
            length=len(body),
            http_headers=StatusAndHeaders(
                f"{response.status_code} {response.reason_phrase}".strip(), _response_headers(response), "HTTP/1.1"
            ),
            warc_headers_dict={"WARC-Date": datetime_to_iso_date(_now()), **extra},
        )
        asked = writer.create_warc_record(
            url,
            "request",
            http_headers=StatusAndHeaders(
                f"{request.method} {_target(request)} HTTP/1.1",
                [(key, value) for key, value in request.headers.multi_items() if key.lower() in _KEPT_REQUEST_HEADERS],
                is_http_request=True,
            ),
        )
        writer.write_request_response_pair(asked, answer)
        with self._path.open("ab") as file, _locked(file):
            file.write(writer.get_contents())


class RecordingTransport(httpx.AsyncBaseTransport):
    """Passes requests on and records each answer when it is closed, as far as it was read."""

    def __init__(self, inner: httpx.AsyncBaseTransport, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The inner transport's answer, its body copied as it is read."""
        response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Copied(response.stream, request, response, self._recorder)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


class _Copied(httpx.AsyncByteStream):
    def __init__(
        self, stream: httpx.AsyncByteStream, request: httpx.Request, response: httpx.Response, recorder: Recorder
    ) -> None:
        self._stream = stream
        self._request = request
        self._response = response
        self._recorder = recorder
        self._body = bytearray()
        self._truncated: str | None = "length"
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                self._body += chunk
                yield chunk
        except Exception:
            self._truncated = "disconnect"
            raise
        self._truncated = None

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self._stream.aclose()
        length = self._response.headers.get("content-length")
        complete = self._truncated is None or length == str(len(self._body))
        await self._recorder.add(
            self._request, self._response, bytes(self._body), None if complete else self._truncated
        )


def _url(request: httpx.Request) -> str:
    """The URL as it was fetched: with the path that went on the wire."""
    target = request.extensions.get("target")
    path = target.decode("ascii") if isinstance(target, bytes) else request.url.raw_path.decode("ascii")
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii')}{path}"


def _target(request: httpx.Request) -> str:
    target = request.extensions.get("target", request.url.raw_path)
    return bytes(target).decode("ascii")


def _response_headers(response: httpx.Response) -> list[tuple[str, str]]:
    """The headers as they came, but for cookies, and for the chunks, which are undone already."""
    return [
        (key.decode("latin-1"), value.decode("latin-1"))
        for key, value in response.headers.raw
        if key.lower() != b"transfer-encoding" and key.decode("latin-1").lower() not in _RESPONSE_SECRETS
    ]


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC).replace(tzinfo=None)


@contextlib.contextmanager
def _locked(file: Any) -> Iterator[None]:
    """The file to ourselves, so that several processes may add to it; where the system has no locks, as it is."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        file.flush()
        fcntl.flock(file, fcntl.LOCK_UN)
