"""Reads pages in worker processes, so that no page can hold up the app: a worker that takes too long or too much is killed.

The page is then read another way (bare_text.py). Which worker reads which page, and when one is replaced, is decided here; one
process and the way to it are worker_link.py's part, the reading itself page.py's, the other end worker_process.py's.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections import deque
from typing import cast

from webcards.contract.errors import ErrorCode, WebError
from webcards.fetch.bare_text import read_bare
from webcards.fetch.page import Page
from webcards.fetch.worker_link import Worker
from webcards.fetch.worker_process import Answer, Job

READING_SECONDS = 3.8
MEMORY_BYTES = 448 * 1024 * 1024
# A new process takes as long as a hundred pages; what a page leaves behind shows in the memory, which is looked at as it works.
JOBS_A_WORKER = 5_000
RETIRING_BYTES = 256 * 1024 * 1024
# What is kept of a call's time for the bare reading that follows when a worker is killed.
_RESERVE_SECONDS = 0.6
_MOST_WORKERS = 8


class PageReader:
    """A small pool of reading processes. They are started when first needed and end with `aclose`, or with this process.

    One reader may serve any number of event loops and threads.
    """

    def __init__(
        self, *, workers: int | None = None, seconds: float = READING_SECONDS, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        """`workers`: how many pages are read at the same time; by default one for each processor and one more, so that
        no processor waits while a worker's answer is taken and its next page is handed over.
        `seconds` and `memory_bytes`: what one page may take.
        """
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._turns = _Turns(workers or min((os.cpu_count() or 1) + 1, _MOST_WORKERS))
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False
        self._end = weakref.finalize(self, _end_all, self._idle, self._busy)

    async def read(
        self,
        body: bytes,
        *,
        url: str,
        content_type: str | None = None,
        source_truncated: bool = False,
        raw: bool = False,
        deadline: float | None = None,
    ) -> Page:
        """Read one body as `read_page` does. `deadline` is the event loop's time by which an answer is wanted.

        Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE; WEB_FETCH_TIMEOUT for a PDF that takes too long).
        """
        if self._closed:
            raise WebError("WEB_ABORTED", "The page reader has been closed.")
        now = asyncio.get_running_loop().time()
        left = self._seconds if deadline is None else min(self._seconds, deadline - now - _RESERVE_SECONDS)
        answer: Answer | None = None
        if left > 0:
            try:
                async with asyncio.timeout(left):
                    answer = await self._answer(Job(body, url, content_type, source_truncated, raw))
            except TimeoutError:
                # The page takes too long, or every worker was busy with others until now.
                pass
        if answer is not None and answer.page is not None:
            return answer.page
        if answer is not None and answer.code is not None:
            raise WebError(cast("ErrorCode", answer.code), answer.message or "")
        return await asyncio.to_thread(
            read_bare, body, url=url, content_type=content_type, source_truncated=source_truncated
        )

    async def aclose(self) -> None:
        """End the workers; pages that are being read are read the bare way."""
        self._closed = True
        await asyncio.to_thread(self._end)

    async def _answer(self, job: Job) -> Answer | None:
        """What a worker says to a job; None where it had to be killed, or none can be started."""
        await self._turns.take()
        try:
            worker = self._rested() or await self._started()
            if worker is None or self._closed:
                return None
            self._busy.add(worker)
            answer: Answer | None = None
            try:
                answer = await worker.work(job)
            finally:
                self._busy.discard(worker)
                done_with = answer is None or worker.jobs >= JOBS_A_WORKER or answer.resident_bytes > RETIRING_BYTES
                if done_with or self._closed:
                    worker.stop()
                    asyncio.get_running_loop().run_in_executor(None, worker.end)
                else:
                    self._idle.append(worker)
            return answer
        finally:
            self._turns.give_back()

    def _rested(self) -> Worker | None:
        """An idle worker that is alive, if there is one; the one that worked last, which is the warmest."""
        while True:
            try:
                worker = self._idle.pop()
            except IndexError:
                return None
            if worker.is_alive:
                return worker
            worker.end()

    async def _started(self) -> Worker | None:
        """A new worker; None where no process can be started."""
        starting = asyncio.ensure_future(asyncio.to_thread(Worker, self._memory_bytes))
        try:
            return await asyncio.shield(starting)
        except OSError:
            return None
        except asyncio.CancelledError:
            starting.add_done_callback(self._keep)
            raise

    def _keep(self, starting: asyncio.Future[Worker]) -> None:
        """Keep for the next page a worker that nobody waits for any more."""
        if starting.cancelled() or starting.exception() is not None:
            return
        self._idle.append(starting.result())
        if self._closed:
            _end_all(self._idle, self._busy)


class _Turns:
    """So many at a time, from any event loop: asyncio's own semaphore belongs to one."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._lock = threading.Lock()

    async def take(self) -> None:
        """Wait for a turn, in the order of asking."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            with self._lock:
                if turn in self._waiting:
                    self._waiting.remove(turn)
            if not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """End a turn: whoever has waited longest is next."""
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                try:
                    turn.get_loop().call_soon_threadsafe(self._call, turn)
                except RuntimeError:  # its event loop has ended
                    continue
                return
            self._free += 1

    def _call(self, turn: asyncio.Future[None]) -> None:
        if turn.done():
            self.give_back()
        else:
            turn.set_result(None)


def _end_all(idle: list[Worker], busy: set[Worker]) -> None:
    """End every worker; runs at `aclose`, when the reader is forgotten, or when this process ends."""
    for worker in list(busy):
        worker.stop()  # an event loop waits on its pipes, and ends it when it hears of this
    while idle:
        idle.pop().end()
