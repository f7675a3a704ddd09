"""A batch in a process of its own, which a test kills, and the server whose pages it fetches."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from webcards.batch.lane import run_here
from webcards.settings import read_settings
from webcards.store import Store
from webcards.tools.opening import open_registry


def run_batch(url: str, run: int, port: int) -> None:
    """Runs a run with the real tools until it is done, or this process is killed."""

    async def work() -> None:
        settings = read_settings(fetch_allow=(f"127.0.0.1:{port}",), tools=("web_fetch",))
        with Store.open(url) as store:
            async with open_registry(settings) as tools:
                await run_here(store, tools, run)

    asyncio.run(work())


class Pages:
    """A real HTTP server on loopback that counts the requests for each path, and answers after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.requests: Counter[str] = Counter()
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                self.requests[path] += 1
                await asyncio.sleep(self._seconds)
                body = f"The page at {path}.".encode()
                fields = f"Content-Type: text/plain\r\nContent-Length: {len(body)}"
                writer.write(f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@contextmanager
def serving_pages(seconds: float = 0.01) -> Iterator[Pages]:
    """Serves in a thread until the end."""
    pages = Pages(seconds)
    started = threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_server(pages.answer, "127.0.0.1", 0)
        pages.port = server.sockets[0].getsockname()[1]
        started.set()
        await ended.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    def run() -> None:
        loop.run_until_complete(serve())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield pages
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
