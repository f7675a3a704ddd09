"""Many requests at once are spread over small pools, few stay in one, and HTTP/2 keeps its one connection."""

from __future__ import annotations

import asyncio

from tests.fetch.http2_server import http2_running
from tests.fetch.loopback import PlainReader, running
from tests.fetch.test_exchange import always
from webcards.fetch.network import NetworkTransport
from webcards.fetch.pools import CONNECTIONS_A_POOL


def _transport(fetcher: object) -> NetworkTransport:
    transport = fetcher._retriever._network  # type: ignore[attr-defined]
    assert isinstance(transport, NetworkTransport)
    return transport


async def test_many_requests_at_once_are_spread_and_none_counts_on_when_it_is_over() -> None:
    async with running(always()) as web:
        fetcher = web.fetcher(reader=PlainReader())
        await asyncio.gather(*(fetcher.fetch(f"http://pages.example/{number}") for number in range(20)))
        small = _transport(fetcher)._pools._small
        assert len(small) == 4
        assert all(len(share.pool.connections) <= CONNECTIONS_A_POOL for share in small)
        assert [share.under_way for share in small] == [0, 0, 0, 0]
    assert len(web.asked) == 20


async def test_a_request_that_failed_is_over_too() -> None:
    async with running(always()) as web:
        fetcher = web.fetcher(reader=PlainReader(), fetch_retries=0)
        web.http_port = 1
        await asyncio.gather(
            *(fetcher.fetch(f"http://pages.example/{number}") for number in range(20)), return_exceptions=True
        )
        assert {share.under_way for share in _transport(fetcher)._pools._small} == {0}


async def test_a_host_over_tls_is_spread_once_it_is_known_to_speak_http1() -> None:
    async with running(always()) as web:
        fetcher = web.fetcher(reader=PlainReader())
        await fetcher.fetch("https://pages.example/first")
        pools = _transport(fetcher)._pools
        assert pools._small == []
        await asyncio.gather(*(fetcher.fetch(f"https://pages.example/{number}") for number in range(20)))
        assert len(pools._small) == 4


async def test_a_host_over_http2_stays_in_the_shared_pool() -> None:
    async with running(always()) as web, http2_running() as server:
        web.https_port = server.port
        fetcher = web.fetcher(reader=PlainReader())
        for _ in range(2):
            await asyncio.gather(*(fetcher.fetch(f"https://h2.example/{number}") for number in range(20)))
        assert _transport(fetcher)._pools._small == []
    assert server.connections == 1
