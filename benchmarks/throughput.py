"""Pages a second from a loopback server with 50 in flight: the guarded fetcher beside bare httpx, up to the decoded
body; then the whole fetch, with the extraction in worker processes, on one core beside two.

The server runs in a process of its own and sends pages gzipped, as most of the web is: the demo web's up to the body, the
benchmark's real ones (where they are there) for the whole. Beside the gain from a second core stands what this machine gives at
most: processes that only read pages, share nothing and wait for nothing.
"""

from __future__ import annotations

import asyncio
import gzip
import multiprocessing
import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.extraction_score import sample_pages
from benchmarks.figures import machine, table
from webcards.fetch.fetcher import Fetcher
from webcards.fetch.page import read_page
from webcards.fetch.redirects import Chain
from webcards.fetch.retrieve import Journey
from webcards.fetch.url import parse_url
from webcards.fetch.worker import PageReader
from webcards.library.site import pages
from webcards.settings import read_settings

IN_FLIGHT = 50
REQUESTS = 600
ROUNDS = 5
EXTRACTED = 368
ALONE_SECONDS = 3
ALL_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}

FetchOne = Callable[[str], Awaitable[int]]
"""Fetches a URL and gives the size of its decoded body."""


def bodies() -> list[bytes]:
    """The demo web's HTML pages of an ordinary size, but for those that name a Markdown version elsewhere."""
    return [
        page.body
        for page in pages()
        if "html" in (page.content_type or "")
        and 1_000 < len(page.body) < 100_000
        and b"text/markdown" not in page.body
    ]


def real_bodies() -> list[bytes]:
    """The pages of the extraction benchmark; the demo web's where those are not beside the project."""
    try:
        return [page.html for page in sample_pages("extraction")]
    except FileNotFoundError:
        return bodies()


class Server(asyncio.Protocol):
    """As little of an HTTP server as a client accepts, so that the client is what is measured."""

    answers: list[bytes]
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            number = int(head.split(b" ", 2)[1].rsplit(b"/", 1)[-1])
            self.transport.write(self.answers[number % len(self.answers)])


def serve(port: Any, sent: list[bytes]) -> None:
    """The server's process: it sends the port it listens on through the pipe."""
    Server.answers = []
    for body in sent:
        packed = gzip.compress(body)
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
            f"Cache-Control: max-age=600\r\nServer: bench\r\nContent-Length: {len(packed)}\r\n\r\n"
        )
        Server.answers.append(head.encode() + packed)

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


