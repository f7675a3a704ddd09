"""One answer read up to the caps: bytes, time, headers; retries; what a broken or hostile server costs."""

from __future__ import annotations

import asyncio
import gzip
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from tests.fetch.bombs import NoReader
from tests.fetch.http2_server import http2_running
from tests.fetch.loopback import Answering, Asked, PlainReader, Web, Wire, running, text_page
from webcards.contract import WebError
from webcards.fetch.details import Fetched
from webcards.fetch.exchange import retry_after

MIB = 1024 * 1024


def always(status: int = 200, body: bytes = b"text", /, **headers: str) -> Answering:
    async def answer(asked: Asked, wire: Wire) -> None:
        await wire.answer(status, body, **{"Content_Type": "text/plain", **headers})

    return answer


async def fetched(web: Web, url: str = "http://a.example/", **settings: Any) -> Fetched:
    return await web.fetcher(reader=PlainReader(), **settings).fetch(url)


async def refused(web: Web, url: str = "http://a.example/", **settings: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        await fetched(web, url, **settings)
    return caught.value


# --- bytes


async def test_a_body_over_the_cap_is_cut_and_marked() -> None:
    async with running(always(200, b"x" * 50_000)) as web:
        cut = await fetched(web, fetch_max_bytes=10_000)
        whole = await fetched(web, fetch_max_bytes=50_000)
    assert (cut.value.truncated, cut.details.bytes_decoded, cut.details.bytes_read) == (True, 10_000, 10_000)
    assert (whole.value.truncated, whole.details.bytes_decoded) == (False, 50_000)


async def test_a_body_that_never_ends_is_cut_and_its_connection_closed() -> None:
    async def endless(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
        while True:
            await wire.chunk(b"on and on " * 1000)

    async with running(endless) as web:
        cut = await fetched(web, fetch_max_bytes=100_000)
        async with asyncio.timeout(10):
            await web.closed_by_client.wait()
    assert (cut.value.truncated, cut.details.bytes_decoded) == (True, 100_000)


async def test_a_declared_length_over_the_cap_is_no_reason_to_refuse_what_can_be_read() -> None:
    async def boasting(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Content-Length", str(10**12))])
        await wire.send(b"y" * 200_000)

    async with running(boasting) as web:
        cut = await fetched(web, fetch_max_bytes=100_000)
    assert (cut.value.truncated, cut.details.bytes_decoded) == (True, 100_000)


async def test_a_small_encoded_body_that_decodes_over_the_cap_is_cut() -> None:
    async with running(always(200, gzip.compress(b"z" * 500_000), Content_Encoding="gzip")) as web:
        cut = await fetched(web, fetch_max_bytes=100_000)
    assert (cut.value.truncated, cut.details.bytes_decoded) == (True, 100_000)
    assert cut.details.bytes_read < 2000


async def test_a_body_without_a_length_ends_with_its_connection() -> None:
    async def closing(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Connection", "close")])
        await wire.send(b"until the end")
        wire.close()

    async with running(closing) as web:
        whole = await fetched(web)
    assert (whole.value.body.content, whole.value.truncated) == ("until the end", False)


async def test_binary_is_refused_after_its_first_bytes() -> None:
    async def film(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "video/mp4"), ("Transfer-Encoding", "chunked")])
        while True:
            await wire.chunk(b"\0\0\0\x18ftypmp42" + bytes(20_000))

    async with running(film) as web:
        error = await refused(web)
    assert error.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert "video/mp4" in error.message


async def test_a_packed_body_over_the_cap_that_holds_no_text_is_told_as_too_large() -> None:
    async with running(always(200, gzip.compress(bytes(500_000)), Content_Encoding="gzip")) as web:
        with pytest.raises(WebError) as caught:
            await web.fetcher(fetch_max_bytes=100_000).fetch("http://a.example/")
    assert caught.value.code == "WEB_FETCH_TOO_LARGE"
    assert "WEBCARDS_FETCH_MAX_BYTES" in caught.value.message


# --- what breaks


async def test_a_body_that_breaks_off_is_asked_for_again_and_then_given_as_far_as_it_came() -> None:
    async def breaking(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Content-Length", "1000")])
        await wire.send(b"the first half")
        wire.close()

    async with running(breaking) as web:
        partial = await fetched(web, fetch_retries=1)
    assert (partial.value.body.content, partial.value.truncated) == ("the first half", True)
    assert (len(web.asked), partial.details.retries) == (2, 1)


async def test_a_body_that_is_whole_the_second_time_is_whole() -> None:
    async def once(asked: Asked, wire: Wire) -> None:
        if len(web.asked) == 1:
            await wire.head(200, [("Content-Type", "text/plain"), ("Content-Length", "1000")])
            await wire.send(b"the first half")
            wire.abort()
        else:
            await wire.answer(200, b"all of it", Content_Type="text/plain")

    async with running(once) as web:
        whole = await fetched(web)
    assert (whole.value.body.content, whole.value.truncated, whole.details.retries) == ("all of it", False, 1)


async def test_a_connection_that_is_reset_is_tried_again_as_often_as_the_setting_says() -> None:
    async def reset(asked: Asked, wire: Wire) -> None:
        wire.abort()

    async with running(reset) as web:
        error = await refused(web, fetch_retries=2)
    assert error.code == "WEB_PROVIDER_ERROR"
    assert "a.example" in error.message
    assert len(web.asked) == 3


async def test_an_encoded_body_with_rubbish_in_it_is_given_up_to_there() -> None:
    packed = bytearray(gzip.compress(b"".join(b"line %d of the page\n" % number for number in range(40_000)), 1))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    async with running(always(200, bytes(packed), Content_Encoding="gzip")) as web:
        partial = await fetched(web)
    assert partial.value.truncated
    assert partial.value.body.content.startswith("line 0 of the page\nline 1 ")


async def test_a_body_that_cannot_be_decoded_at_all_is_an_error_and_its_bytes_go_nowhere() -> None:
    async with running(always(200, b"\x00\xff\xfe" * 400, Content_Encoding="br")) as web:
        error = await refused(web)
    assert error.code == "WEB_PROVIDER_ERROR"
    assert "br" in error.message
    assert "\ufffd" not in error.message


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\0\0\0\0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot-a-size\r\n",
    ],
)
async def test_what_is_no_http_is_told_in_words(answer: bytes) -> None:
    async def garbage(asked: Asked, wire: Wire) -> None:
        await wire.send(answer)
        wire.close()

    async with running(garbage) as web:
        error = await refused(web, fetch_retries=0)
    assert error.code == "WEB_PROVIDER_ERROR"
    assert error.message.endswith(".")


# --- headers


@pytest.mark.parametrize(("count", "size"), [(1, 300_000), (5000, 100), (1_000_000, 10)])
async def test_headers_without_end_are_not_read(count: int, size: int) -> None:
    async def heavy(asked: Asked, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\n")
        for number in range(count):
            await wire.send(b"X-%d: %s\r\n" % (number, b"h" * size))

    async with running(heavy) as web:
        error = await refused(web, fetch_retries=0)
    assert error.code == "WEB_FETCH_TOO_LARGE"
    assert "headers" in error.message


async def test_headers_of_an_ordinary_size_are_no_trouble() -> None:
    async with running(always(200, b"fine", Content_Security_Policy="x" * 30_000)) as web:
        assert (await fetched(web)).value.body.content == "fine"


async def test_header_bytes_that_are_no_ascii_are_no_trouble() -> None:
    async with running(always(200, b"fine", X_Name="Überfahrt", Content_Type="text/plain; name=é")) as web:
        assert (await fetched(web)).value.body.content == "fine"


# --- time


@pytest.mark.parametrize("way", ["drip", "silence", "headers", "redirects"])
async def test_however_slow_a_server_is_the_call_ends_at_its_one_deadline(way: str) -> None:
    async def slow(asked: Asked, wire: Wire) -> None:
        if way == "silence":
            await asyncio.sleep(60)
        if way == "headers":
            await wire.send(b"HTTP/1.1 200 OK\r\n")
            while True:
                await wire.send(b"X-Slow: 1\r\n")
                await asyncio.sleep(0.05)
        if way == "redirects":
            await asyncio.sleep(0.2)
            await wire.answer(302, Location=f"/{len(web.asked)}")
            return
        await wire.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
        while True:
            await wire.chunk(b".")
            await asyncio.sleep(0.05)

    async with running(slow) as web:
        async with asyncio.timeout(10):
            error = await refused(web, fetch_timeout=1, fetch_max_redirects=50)
    assert error.code == "WEB_FETCH_TIMEOUT"
    assert "WEBCARDS_FETCH_TIMEOUT" in error.message
    assert ("still sending" in error.message) == (way == "drip")


async def test_a_page_that_takes_too_long_to_read_is_told_as_such() -> None:
    class Stuck(NoReader):
        async def read(self, *args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(60)

    async with running(always()) as web:
        with pytest.raises(WebError) as caught:
            await web.fetcher(reader=Stuck(), fetch_timeout=0.5).fetch("http://a.example/")
    assert caught.value.code == "WEB_FETCH_TIMEOUT"
    assert "could not be read" in caught.value.message


async def test_cancelling_a_fetch_closes_its_connection() -> None:
    arrived = asyncio.Event()

    async def waiting(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
        arrived.set()
        while True:
            await wire.chunk(b".")
            await asyncio.sleep(0.02)

    async with running(waiting) as web:
        task = asyncio.create_task(web.fetcher().fetch("http://a.example/"))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(10):
            await web.closed_by_client.wait()


async def test_a_slow_page_holds_up_no_other() -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        if asked.target == "/slow":
            await asyncio.sleep(60)
        await wire.answer(200, b"quick", Content_Type="text/plain")

    async with running(answer) as web:
        fetcher = web.fetcher(reader=PlainReader())
        slow = asyncio.create_task(fetcher.fetch("http://a.example/slow"))
        async with asyncio.timeout(10):
            for _ in range(3):
                assert (await fetcher.fetch("http://a.example/quick")).value.body.content == "quick"
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow


# --- busy servers


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_after_the_time_it_names(status: int) -> None:
    async def busy(asked: Asked, wire: Wire) -> None:
        if len(web.asked) == 1:
            await wire.answer(status, b"busy", Content_Type="text/plain", Retry_After="0")
        else:
            await wire.answer(200, b"at last", Content_Type="text/plain")

    async with running(busy) as web:
        got = await fetched(web)
    assert (got.value.body.content, got.details.retries) == ("at last", 1)


@pytest.mark.parametrize(
    ("status", "wait"), [(429, "120"), (503, "120"), (429, ""), (500, "0"), (404, "0"), (429, "soon")]
)
async def test_a_page_is_shown_where_waiting_would_not_help(status: int, wait: str) -> None:
    async with running(always(status, b"Too many requests.", Retry_After=wait)) as web:
        got = await fetched(web)
    assert (got.value.status_code, len(web.asked), got.details.retries) == (status, 1, 0)
    assert "Too many requests." in got.value.body.content


async def test_a_wait_that_does_not_fit_the_deadline_is_not_begun() -> None:
    async with running(always(503, b"busy", Retry_After="3")) as web:
        async with asyncio.timeout(2):
            got = await fetched(web, fetch_timeout=3)
    assert (got.value.status_code, len(web.asked)) == (503, 1)


async def test_a_server_that_stays_busy_is_asked_no_more_often_than_the_setting_says() -> None:
    async with running(always(429, b"busy", Retry_After="0")) as web:
        got = await fetched(web, fetch_retries=2)
    assert (got.value.status_code, len(web.asked), got.details.retries) == (429, 3, 2)


def test_retry_after_is_read_in_seconds_and_as_a_date() -> None:
    def read(value: str, status: int = 429) -> float | None:
        return retry_after(status, httpx.Headers({"Retry-After": value}))

    assert read("17") == 17
    assert read("17", 200) is None
    assert read(formatdate(0, usegmt=True)) == 0
    in_2100 = read(formatdate(4_102_444_800, usegmt=True))
    assert in_2100 is not None and in_2100 > 1e8
    assert read("-5") is None
    assert read("Tuesday") is None


# --- HTTP/2


async def test_a_cut_body_over_http2_does_not_starve_the_next_fetch_of_the_host() -> None:
    async with running(always()) as web, http2_running() as server:
        web.https_port = server.port
        fetcher = web.fetcher(reader=PlainReader(), fetch_max_bytes=MIB, fetch_retries=0)
        async with asyncio.timeout(30):
            for _ in range(3):
                cut = await fetcher.fetch("https://h2.example/endless")
                assert (cut.value.truncated, cut.details.http_version) == (True, "HTTP/2")
                whole = await fetcher.fetch("https://h2.example/short")
                assert whole.value.body.content == "short"


async def test_http2_connections_are_shared_while_bodies_are_read_to_their_end() -> None:
    async with running(always()) as web, http2_running() as server:
        web.https_port = server.port
        fetcher = web.fetcher(reader=PlainReader())
        await asyncio.gather(*(fetcher.fetch(f"https://h2.example/{number}") for number in range(20)))
    assert (server.connections, len(server.asked)) == (1, 20)


async def test_headers_over_http2_have_the_same_kind_of_cap() -> None:
    async with running(always()) as web, http2_running() as server:
        web.https_port = server.port
        error = await refused(web, "https://h2.example/huge-headers", fetch_retries=0)
    assert error.code == "WEB_FETCH_TOO_LARGE"


async def test_the_page_keeps_its_status_whatever_it_is() -> None:
    async def asked_for(asked: Asked, wire: Wire) -> None:
        await wire.answer(int(asked.target[1:]), text_page("Status"), Content_Type="text/html")

    async with running(asked_for) as web:
        fetcher = web.fetcher(reader=PlainReader())
        for status in (200, 202, 203, 206, 400, 401, 403, 404, 410, 418, 451, 500, 502, 599):
            assert (await fetcher.fetch(f"http://a.example/{status}")).value.status_code == status
