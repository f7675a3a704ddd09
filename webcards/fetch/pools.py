"""Several small connection pools as one, because the cost of httpcore's pool grows with the square of its connections.

At each request and each end of one it looks every connection over, with a system call for each idle one. What a
request means, and which address a connection goes to, is network.py's part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpcore

MAX_CONNECTIONS = 100
CONNECTIONS_A_POOL = 6
"""As many as browsers open to one host over HTTP/1.1."""
IDLE_SECONDS = 15.0
_HOSTS_REMEMBERED = 4096


def pool_options(connections: int) -> dict[str, Any]:
    """What every pool is made with, whoever opens its connections: as many of them idle as there may be."""
    return {
        "max_connections": connections,
        "max_keepalive_connections": connections,
        "keepalive_expiry": IDLE_SECONDS,
        "http1": True,
        "http2": True,
    }


class Share:
    """One of the pools, and how many requests it has under way."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self.pool = pool
        self.under_way = 0

    def give_back(self) -> None:
        """A request that was taken for is over."""
        self.under_way -= 1


class Pools:
    """One pool for the hosts that may speak HTTP/2, where many requests share a connection; small ones for the others,
    each made when those before it are full, so that a quiet client has one with all its connections."""

    def __init__(self, make_pool: Callable[[int], httpcore.AsyncConnectionPool]) -> None:
        """`make_pool` is given the most connections that the pool may hold."""
        self._make_pool = make_pool
        self._shared: Share | None = None
        self._small: list[Share] = []
        self._one_at_a_time: set[str] = set()

    def take(self, origin: httpcore.Origin) -> Share:
        """A pool for one request; give it back when the request is over."""
        share = self._small_one() if self._speaks_http1(origin) else self._shared_one()
        share.under_way += 1
        return share

    def learn(self, origin: httpcore.Origin, http_version: bytes | None) -> None:
        """What a host has answered with."""
        if http_version == b"HTTP/2":
            self._one_at_a_time.discard(str(origin))
        elif origin.scheme == b"https":
            if len(self._one_at_a_time) >= _HOSTS_REMEMBERED:
                self._one_at_a_time.clear()
            self._one_at_a_time.add(str(origin))

    def _speaks_http1(self, origin: httpcore.Origin) -> bool:
        return origin.scheme == b"http" or str(origin) in self._one_at_a_time

    def _shared_one(self) -> Share:
        if self._shared is None:
            self._shared = Share(self._make_pool(MAX_CONNECTIONS))
        return self._shared

    def _small_one(self) -> Share:
        """The first with room; where all are full, the one that has least to do."""
        for share in self._small:
            if share.under_way < CONNECTIONS_A_POOL:
                return share
        if len(self._small) * CONNECTIONS_A_POOL < MAX_CONNECTIONS:
            self._small.append(Share(self._make_pool(CONNECTIONS_A_POOL)))
            return self._small[-1]
        return min(self._small, key=lambda share: share.under_way)

    async def aclose(self) -> None:
        """Close every connection."""
        for share in [*self._small, *filter(None, [self._shared])]:
            await share.pool.aclose()
