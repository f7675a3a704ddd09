"""Going through a proxy: the one host that is connected to then, while the targets are still checked by name.

The proxy looks names up and connects; what this machine can tell of a target beforehand is refused here all the same.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from webcards.contract.errors import WebError
from webcards.fetch.network import GuardedBackend, NetworkTransport, trusted_context
from webcards.fetch.pools import pool_options

SCHEMES = ("http", "https", "socks5", "socks5h")


class ProxiedTransport(NetworkTransport):
    """The network behind a proxy. A target whose name is known here, and leads inside, is refused before it is sent."""

    def __init__(
        self,
        url: str,
        guarded: GuardedBackend,
        dialler: httpcore.AsyncNetworkBackend,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """`url` is the setting's. Raises WebError (WEB_PROVIDER_ERROR) where it names no proxy."""
        proxy = _proxy(url)
        super().__init__(lambda connections: _pool(proxy, connections, dialler, ssl_context or trusted_context()))
        self._guarded = guarded

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Check the target, then send through the proxy. Raises WebError."""
        host = request.url.raw_host.decode("ascii")
        port = request.url.port or {"http": 80, "https": 443}[request.url.scheme]
        try:
            await self._guarded.checked_addresses(host, port)
        except WebError as error:
            if error.code != "WEB_PROVIDER_ERROR":  # a name that only the proxy can look up is the proxy's to judge
                raise
        return await super().handle_async_request(request)


class _OnlyProxy(httpcore.AsyncNetworkBackend):
    """Opens connections to the proxy and to nothing else."""

    def __init__(self, host: str, port: int, dialler: httpcore.AsyncNetworkBackend) -> None:
        self._proxy = host, port
        self._dialler = dialler

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        if (host, port) != self._proxy:
            raise WebError("WEB_BLOCKED_URL", f"{host}:{port} is not the proxy, and nothing else is connected to.")
        try:
            return await self._dialler.connect_tcp(host, port, timeout, local_address, socket_options)
        except httpcore.ConnectError as error:
            raise httpcore.ProxyError("the proxy cannot be reached") from error

    async def sleep(self, seconds: float) -> None:
        await self._dialler.sleep(seconds)


def _proxy(url: str) -> httpx.Proxy:
    try:
        proxy = httpx.Proxy(url)
    except (httpx.InvalidURL, ValueError):
        raise _unreadable() from None
    if proxy.url.scheme not in SCHEMES or not proxy.url.raw_host or (proxy.url.port or 0) > 65_535:
        raise _unreadable()
    return proxy


def _pool(
    proxy: httpx.Proxy, connections: int, dialler: httpcore.AsyncNetworkBackend, ssl_context: ssl.SSLContext
) -> httpcore.AsyncConnectionPool:
    port = proxy.url.port or {"http": 80, "https": 443}.get(proxy.url.scheme, 1080)
    host = proxy.url.raw_host
    common: dict[str, Any] = {
        "proxy_url": httpcore.URL(scheme=proxy.url.raw_scheme, host=host, port=port, target=b"/"),
        "proxy_auth": proxy.raw_auth,
        "ssl_context": ssl_context,
        "network_backend": _OnlyProxy(host.decode("ascii"), port, dialler),
        **pool_options(connections),
    }
    if proxy.url.scheme in ("http", "https"):
        return httpcore.AsyncHTTPProxy(**common)
    return httpcore.AsyncSOCKSProxy(**common)


def _unreadable() -> WebError:
    # The URL is not repeated: it may hold a password.
    return WebError(
        "WEB_PROVIDER_ERROR",
        f"The setting WEBCARDS_FETCH_PROXY is no proxy's URL: it begins with one of {', '.join(SCHEMES)}.",
    )
