"""A private HTTP cache by the rules (RFC 9111), over hishel's state machine, kept in this process's memory.

It sits above the guarded transport: a stored answer came through the guard once, and every hop's URL is still checked
before it is looked for. Bodies are kept as they came, so the caps and the decoding hold for a hit as for a miss.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import NamedTuple

import httpx
from hishel import AsyncBaseStorage, CacheOptions, Entry, Headers, Request, Response
from hishel.httpx import AsyncCacheTransport

MAX_STORED = 64 * 1024 * 1024
"""Bytes of bodies that are kept; the least recently used go first."""
MAX_BODY = 8 * 1024 * 1024
"""Bytes of one body; a longer one is not kept."""
MAX_ENTRIES = 1000


def cached(transport: httpx.AsyncBaseTransport, storage: MemoryStorage) -> httpx.AsyncBaseTransport:
    """The transport with the cache in front: answers carry `caching` in their extensions."""
    return AsyncCacheTransport(_Bodiless304(transport), storage=storage, rfc=CacheOptions(shared=False))


class _Stored(NamedTuple):
    key: str
    request: Request
    response: Response
    body: tuple[bytes, ...]
    size: int
    expires: float | None


class MemoryStorage(AsyncBaseStorage):
    """Entries in memory, bounded in bytes and in number. A body is stored once it has been read to its end."""

    def __init__(self, *, max_stored: int = MAX_STORED, max_body: int = MAX_BODY) -> None:
        super().__init__(max_stream_size=max_body)
        self._entries: OrderedDict[uuid.UUID, _Stored] = OrderedDict()
        self._max_stored = max_stored
        self._max_body = max_body
        self._size = 0

    async def create_entry(
        self, request: Request, response: Response, key: str, *, ttl: float | None = None, tti: float | None = None
    ) -> Entry:
        """An entry whose stream saves the body as it is read; a body that breaks off, or is too long, is not kept."""
        deadline, tti = self._limits(ttl, tti, time.time())
        entry_id = uuid.uuid4()

        async def saving() -> AsyncIterator[bytes]:
            chunks: list[bytes] = []
            size = 0
            async for chunk in _iterate(response):
                size += len(chunk)
                if size <= self._max_body:
                    chunks.append(chunk)
                yield chunk
            if size <= self._max_body:
                expires = self._expires_at(deadline, tti, time.time())
                bare = replace(response, stream=None)
                self._keep(entry_id, _Stored(key, request, bare, tuple(chunks), size, expires))

        return Entry(entry_id, request, replace(response, stream=saving()))

    async def get_entries(self, key: str) -> list[Entry]:
        """What is stored under a key and has not expired."""
        now = time.time()
        found = [
            (entry_id, stored)
            for entry_id, stored in self._entries.items()
            if stored.key == key and (stored.expires is None or stored.expires > now)
        ]
        for entry_id, _ in found:
            self._entries.move_to_end(entry_id)
        return [
            Entry(entry_id, stored.request, replace(stored.response, stream=_replay(stored.body)))
            for entry_id, stored in found
        ]

    async def update_headers(self, id: uuid.UUID, headers: Headers) -> None:  # noqa: A002 - hishel's name
        """Refresh a stored answer's headers after a 304."""
        stored = self._entries.get(id)
        if stored is not None:
            self._entries[id] = stored._replace(response=replace(stored.response, headers=headers))

    async def remove_entry(self, id: uuid.UUID) -> None:  # noqa: A002 - hishel's name
        """Forget an entry."""
        stored = self._entries.pop(id, None)
        if stored is not None:
            self._size -= stored.size

    def _keep(self, entry_id: uuid.UUID, stored: _Stored) -> None:
        for known, other in list(self._entries.items()):
            if other.key == stored.key and _varies_alike(other, stored):
                self._size -= self._entries.pop(known).size
        self._entries[entry_id] = stored
        self._size += stored.size
        while self._entries and (self._size > self._max_stored or len(self._entries) > MAX_ENTRIES):
            _, dropped = self._entries.popitem(last=False)
            self._size -= dropped.size


class _Bodiless304(httpx.AsyncBaseTransport):
    """Takes the body off a 304, which has none by the rules: the cache would read whatever a server sends after one."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        if response.status_code != 304:
            return response
        await response.aclose()
        return httpx.Response(304, headers=response.headers, content=b"", extensions=response.extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _varies_alike(first: _Stored, second: _Stored) -> bool:
    """Whether two answers for one URL were chosen by the same request headers, so that the newer replaces the older."""
    names = {
        name.strip().lower()
        for stored in (first, second)
        for name in (stored.response.headers.get("vary") or "").split(",")
        if name.strip()
    }
    return all(first.request.headers.get(name) == second.request.headers.get(name) for name in names)


async def _iterate(response: Response) -> AsyncIterator[bytes]:
    stream = response.stream
    if isinstance(stream, AsyncIterator):
        async for chunk in stream:
            yield chunk


async def _replay(chunks: tuple[bytes, ...]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
