"""Reading many documents in a few processes of their own: one that hangs or crashes its reader costs only itself."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait

from webcards.library.index import Document
from webcards.library.page_document import Reader, document_of
from webcards.library.sources import Body, Failure, Source

PROCESSES = 2
SECONDS = 60.0
"""How long one document may take."""
START = 60.0
"""Seconds that a reading process may take to begin."""
MEMORY = 4 << 30
"""Bytes of address space of a reading process, where the system can limit it."""
_AHEAD = 16
"""Documents given out before the first of them has come back."""

Read = tuple[Source, Document | None]


def read_all(sources: Iterable[Source], read: Reader, *, seconds: float = SECONDS) -> Iterator[Read]:
    """Each source with its document, in order; or the failure that stands in its place.

    A `read` that cannot be handed to another process (a closure, a function of the script itself) is called in this one,
    without a limit of time.
    """
    if not _can_be_sent(read):
        for source in sources:
            yield _read(source, read) if isinstance(source, Body) else (source, None)
        return
    team = _Team(read, seconds)
    try:
        yield from team.work(sources)
    finally:
        team.stop()


def _can_be_sent(read: Reader) -> bool:
    try:
        return b"__main__" not in pickle.dumps(read)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _read(source: Body, read: Reader) -> Read:
    try:
        page = read(source.body, url=source.url, content_type=source.content_type)
        if not page.text.strip():
            return Failure(source.where, page.note or "There is no text in it."), None
        is_markdown = (source.content_type or "").startswith("text/markdown")
        name = source.url.rstrip("/").rpartition("/")[2] or source.url
        return source, document_of(page, url=source.url, name=name, is_markdown=is_markdown)
    except Exception as error:  # readers meet everything; one document must cost only itself
        return Failure(source.where, f"It cannot be read: {error or type(error).__name__}"), None


class _Team:
    """Reading processes, each with one document at a time."""

    def __init__(self, read: Reader, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._size = max(1, min(PROCESSES, os.cpu_count() or 1))
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, _Worker] = {}

    def work(self, sources: Iterable[Source]) -> Iterator[Read]:
        done: dict[int, Read] = {}
        given = given_back = 0
        for source in sources:
            if isinstance(source, Body):
                while not self._idle and len(self._busy) >= self._size:
                    done |= self._collect()
                self._give(given, source)
            else:
                done[given] = (source, None)
            given += 1
            while given - given_back > _AHEAD and given_back not in done:
                done |= self._collect()
            while given_back in done:
                yield done.pop(given_back)
                given_back += 1
        while given_back < given:
            while given_back not in done:
                done |= self._collect()
            yield done.pop(given_back)
            given_back += 1

    def stop(self) -> None:
        for worker in (*self._idle, *self._busy.values()):
            worker.end()

    def _give(self, number: int, source: Body) -> None:
        worker, seconds = (self._idle.pop(), self._seconds) if self._idle else (_Worker(self._read), START)
        self._busy[worker.pipe] = worker
        worker.give(number, source, time.monotonic() + seconds)

    def _collect(self) -> dict[int, Read]:
        """Wait for the next document that is read, or whose reading failed."""
        nearest = min(worker.deadline for worker in self._busy.values())
        ready = wait(list(self._busy), timeout=max(0.0, nearest - time.monotonic()))
        results: dict[int, Read] = {}
        for pipe, worker in list(self._busy.items()):
            if pipe in ready:
                results |= self._answer(worker)
            elif worker.deadline <= time.monotonic():
                results[worker.number] = self._lost(worker, f"It was not read within {self._seconds:g} seconds.")
        return results

    def _answer(self, worker: _Worker) -> dict[int, Read]:
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return {
                worker.number: self._lost(
                    worker, "Its reader ended before it was read; it may have wanted too much memory."
                )
            }
        if answer is None:  # the process has begun, and only now the document's time
            worker.deadline = time.monotonic() + self._seconds
            return {}
        del self._busy[worker.pipe]
        self._idle.append(worker)
        return {worker.number: (answer, None) if isinstance(answer, Failure) else (worker.source, answer)}

    def _lost(self, worker: _Worker, reason: str) -> Read:
        del self._busy[worker.pipe]
        worker.end()
        return Failure(worker.source.where, reason), None


class _Worker:
    """One reading process and its end of the pipe."""

    def __init__(self, read: Reader) -> None:
        self.pipe, theirs = Pipe()
        # Not through multiprocessing: its processes run the caller's main script once more, which under Streamlit is the
        # app's page, and in a plain script without a guard makes processes without end.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=environment,
        )
        theirs.close()
        with suppress(OSError):
            self.pipe.send(read)

    def give(self, number: int, source: Body, deadline: float) -> None:
        self.number, self.source, self.deadline = number, source, deadline
        with suppress(OSError):  # a process that has ended is noticed when its answer is waited for
            self.pipe.send(source)

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def _serve(pipe: Connection) -> None:
    """A reading process: the reader first, then documents in, documents or failures out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(EOFError):
        read = pipe.recv()
        pipe.send(None)
        while True:
            read_source, document = _read(pipe.recv(), read)
            pipe.send(read_source if isinstance(read_source, Failure) else document)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
