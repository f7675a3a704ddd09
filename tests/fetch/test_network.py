"""The guarded network: connections go where the guard looked, TLS verifies names, a dead address is passed over."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterable
from typing import Any

import httpcore
import pytest

from tests.fetch.loopback import Asked, Web, Wire, running, text_page
from webcards.contract import WebError
from webcards.fetch.fetcher import Fetcher
from webcards.fetch.guard import Guard
from webcards.fetch.network import GuardedBackend, first_connected, interleaved, trusted_context
from webcards.fetch.resolve import SystemResolver
from webcards.fetch.url import Address
from webcards.settings import read_settings


async def _page(asked: Asked, wire: Wire) -> None:
    await wire.answer(200, text_page(asked.host), Content_Type="text/html")


async def refusal(web: Web, url: str, **settings: Any) -> WebError:
    """The error that a fetch ends in."""
    with pytest.raises(WebError) as refused:
        await web.fetcher(**settings).fetch(url)
    return refused.value


async def test_a_second_name_on_the_same_address_does_not_share_the_firsts_tls_connection() -> None:
    # The pool's keys are names. Were they addresses, mismatched.example would be answered unverified.
    async with running(_page) as web:
        fetcher = web.fetcher(fetch_retries=0)
        await fetcher.fetch("https://proper.example/")
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("https://mismatched.example/")
        assert [asked.host for asked in web.asked] == ["proper.example"]
    assert "certificate of mismatched.example is not valid" in refused.value.message
    assert "doesn't match" in refused.value.message or "mismatch" in refused.value.message


async def test_a_certificate_of_an_unknown_authority_is_refused_in_plain_words() -> None:
    async with running(_page) as web:
        fetcher = web.fetcher()
        fetcher = type(fetcher)(
            fetcher._settings, resolver=web, dialler=_dialler(web), ssl_context=ssl.create_default_context()
        )
        web.fetchers.append(fetcher)
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("https://self.example/")
    assert refused.value.code == "WEB_PROVIDER_ERROR"
    assert "certificate of self.example is not valid" in refused.value.message
    assert len(web.asked) == 0


async def test_plain_http_on_a_tls_port_is_told_as_no_secure_connection() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(5)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with running(_page) as web, await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        web.https_port = server.sockets[0].getsockname()[1]
        error = await refusal(web, "https://plain.example/", fetch_retries=0)
    assert error.code == "WEB_PROVIDER_ERROR"
    assert "secure connection" in error.message


async def test_one_connection_serves_several_fetches_of_a_host() -> None:
    async with running(_page) as web:
        fetcher = web.fetcher()
        for number in range(3):
            await fetcher.fetch(f"http://pages.example/{number}")
    assert (web.connections, len(web.asked)) == (1, 3)


async def test_unix_sockets_are_never_connected_to() -> None:
    backend = GuardedBackend(Guard(), SystemResolver(), httpcore.AnyIOBackend())
    with pytest.raises(WebError) as refused:
        await backend.connect_unix_socket("/var/run/docker.sock")
    assert refused.value.code == "WEB_BLOCKED_URL"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0x7f.1", "2130706433", "①②⑦.0.0.1", "localhost.", "::1", "::ffff:127.0.0.1"]
)
async def test_the_backend_itself_refuses_every_notation(host: str) -> None:
    # The URL parser has normalised hosts before; the last line of defence does not rely on it.
    class Never(httpcore.AsyncNetworkBackend):
        async def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
            raise AssertionError("dialled")

    with pytest.raises(WebError) as refused:
        await GuardedBackend(Guard(), SystemResolver(), Never()).connect_tcp(host, 80)
    assert refused.value.code == "WEB_BLOCKED_URL"


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    async with running(_page) as web:
        assert (await web.fetcher().fetch("http://pages.example/")).value.status_code == 200
    assert web.dialled == [("93.184.216.34", 80)]


async def test_a_name_without_addresses_is_told() -> None:
    async with running(_page, names={"gone.example": [[]]}) as web:
        error = await refusal(web, "http://gone.example/")
    assert error.code == "WEB_PROVIDER_ERROR"
    assert "gone.example could not be found" in error.message


async def test_the_system_resolver_gives_the_addresses_of_a_name() -> None:
    assert ipaddress.ip_address("127.0.0.1") in await SystemResolver().resolve("localhost", 80)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "is it spelt right?"),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "is there a network?"),
        (socket.gaierror(socket.EAI_FAIL, "Non-recoverable failure"), "Non-recoverable failure"),
        (OSError(24, "Too many open files"), "Too many open files"),
        (UnicodeError("label too long"), "no valid host name"),
    ],
)
async def test_a_look_up_that_fails_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(WebError) as refused:
        await SystemResolver().resolve("name.example", 80)
    assert refused.value.code == "WEB_PROVIDER_ERROR"
    assert "name.example" in refused.value.message
    assert words in refused.value.message


async def test_look_ups_that_hang_hold_up_neither_the_call_nor_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    real = socket.getaddrinfo

    def look_up(host: str, *args: Any, **kwargs: Any) -> Any:
        if host != "localhost":
            released.wait(30)
        return real("127.0.0.1", *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    resolver = SystemResolver()
    hanging = [asyncio.create_task(resolver.resolve(f"slow{number}.example", 80)) for number in range(40)]
    fetcher = Fetcher(read_settings(fetch_timeout=0.5), resolver=resolver)
    async with asyncio.timeout(10):
        assert await resolver.resolve("localhost", 80)
        with pytest.raises(WebError) as refused:
            await fetcher.fetch("http://slow.example/")
    assert refused.value.code == "WEB_FETCH_TIMEOUT"
    released.set()
    await asyncio.gather(*hanging)
    await fetcher.aclose()


async def test_a_closed_port_is_told_as_refused() -> None:
    async with running(_page) as web:
        web.http_port = 1
        error = await refusal(web, "http://closed.example/", fetch_retries=0)
    assert error.code == "WEB_PROVIDER_ERROR"
    assert "refused the connection" in error.message


def test_the_machines_trust_is_read_once() -> None:
    assert trusted_context() is trusted_context()
    assert trusted_context().verify_mode == ssl.CERT_REQUIRED
    assert trusted_context().check_hostname


V4 = [ipaddress.ip_address(f"93.184.216.{last}") for last in (1, 2, 3)]
V6 = [ipaddress.ip_address(f"2606:4700::{last}") for last in (1, 2)]


def test_the_two_families_take_turns() -> None:
    assert interleaved([*V6, *V4]) == [V6[0], V4[0], V6[1], V4[1], V4[2]]
    assert interleaved([]) == []


class Stream(httpcore.AsyncNetworkStream):
    """A connection to one address that knows whether it was closed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.closed = False

    async def aclose(self) -> None:
        self.closed = True


