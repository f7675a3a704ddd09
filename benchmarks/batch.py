"""How fast a batch runs: URLs a second from a loopback server beside bare httpx with the same concurrency, and what a
second worker brings.

    python -m benchmarks.batch [--urls N] [--concurrency N] [--delay MS] [--only here|workers]

The server is a process of its own. Workers need PostgreSQL; there the server takes `--delay` milliseconds for an
answer, as
servers elsewhere do, so that it is not this machine's cores that are measured.
"""

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from benchmarks.figures import machine
from tests.store.databases import cluster, postgres_programs
from webcards.batch import batches, workers
from webcards.batch.items import read_items
from webcards.batch.lane import run_here
from webcards.batch.options import Options
from webcards.settings import read_settings
from webcards.store import Store
from webcards.tools.opening import open_registry

BODY = b"A page of plain words, as a server sends it. " * 40
WORKER_URLS = 1_500


def _serve(port: Any, delay_ms: float) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(BODY)}\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                if delay_ms:
                    await asyncio.sleep(delay_ms / 1000)
                writer.write(head + BODY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=500)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(serve())


@contextmanager
def serving(delay_ms: float = 0) -> Iterator[int]:
    """A server on loopback; gives its port."""
    spawn = multiprocessing.get_context("spawn")
    port = spawn.Value("i", 0)
    process = spawn.Process(target=_serve, args=(port, delay_ms), daemon=True)
    process.start()
    while not port.value:
        time.sleep(0.05)
    try:
        yield int(port.value)
    finally:
        process.kill()
        process.join()


async def bare_httpx(urls: list[str], concurrency: int) -> float:
    """URLs a second of httpx alone."""
    waiting = iter(urls)
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    async with httpx.AsyncClient(limits=limits, trust_env=False, timeout=60) as client:

        async def fetch() -> None:
            for url in waiting:
                answer = await client.get(url)
                assert len(answer.text) == len(BODY)

        began = time.perf_counter()
        await asyncio.gather(*(fetch() for _ in range(concurrency)))
        return len(urls) / (time.perf_counter() - began)


async def one_batch(store: Store, urls: list[str], concurrency: int, port: int) -> float:
    """URLs a second of a batch in this process: fetched, read, and recorded."""
    run = _started(store, urls, concurrency, on_workers=False)
    settings = read_settings(fetch_allow=(f"127.0.0.1:{port}",))
    async with open_registry(settings) as registry:
        began = time.perf_counter()
        ending = await run_here(store, registry, run)
        seconds = time.perf_counter() - began
    done = batches.progress(store, run)
    assert ending == "done"
    assert (done.settled, done.errors) == (len(urls), 0), done
    return len(urls) / seconds


def _started(store: Store, urls: list[str], concurrency: int, *, on_workers: bool) -> int:
    items = read_items("\n".join(urls).encode()).items
    options = Options(concurrency=concurrency, per_host=concurrency)
    return batches.start_run(store, batches.create(store, "benchmark", items, options), on_workers=on_workers)


def _work(url: str, port: int, lanes: int) -> None:
    settings = read_settings(fetch_allow=(f"127.0.0.1:{port}",))
    with Store.open(url) as store:
        asyncio.run(workers.work(store, lambda: open_registry(settings), lanes_at_once=lanes))


def worker_rate(url: str, urls: list[str], port: int, number: int, *, lanes: int) -> float:
    """URLs a second with so many workers, each on `lanes` lanes of 32, from the first to the last settled call."""
    spawn = multiprocessing.get_context("spawn")
    with Store.open(url) as store:
        processes = [spawn.Process(target=_work, args=(url, port, lanes)) for _ in range(number)]
        for process in processes:
            process.start()
        time.sleep(6)  # until every worker waits for work
        run = _started(store, urls, 32, on_workers=True)
        first = last = 0.0
        while (done := batches.progress(store, run)).settled < len(urls):
            if done.settled and not first:
                first = time.perf_counter()
            time.sleep(0.1)
        last = time.perf_counter()
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(20)
    return len(urls) / (last - first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--delay", type=float, default=250)
    parser.add_argument("--only", choices=["here", "workers"])
    arguments = parser.parse_args()
    print(machine())
    if arguments.only != "workers":
        with serving() as port, tempfile.TemporaryDirectory() as folder:
            urls = [f"http://127.0.0.1:{port}/{number}" for number in range(arguments.urls)]
            bare = asyncio.run(bare_httpx(urls, arguments.concurrency))
            with Store.open(f"sqlite:///{folder}/calls.db") as store:
                ours = asyncio.run(one_batch(store, urls, arguments.concurrency, port))
            again = asyncio.run(bare_httpx(urls, arguments.concurrency))
        mean = (bare + again) / 2
        print(f"{arguments.urls:,} URLs, {arguments.concurrency} at once, one process, SQLite")
        print(f"  bare httpx  {mean:8.0f} a second ({bare:.0f} before, {again:.0f} after)")
        print(f"  a batch     {ours:8.0f} a second: {ours / mean:.2f} of it, each call fetched, read and recorded")
    if arguments.only != "here":
        if postgres_programs() is None:
            print("workers: PostgreSQL is not installed, left out")
            return
        with serving(arguments.delay) as port, cluster() as server:
            urls = [f"http://127.0.0.1:{port}/{number}" for number in range(WORKER_URLS)]
            one = worker_rate(server.new_database(), urls, port, 1, lanes=8)
            two = worker_rate(server.new_database(), urls, port, 2, lanes=8)
        print(f"{WORKER_URLS:,} URLs, {arguments.delay:g} ms an answer, PostgreSQL, workers of 8 lanes of a run of 32")
        print(f"  one worker  {one:8.0f} a second")
        print(f"  two         {two:8.0f} a second: {two / one:.2f} of one")


if __name__ == "__main__":
    main()
