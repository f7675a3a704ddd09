"""A web on loopback: a real HTTP(S) server that plays answers, and the two ends that lead a fetcher to it.

Names resolve to public addresses for the guard; the dialler, which opens what the guard has allowed, notes the address
and connects to the server instead. So everything but the last metre is what runs against the live web.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import httpcore
import trustme

from webcards.contract import WebError
from webcards.fetch.fetcher import Fetcher, Reader
from webcards.fetch.page import Page
from webcards.fetch.url import Address
from webcards.settings import read_settings

PUBLIC = "93.184.216.34"


@dataclass(frozen=True)
class Asked:
    """One request as the server read it."""

    scheme: str
    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        """The Host header's name, without a port."""
        return (
            self.headers.get("host", "").rsplit(":", 1)[0]
            if "]" not in self.headers.get("host", "")
            else self.headers["host"]
        )

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.headers.get('host', '')}{self.target}"


class Wire:
    """What an answering function writes with."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def head(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in headers), "", ""]
        await self.send("\r\n".join(lines).encode("utf-8"))

    async def chunk(self, data: bytes) -> None:
        """One chunk of a chunked body; an empty one ends it."""
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def answer(self, status: int = 200, body: bytes = b"", /, **headers: str) -> None:
        """A whole answer; header names with underscores for hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        lower = {name.lower() for name in named}
        if "content-length" not in lower:
            named["Content-Length"] = str(len(body))
        await self.head(status, named.items())
        await self.send(body)

    def close(self) -> None:
        """End the connection."""
        self._writer.close()

    def abort(self) -> None:
        """Reset the connection."""
        self._writer.transport.abort()


Answering = Callable[[Asked, Wire], Awaitable[None]]


@dataclass
class Web:
    """The running server, what it was asked, and what was looked up and dialled on the way to it."""

    answering: Answering
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    dialled: list[tuple[str, int]] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)
    names: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    closed_by_client: asyncio.Event = field(default_factory=asyncio.Event)
    fetchers: list[Fetcher] = field(default_factory=list)
    http_port: int = 0
    https_port: int = 0

    async def resolve(self, host: str, port: int) -> list[Address]:
        """The addresses of a name: public, unless `names` has a list for each look-up (the last one stays)."""
        self.looked_up.append(host)
        answers = self.names.get(host)
        if answers is None:
            return [ipaddress.ip_address(PUBLIC)]
        turn = min(self.looked_up.count(host), len(answers)) - 1
        if not answers[turn]:
            raise WebError("WEB_PROVIDER_ERROR", f"{host} could not be found.")
        return [ipaddress.ip_address(address) for address in answers[turn]]

    def fetcher(self, *, reader: Reader | None = None, **settings: Any) -> Fetcher:
        """A fetcher whose web this is, closed with it. Keywords are settings."""
        fetcher = Fetcher(
            read_settings(**settings), resolver=self, reader=reader, dialler=Dialler(self), ssl_context=trusting()
        )
        self.fetchers.append(fetcher)
        return fetcher

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until the client or the answer ends it."""
        self.connections += 1
        scheme = "http" if writer.get_extra_info("ssl_object") is None else "https"
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked = _read_head(scheme, head)
                self.asked.append(asked)
                await self.answering(asked, Wire(writer))
                if "close" in asked.headers.get("connection", ""):
                    break
            writer.close()
        except (asyncio.IncompleteReadError, OSError):
            self.closed_by_client.set()
        finally:
            if not writer.is_closing():
                writer.transport.abort()


class Dialler(httpcore.AsyncNetworkBackend):
    """Opens the connections that the guard has allowed, to the server on loopback."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._real = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._web.dialled.append((host, port))
        to = self._web.https_port if port in (443, 8443) else self._web.http_port
        return await self._real.connect_tcp("127.0.0.1", to, timeout, local_address, socket_options)


@contextlib.asynccontextmanager
async def running(
    answering: Answering, *, names: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> AsyncIterator[Web]:
    """The server, by http and https, until the block ends."""
    web = Web(answering, names=names or {})
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        with contextlib.suppress(asyncio.CancelledError):
            await web.serve(reader, writer)

    plain = await asyncio.start_server(connected, "127.0.0.1", 0)
    secure = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=_serving())
    web.http_port = plain.sockets[0].getsockname()[1]
    web.https_port = secure.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        for fetcher in web.fetchers:
            await fetcher.aclose()
        plain.close()
        secure.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@lru_cache(maxsize=1)
def authority() -> trustme.CA:
    """The tests' own certificate authority."""
    return trustme.CA()


@lru_cache(maxsize=1)
def trusting() -> ssl.SSLContext:
    """What trusts that authority and no other."""
    context = ssl.create_default_context()
    authority().configure_trust(context)
    return context


def _serving() -> ssl.SSLContext:
    """A server side that has a certificate for whatever name is asked for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("unnamed.example").configure_cert(context)

    def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        if name is not None and not name.startswith("mismatched."):
            connection.context = _certified(name)

    context.sni_callback = choose
    return context


@lru_cache(maxsize=64)
def _certified(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # trustme knows only names that IDNA 2008 allows; the web knows others.
    plain = "--" not in name
    authority().issue_cert(name if plain else f"*.{name.partition('.')[2]}").configure_cert(context)
    return context


def _read_head(scheme: str, head: bytes) -> Asked:
    request, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = request.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    return Asked(scheme, method, target, headers)


class PlainReader:
    """A reader that extracts nothing: the body as text, with the refresh and the Markdown version that a page names."""

    async def read(
        self, body: bytes, *, url: str, content_type: str | None, source_truncated: bool, raw: bool, deadline: float
    ) -> Page:
        text = body.decode("utf-8", "replace")
        refresh = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', text)
        alternate = re.search(r'rel="alternate" type="text/markdown" href="([^"]*)"', text)
        return Page(
            kind="text" if raw or "html" not in (content_type or "") else "html",
            markdown=text,
            text=text,
            content_type=content_type or "text/plain",
            title="From the page" if "<title>" in text else None,
            cut=source_truncated,
            redirect=refresh[1] if refresh else None,
            alternate=alternate[1] if alternate else None,
        )


def text_page(title: str = "A page", words: str = "Words of the page. ", times: int = 30) -> bytes:
    """A small HTML page with enough text to be one."""
    return f"<!doctype html><title>{title}</title><article><h1>{title}</h1><p>{words * times}</p></article>".encode()
