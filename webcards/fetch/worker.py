"""Reads pages in worker processes, so that no page can hold up the app: a worker that takes too long or too much is killed.

The page is then read another way (bare_text.py). Which worker reads which page, and when one is replaced, is decided here; the
reading itself is page.py's part, the other end of the pipe worker_process.py's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import msgspec

from webcards.contract.errors import ErrorCode, WebError
from webcards.fetch.bare_text import read_bare
from webcards.fetch.page import Page
from webcards.fetch.worker_process import LENGTH, Answer, Job, read_exactly

READING_SECONDS = 3.8
MEMORY_BYTES = 448 * 1024 * 1024
# A new process takes as long as a hundred pages; what a page leaves behind shows in the memory, which is looked at each time.
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
        self._count = workers or min((os.cpu_count() or 1) + 1, _MOST_WORKERS)
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._busy: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="page-reader")
        self._end = weakref.finalize(self, _end_all, self._idle, self._busy, self._threads)

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
        loop = asyncio.get_running_loop()
        left = self._seconds if deadline is None else min(self._seconds, deadline - loop.time() - _RESERVE_SECONDS)
        job = Job(body, url, content_type, source_truncated, raw)
        answer: Answer | None = None
        if left > 0:
            task = _Task(job)
            future = loop.run_in_executor(self._threads, self._run, task)
            try:
                answer = await asyncio.wait_for(asyncio.shield(future), left)
            except TimeoutError:
                # The page takes too long, or every worker was busy with others until now.
                task.give_up()
            except asyncio.CancelledError:
                task.give_up()
                raise
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

    def _run(self, task: _Task) -> Answer | None:
        """Have a worker do the task, in a thread of the pool; None when the worker had to be killed."""
        if task.given_up or self._closed:
            return None
        worker = self._take()
        if worker is None or not task.begin(worker):
            if worker is not None:
                self._idle.put(worker)
            return None
        with self._lock:
            self._busy.add(worker)
        answer = worker.work(task.job)
        with self._lock:
            self._busy.discard(worker)
        if answer is None or worker.jobs >= JOBS_A_WORKER or answer.resident_bytes > RETIRING_BYTES or self._closed:
            worker.kill()
        else:
            self._idle.put(worker)
        return answer

    def _take(self) -> _Worker | None:
        """An idle worker that is alive, or a new one; None where no process can be started."""
        while True:
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                break
            if worker.is_alive:
                return worker
            worker.kill()
        try:
            return _Worker(self._memory_bytes)
        except OSError:
            return None


class _Task:
    """A job on its way: it may be given up from the event loop while a thread waits for its worker."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.given_up = False
        self._worker: _Worker | None = None
        self._lock = threading.Lock()

    def begin(self, worker: _Worker) -> bool:
        with self._lock:
            if self.given_up:
                return False
            self._worker = worker
            return True

    def give_up(self) -> None:
        with self._lock:
            self.given_up = True
            if self._worker is not None:
                self._worker.stop()


class _Worker:
    """One process."""

    def __init__(self, memory_bytes: int) -> None:
        root = str(Path(__file__).resolve().parents[2])
        known = os.environ.get("PYTHONPATH")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, known] if known else [root])}
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "webcards.fetch.worker_process", str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self.jobs = 0

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def work(self, job: Job) -> Answer | None:
        """Send a job and wait for its answer; None when there was none, as the process was stopped meanwhile."""
        self.jobs += 1
        message = msgspec.msgpack.encode(job)
        try:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(LENGTH.pack(len(message)) + message)
            self._process.stdin.flush()
            head = read_exactly(self._process.stdout, LENGTH.size)  # type: ignore[arg-type]
            if len(head) < LENGTH.size:
                return None
            length = LENGTH.unpack(head)[0]
            body = read_exactly(self._process.stdout, length)  # type: ignore[arg-type]
            return msgspec.msgpack.decode(body, type=Answer) if len(body) == length else None
        except (OSError, ValueError, msgspec.DecodeError):
            return None

    def stop(self) -> None:
        """Kill the process; who waits for its answer gets none."""
        self._process.kill()

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _end_all(idle: queue.LifoQueue[_Worker], busy: set[_Worker], threads: ThreadPoolExecutor) -> None:
    """End every worker; runs at `aclose`, when the reader is forgotten, or when this process ends."""
    for worker in list(busy):
        worker.stop()
    threads.shutdown(wait=True, cancel_futures=True)
    while True:
        try:
            idle.get_nowait().kill()
        except queue.Empty:
            return
