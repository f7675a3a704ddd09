"""Going through a proxy: only the proxy is connected to, and what leads inside is refused before it is sent there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpcore
import pytest

from tests.fetch.loopback import Asked, PlainReader, Web, Wire, running, trusting
from webcards.contract import WebError
from webcards.fetch.fetcher import Fetcher
from webcards.settings import read_settings


async def page(asked: Asked, wire: Wire) -> None:
    await wire.answer(200, b"the page", Content_Type="text/plain")


class Proxy:
    """An HTTP proxy on loopback: it notes what it was asked for, tunnels, and forwards to the server."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.asked: list[tuple[str, str]] = []
        self.authorizations: set[str | None] = set()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target, _ = head.split(" ", 2)
            self.asked.append((method, target))
            fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            self.authorizations.add(fields.get("Proxy-Authorization"))
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                inner = await asyncio.open_connection("127.0.0.1", self.web.https_port)
                await asyncio.gather(_copy(reader, inner[1]), _copy(inner[0], writer))
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nforwarded")
                await writer.drain()
        writer.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while block := await reader.read(65_536):
        writer.write(block)
        await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def proxied(credentials: str = "", **settings: Any) -> AsyncIterator[tuple[Proxy, Fetcher]]:
    """A proxy and a fetcher that goes through it."""
    async with running(page, names=settings.pop("names", None)) as web:
        proxy = Proxy(web)
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.port = server.sockets[0].getsockname()[1]
        fetcher = Fetcher(
            read_settings(fetch_proxy=f"http://{credentials}127.0.0.1:{proxy.port}", fetch_retries=0, **settings),
            resolver=web,
            reader=PlainReader(),
            dialler=httpcore.AnyIOBackend(),
            ssl_context=trusting(),
        )
        try:
            yield proxy, fetcher
        finally:
            await fetcher.aclose()
            server.close()


async def test_http_is_forwarded_and_https_is_tunnelled_and_verified() -> None:
    async with proxied() as (proxy, fetcher):
        plain = await fetcher.fetch("http://a.example/x")
        secure = await fetcher.fetch("https://b.example/y")
    assert (plain.value.body.content, secure.value.body.content) == ("forwarded", "the page")
    assert proxy.asked == [("GET", "http://a.example/x"), ("CONNECT", "b.example:443")]


async def test_the_proxys_credentials_go_to_the_proxy_alone() -> None:
    async with proxied("user:s3cret@") as (proxy, fetcher):
        await fetcher.fetch("https://b.example/y")
    assert proxy.authorizations == {"Basic dXNlcjpzM2NyZXQ="}
    assert "proxy-authorization" not in proxy.web.asked[0].headers


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::ffff:10.0.0.1]/", "http://localhost/", "http://x.internal/"]
)
async def test_an_address_inside_is_refused_before_the_proxy_hears_of_it(url: str) -> None:
    async with proxied() as (proxy, fetcher):
        with pytest.raises(WebError) as refused:
            await fetcher.fetch(url)
    assert refused.value.code == "WEB_BLOCKED_URL"
    assert proxy.asked == []


async def test_a_name_that_is_known_here_and_leads_inside_is_refused() -> None:
    async with proxied(names={"inside.example": [["10.0.0.1"]]}) as (proxy, fetcher):
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("http://inside.example/")
    assert refused.value.code == "WEB_BLOCKED_URL"
    assert proxy.asked == []


async def test_a_name_that_only_the_proxy_knows_is_the_proxys_to_look_up() -> None:
    async with proxied(names={"far.example": [[]]}) as (proxy, fetcher):
        fetched = await fetcher.fetch("http://far.example/")
    assert fetched.value.body.content == "forwarded"
    assert proxy.asked == [("GET", "http://far.example/")]


async def test_a_proxy_that_is_not_there_is_told_without_its_password() -> None:
    fetcher = Fetcher(
        read_settings(fetch_proxy="http://user:s3cret@127.0.0.1:1", fetch_retries=0), reader=PlainReader()
    )
    with pytest.raises(WebError) as refused:
        await fetcher.fetch("http://93.184.216.34/")
    await fetcher.aclose()
    assert refused.value.code == "WEB_PROVIDER_ERROR"
    assert "The proxy (WEBCARDS_FETCH_PROXY)" in refused.value.message
    assert "s3cret" not in refused.value.message


@pytest.mark.parametrize(
    "setting", ["ftp://proxy.example", "proxy.example:8080", "http://", "nonsense s3cret", "http://127.0.0.1:99999"]
)
def test_a_setting_that_is_no_proxys_url_is_told(setting: str) -> None:
    with pytest.raises(WebError) as refused:
        Fetcher(read_settings(fetch_proxy=setting))
    assert "WEBCARDS_FETCH_PROXY" in refused.value.message
    assert "s3cret" not in refused.value.message


async def test_a_socks_proxy_is_spoken_to_as_one() -> None:
    asked: list[bytes] = []

    async def socks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(3)
            writer.write(b"\x05\x00")
            head = await reader.readexactly(5)
            asked.append(await reader.readexactly(head[4]))
            await reader.readexactly(2)
            writer.write(b"\x05\x00\x00\x01" + bytes(6))
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nsocks")
            await writer.drain()
        writer.transport.abort()

    async with running(page) as web, await asyncio.start_server(socks, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        fetcher = Fetcher(
            read_settings(fetch_proxy=f"socks5://127.0.0.1:{port}", fetch_retries=0), resolver=web, reader=PlainReader()
        )
        fetched = await fetcher.fetch("http://a.example/")
        await fetcher.aclose()
    assert (fetched.value.body.content, asked) == ("socks", [b"a.example"])
