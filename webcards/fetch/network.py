"""The network under the fetcher: a connection pool whose every connection goes to an address that was checked.

The names stay the pool's keys and TLS verifies them; only the backend below knows addresses. Redirects, caps and
decoding are above, in retrieve.py.
"""

from __future__ import annotations

import asyncio
import itertools
import select
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import httpcore
import httpx

from webcards.contract.errors import WebError
from webcards.fetch.guard import Guard
from webcards.fetch.pools import Pools, Share, pool_options
from webcards.fetch.resolve import Resolver
from webcards.fetch.url import Address, literal_address, parse_url

ATTEMPT_DELAY = 0.25
"""Seconds after which the next address is tried beside the one that has not answered yet (RFC 8305, section 5)."""
MAX_ATTEMPTS = 6
"""Addresses tried of one name, at most."""

SocketOption = Any


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens TCP connections for a pool: looks the host up, refuses unless every address may be reached, and connects
    to one of those very addresses. Between the check and the connection no name is looked up again, so a name that
    changes its answer (rebinding) gains nothing."""

    def __init__(self, guard: Guard, resolver: Resolver, dialler: httpcore.AsyncNetworkBackend) -> None:
        self._guard = guard
        self._resolver = resolver
        self._dialler = dialler

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to a checked address. Raises WebError (WEB_BLOCKED_URL) or `httpcore.ConnectError`."""
        addresses = await self.checked_addresses(host, port)

        async def dial(address: Address) -> httpcore.AsyncNetworkStream:
            stream = await self._dialler.connect_tcp(str(address), port, timeout, local_address, socket_options)
            return KnownStream(stream)

        return await first_connected(interleaved(addresses)[:MAX_ATTEMPTS], dial)

    async def checked_addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """Every address of the host, all of which may be reached. Raises WebError."""
        host = host.rstrip(".").lower()
        address = literal_address(host)
        if address is not None:
            return self._guard.check_addresses(host, port, (address,))
        # What is not a plain name here came past the URL parser; its host is read once more by the same rules.
        self._guard.check_url(parse_url(f"http://{host}:{port}/"))
        found: Sequence[Address] | None = self._guard.loopback_for(host, port)
        if found is None:
            found = await self._resolver.resolve(host, port)
        if not found:
            raise WebError("WEB_PROVIDER_ERROR", f"{host} could not be found: the name has no address.")
        return self._guard.check_addresses(host, port, found)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never: a Unix socket leads to this machine only. Raises WebError."""
        del path, timeout, socket_options
        raise WebError("WEB_BLOCKED_URL", "Unix sockets are never fetched from.")

    async def sleep(self, seconds: float) -> None:
        """Wait, for the pool."""
        await asyncio.sleep(seconds)


class KnownStream(httpcore.AsyncNetworkStream):
    """A connection that tells without a detour whether something waits on it to be read.

    A pool asks that of each idle connection at each request; anyio looks up all that it knows of a socket to answer.
    """

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        """At most so many bytes, as they come; none at the end."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        """Send all of it."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        """The same connection under TLS."""
        return KnownStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks of a connection, by name."""
        if info == "is_readable" and self._socket is not None and hasattr(select, "poll"):
            descriptor = self._socket.fileno()
            if descriptor < 0:
                return True  # closed: reading would say so at once
            waiting = select.poll()
            waiting.register(descriptor, select.POLLIN)
            return bool(waiting.poll(0))
        return self._stream.get_extra_info(info)