@asynccontextmanager
async def serving(sent: list[bytes]) -> AsyncIterator[int]:
    """The port of a running server of these pages."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, sent), daemon=True)
    process.start()
    try:
        yield await asyncio.to_thread(ours.recv)
    finally:
        process.terminate()
        process.join()


async def pages_per_second(fetch_one: FetchOne, root: str, requests: int) -> float:
    """How many pages a second come, with `IN_FLIGHT` under way at any time."""
    numbers = iter(range(requests))

    async def worker() -> None:
        for number in numbers:
            assert await fetch_one(f"{root}/{number}") > 0

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return requests / (time.perf_counter() - began)


async def to_the_decoded_body(port: int) -> list[list[str]]:
    """The guarded retriever beside bare httpx, round by round in turn."""
    root = f"http://127.0.0.1:{port}"
    fetcher = Fetcher(read_settings(fetch_allow=(f"127.0.0.1:{port}",)))
    retriever = fetcher._retriever
    loop = asyncio.get_running_loop()

    async def ours(url: str) -> int:
        target = parse_url(url)
        journey = Journey(Chain(target, limit=10), deadline=loop.time() + 30)
        async with asyncio.timeout_at(journey.deadline):
            return len((await retriever.retrieve(target, journey)).body)

    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    async with httpx.AsyncClient(trust_env=False, limits=limits, timeout=30) as client:

        async def bare(url: str) -> int:
            return len((await client.get(url)).content)

        speeds: dict[str, list[float]] = {"bare httpx": [], "the fetcher": []}
        for fetch_one in (bare, ours):
            await pages_per_second(fetch_one, root, 200)
        for _ in range(ROUNDS):
            speeds["bare httpx"].append(await pages_per_second(bare, root, REQUESTS))
            speeds["the fetcher"].append(await pages_per_second(ours, root, REQUESTS))
    await fetcher.aclose()
    ratios = [ours / bare for bare, ours in zip(speeds["bare httpx"], speeds["the fetcher"], strict=True)]
    rows = [[name, f"{statistics.median(values):,.0f}", ""] for name, values in speeds.items()]
    rows[1][2] = f"{statistics.median(ratios):.2f} (aim: at least 0.8)"
    return rows


def keep_to(cores: Iterable[int]) -> None:
    """Have every thread of this process, and what each of them starts, run on these cores only."""
    for thread in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


async def extracted_per_second(cores: int) -> float:
    """Whole fetches a second, with everything (server, network, workers) on so many cores."""
    keep_to(sorted(ALL_CORES)[:cores])
    reader = PageReader(workers=cores + 1)
    async with serving(real_bodies()) as port:
        fetcher = Fetcher(read_settings(fetch_allow=(f"127.0.0.1:{port}",)), reader=reader)

        async def fetch(url: str) -> int:
            return len((await fetcher.fetch(url)).value.body.content)

        await pages_per_second(fetch, f"http://127.0.0.1:{port}", 2 * IN_FLIGHT)
        speed = await pages_per_second(fetch, f"http://127.0.0.1:{port}", EXTRACTED)
        await fetcher.aclose()
    await reader.aclose()
    return speed


def read_alone(core: int, go: Any, count: Any) -> None:
    """A process that reads pages on one core for as long as it is let, and says how many it has read."""
    os.sched_setaffinity(0, {core})
    pages = real_bodies()
    for page in pages:
        read_page(page, url="http://bench.example/", content_type="text/html; charset=utf-8")
    count.send(0)
    go.wait()
    read, until = 0, time.perf_counter() + ALONE_SECONDS
    while time.perf_counter() < until:
        read_page(pages[read % len(pages)], url="http://bench.example/", content_type="text/html; charset=utf-8")
        read += 1
    count.send(read)


def read_by_themselves(cores: int) -> float:
    """Pages a second that so many processes read, each on its own core."""
    context = multiprocessing.get_context("spawn")
    go, ends = context.Event(), [context.Pipe() for _ in range(cores)]
    processes = [
        context.Process(target=read_alone, args=(core, go, theirs), daemon=True)
        for core, (_, theirs) in zip(sorted(ALL_CORES), ends, strict=False)
    ]
    for process in processes:
        process.start()
    for ours, _ in ends:
        ours.recv()
    go.set()
    read: int = sum(ours.recv() for ours, _ in ends)
    for process in processes:
        process.join()
    return read / ALONE_SECONDS


async def on_one_core_and_two() -> list[list[str]]:
    """Round by round in turn."""
    fetched: dict[int, list[float]] = {1: [], 2: []}
    alone: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for cores in (1, 2):
            fetched[cores].append(await extracted_per_second(cores))
            keep_to(ALL_CORES)
            alone[cores].append(await asyncio.to_thread(read_by_themselves, cores))
    return [
        _gain("whole fetches", fetched, "aim: 1.8"),
        _gain("processes that only read pages", alone, "the most that this machine gives"),
    ]


def _gain(name: str, speeds: dict[int, list[float]], said: str) -> list[str]:
    ratio = statistics.median(two / one for one, two in zip(speeds[1], speeds[2], strict=True))
    return [name, *(f"{statistics.median(values):,.0f}" for values in speeds.values()), f"{ratio:.2f} ({said})"]


async def main_async() -> None:
    print(f"{machine()}; {IN_FLIGHT} in flight, {len(bodies())} pages, gzipped")
    async with serving(bodies()) as port:
        rows = await to_the_decoded_body(port)
    print(table(["up to the decoded body", "pages/s", "to bare httpx"], rows))
    if len(ALL_CORES) < 2:
        print("One core only: how it grows with a second cannot be measured here.")
        return
    print()
    print(table(["pages/s", "one core", "two", "gain"], await on_one_core_and_two()))


def main() -> None:
    asyncio.run(main_async())


if __name__ == "__main__":
    main()