class Diallers:
    """Addresses that answer, fail, or hang."""

    def __init__(self, *, dead: Iterable[Address] = (), hanging: Iterable[Address] = ()) -> None:
        self.dead, self.hanging = set(dead), set(hanging)
        self.cancelled: list[Address] = []

    async def __call__(self, address: Address) -> httpcore.AsyncNetworkStream:
        if address in self.dead:
            raise httpcore.ConnectError(f"{address} is dead")
        if address in self.hanging:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.append(address)
                raise
        return Stream(address)


async def connected_to(addresses: list[Address], dial: Diallers) -> Address:
    stream = await first_connected(addresses, dial)
    assert isinstance(stream, Stream)
    return stream.address


async def test_the_first_address_that_answers_is_taken() -> None:
    assert await connected_to([V4[0], V4[1]], Diallers()) == V4[0]
    assert await connected_to([V4[0]], Diallers()) == V4[0]
    assert await connected_to([V4[0], V4[1]], Diallers(dead=[V4[0]])) == V4[1]


async def test_an_address_that_hangs_is_passed_over_and_given_up() -> None:
    dial = Diallers(hanging=[V6[0]])
    assert await connected_to([V6[0], V4[0]], dial) == V4[0]
    assert dial.cancelled == [V6[0]]


async def test_where_every_address_fails_the_firsts_error_is_told() -> None:
    with pytest.raises(httpcore.ConnectError, match=str(V4[0])):
        await connected_to([V4[0], V4[1]], Diallers(dead=V4))
    with pytest.raises(httpcore.ConnectError):
        await connected_to([], Diallers())


async def test_cancelling_gives_every_attempt_up() -> None:
    dial = Diallers(hanging=[*V4, *V6])
    task = asyncio.create_task(first_connected([V4[0], V6[0]], dial))
    while len(dial.cancelled) < 1:
        await asyncio.sleep(0.3)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert set(dial.cancelled) == {V4[0], V6[0]}


async def test_a_connection_that_came_second_at_the_same_moment_is_closed() -> None:
    made: list[Stream] = []
    both = asyncio.Barrier(2)

    async def dial(address: Address) -> httpcore.AsyncNetworkStream:
        await both.wait()
        made.append(Stream(address))
        return made[-1]

    winner = await first_connected([V4[0], V6[0]], dial)
    assert sorted(stream.closed for stream in made) == [False, True]
    assert winner in made


def _dialler(web: Web) -> httpcore.AsyncNetworkBackend:
    from tests.fetch.loopback import Dialler

    return Dialler(web)