class NetworkTransport(httpx.AsyncBaseTransport):
    """httpx's transport over pools that are made when they are needed, so that a call to the library costs no TLS.

    Errors are httpcore's; failures.py puts them in words.
    """

    def __init__(self, make_pool: Callable[[int], httpcore.AsyncConnectionPool]) -> None:
        self._pools = Pools(make_pool)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the body of the answer is read from the network as it is iterated over."""
        # The path goes out as it was given, not as httpx would quote it anew. (httpcore has an extension of this name;
        # it would replace the target of a proxy's CONNECT as well.)
        extensions = dict(request.extensions)
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=extensions.pop("target", request.url.raw_path),
        )
        share = self._pools.take(url.origin)
        try:
            answer = await share.pool.handle_async_request(
                httpcore.Request(
                    method=request.method,
                    url=url,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=extensions,
                )
            )
        except BaseException:
            share.give_back()
            raise
        self._pools.learn(url.origin, answer.extensions.get("http_version"))
        body = _Body(answer, share, url.origin)
        return httpx.Response(answer.status, headers=answer.headers, stream=body, extensions=answer.extensions)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pools.aclose()


class _Body(httpx.AsyncByteStream):
    """A body as it comes from its pool; the request counts as under way there until this is closed."""

    def __init__(self, answer: httpcore.Response, share: Share, origin: httpcore.Origin) -> None:
        assert isinstance(answer.stream, AsyncIterable)
        self._stream: Any = answer.stream
        self._share = share
        self._origin = origin
        self._over_http2 = answer.extensions.get("http_version") == b"HTTP/2"
        self._read_to_the_end = False
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk
        self._read_to_the_end = True

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self._stream.aclose()
            if self._over_http2 and not self._read_to_the_end:
                await self._close_connections()
        finally:
            self._share.give_back()

    async def _close_connections(self) -> None:
        """Close the connections to a host after a body over HTTP/2 was given up in the middle.

        httpcore does not reset such a stream: the server goes on sending into a window that nobody empties, and the
        next request on the connection would hang. Whoever else was reading from it is sent on by the retries.
        """
        for connection in self._share.pool.connections:
            if connection.can_handle_request(self._origin):
                await connection.aclose()


def direct_pool(
    backend: httpcore.AsyncNetworkBackend, connections: int, ssl_context: ssl.SSLContext | None = None
) -> httpcore.AsyncConnectionPool:
    """A pool of at most so many connections, which `backend` opens."""
    return httpcore.AsyncConnectionPool(
        ssl_context=ssl_context or trusted_context(),
        network_backend=backend,
        **pool_options(connections),
    )


@lru_cache(maxsize=1)
def trusted_context() -> ssl.SSLContext:
    """TLS as the machine trusts it (a company's own authority included), and certifi's list besides."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def interleaved(addresses: Sequence[Address]) -> list[Address]:
    """The addresses with the two families taking turns, the first one's family first (RFC 8305, section 4)."""
    if not addresses:
        return []
    first = [address for address in addresses if address.version == addresses[0].version]
    second = [address for address in addresses if address.version != addresses[0].version]
    pairs = itertools.zip_longest(first, second)
    return [address for pair in pairs for address in pair if address is not None]


async def first_connected(
    addresses: Sequence[Address], dial: Callable[[Address], Awaitable[httpcore.AsyncNetworkStream]]
) -> httpcore.AsyncNetworkStream:
    """The connection that is there first; the next address is tried when one fails, or is slow (RFC 8305).

    Raises the first address's error if none can be connected to.
    """
    if len(addresses) == 1:
        return await dial(addresses[0])
    waiting = list(addresses)
    running: list[asyncio.Future[httpcore.AsyncNetworkStream]] = []
    first_error: BaseException | None = None
    try:
        while waiting or running:
            if waiting:
                running.append(asyncio.ensure_future(dial(waiting.pop(0))))
            done, _ = await asyncio.wait(
                running, timeout=ATTEMPT_DELAY if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in [attempt for attempt in running if attempt in done]:
                error = attempt.exception()
                if error is None:
                    running.remove(attempt)
                    return attempt.result()
                running.remove(attempt)
                first_error = first_error or error
    finally:
        await _abandon(running)
    raise first_error or httpcore.ConnectError("no address to connect to")


async def _abandon(attempts: list[asyncio.Future[httpcore.AsyncNetworkStream]]) -> None:
    for attempt in attempts:
        attempt.cancel()
    for outcome in await asyncio.gather(*attempts, return_exceptions=True):
        if isinstance(outcome, httpcore.AsyncNetworkStream):  # it was through before it could be stopped
            await outcome.aclose()
