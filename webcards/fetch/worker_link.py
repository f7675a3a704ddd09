"""One reading process and the two pipes to it: a job goes in, an answer comes out, and it may be ended at any moment.

The event loop itself waits on the pipes: a thread that waited would take the interpreter's lock from it twice a page, which
cost a quarter of a fetch. A loop that can wait on sockets only (Windows') has a thread after all.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from webcards.fetch.worker_process import LENGTH, Answer, Job, framed, read_message

WATCHED = os.name == "posix"
_PIECE = 1 << 18
_PIPE_BYTES = 1 << 20


class Worker:
    """One process. It reads one page at a time; `jobs` is how many it was given."""

    def __init__(self, memory_bytes: int) -> None:
        """Starts it. Raises OSError where that cannot be."""
        root = str(Path(__file__).resolve().parents[2])
        known = os.environ.get("PYTHONPATH")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, known] if known else [root])}
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "webcards.fetch.worker_process", str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
            start_new_session=True,
        )
        self._jobs_in = cast("BinaryIO", self._process.stdin)
        self._answers_out = cast("BinaryIO", self._process.stdout)
        self._watched = WATCHED
        if self._watched:
            _prepare(self._jobs_in.fileno())
            _prepare(self._answers_out.fileno())
        self.jobs = 0

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    async def work(self, job: Job) -> Answer | None:
        """Send a job and wait for its answer; None when there was none, as the process was ended meanwhile.

        Who gives up waiting has to `end` it: an answer that nobody took would be the next one's.
        """
        self.jobs += 1
        message = framed(job)
        try:
            if self._watched:
                await _send(self._jobs_in.fileno(), message)
                answer = await _received(self._answers_out.fileno())
            else:
                answer = await asyncio.to_thread(self._exchanged, message)
            return None if answer is None else msgspec.msgpack.decode(answer, type=Answer)
        except (OSError, ValueError, msgspec.DecodeError):
            return None

    def _exchanged(self, message: bytes) -> bytes | None:
        """The answer to a message, waited for where one is; None if it ends before."""
        rest = memoryview(message)
        while rest:
            rest = rest[self._jobs_in.write(rest) :]
        return read_message(self._answers_out)

    def stop(self) -> None:
        """Kill the process; who waits for its answer gets none."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process, wait until its memory is free, and close the pipes, on which nobody may wait any more."""
        self._process.kill()
        self._process.wait()
        for stream in (self._jobs_in, self._answers_out):
            with contextlib.suppress(OSError):
                stream.close()


def _prepare(pipe: int) -> None:
    """Let a pipe be waited on, and hold a whole page where the system allows that, so that neither side waits for the other."""
    os.set_blocking(pipe, False)
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


async def _send(pipe: int, message: bytes) -> None:
    """Write all of a message to a pipe that does not block. Raises OSError where nobody reads it any more."""
    loop = asyncio.get_running_loop()
    rest = memoryview(message)
    while True:
        with contextlib.suppress(BlockingIOError):
            rest = rest[os.write(pipe, rest) :]
        if not rest:
            return
        room = loop.create_future()
        loop.add_writer(pipe, _once, room)
        try:
            await room
        finally:
            loop.remove_writer(pipe)


async def _received(pipe: int) -> bytes | None:
    """The next message from a pipe that does not block; None if it ends before."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    came = bytearray()

    def take() -> None:
        try:
            piece = os.read(pipe, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        came.extend(piece)
        if not piece or _is_whole(came):
            _once(ended)

    loop.add_reader(pipe, take)
    try:
        await ended
    finally:
        loop.remove_reader(pipe)
    return bytes(came[LENGTH.size :]) if _is_whole(came) else None


def _is_whole(came: bytearray) -> bool:
    return len(came) >= LENGTH.size and len(came) >= LENGTH.size + LENGTH.unpack_from(came)[0]


def _once(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
