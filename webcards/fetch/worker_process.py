"""The other end of a PageReader: a process that reads one page after another and may be killed at any time.

Jobs come in on standard input, answers go out where standard output was; each is a length and a msgpack message.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import struct
import sys
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from webcards.contract.errors import WebError
from webcards.fetch.page import Page, read_page

LENGTH = struct.Struct(">Q")
# A worker whose owner is gone stops after this much work on one page, and a little more.
_MOST_CPU_SECONDS = 30
_RENEWED_SECONDS = 5
# What is asked of the system costs as much as a short page does to read: it is asked after so many short ones, and after each
# that is long.
_LOOKED_EVERY = 16
_LONG_BODY = 200_000


class Job(msgspec.Struct, frozen=True):
    """One body to read; the arguments of `read_page`."""

    body: bytes
    url: str
    content_type: str | None
    source_truncated: bool
    raw: bool


class Answer(msgspec.Struct, frozen=True):
    """A page, or why there is none; and the memory that the process held when it last looked, in bytes."""

    page: Page | None = None
    code: str | None = None
    message: str | None = None
    resident_bytes: int = 0


def framed(message: object) -> bytes:
    """A message as it crosses a pipe: its length, and it as msgpack."""
    packed = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(packed)) + packed


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message of a stream, unframed; None where it ends before."""
    head = read_exactly(stream, LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    length: int = LENGTH.unpack(head)[0]
    message = read_exactly(stream, length)
    return message if len(message) == length else None


def read_exactly(stream: BinaryIO, count: int) -> bytes:
    """`count` bytes, or fewer at the end of the stream."""
    parts: list[bytes] = []
    while count:
        part = stream.read(count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def serve(memory_bytes: int) -> None:
    """Read pages until standard input ends, within the given memory."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints goes nowhere: it would stand between the answers.
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.close(silent)
    _limit_memory(memory_bytes)
    _warm_up()
    decoder = msgspec.msgpack.Decoder(Job)
    use = _Use()
    while (message := read_message(sys.stdin.buffer)) is not None:
        job = decoder.decode(message)
        use.begin()
        answer = msgspec.structs.replace(_answer(job), resident_bytes=use.resident_bytes(after=job))
        answers.write(framed(answer))
        answers.flush()
        del message, job, answer


class _Use:
    """What this process uses, looked at now and then."""

    def __init__(self) -> None:
        self._limited_until = 0.0
        self._short_ones = 0
        self._resident_bytes = 0

    def begin(self) -> None:
        """Before each page: lets the process work on for as long as one may take."""
        if (now := time.monotonic()) >= self._limited_until:
            _limit_cpu()
            self._limited_until = now + _RENEWED_SECONDS

    def resident_bytes(self, *, after: Job) -> int:
        """After each page: what the process holds."""
        self._short_ones -= 1
        if self._short_ones < 0 or len(after.body) > _LONG_BODY:
            self._resident_bytes = _resident_bytes()
            self._short_ones = _LOOKED_EVERY
        return self._resident_bytes


def _answer(job: Job) -> Answer:
    try:
        page = read_page(
            job.body, url=job.url, content_type=job.content_type, source_truncated=job.source_truncated, raw=job.raw
        )
    except WebError as error:
        return Answer(code=error.code, message=error.message)
    except MemoryError:
        return Answer()
    except Exception:  # the owner reads the page another way; a fault of ours must not cost the page
        return Answer()
    return Answer(page=page)


def _warm_up() -> None:
    read_page(
        b"<!doctype html><title>t</title><article><h1>t</h1><p>A page to begin with.</p></article>",
        url="http://warm.example/",
        content_type="text/html; charset=utf-8",
    )
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _limit_memory(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:
        return
    for name in ("RLIMIT_DATA", "RLIMIT_AS"):
        limit = memory_bytes if name == "RLIMIT_DATA" else 4 * memory_bytes
        with contextlib.suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (limit, limit))


def _limit_cpu() -> None:
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + _MOST_CPU_SECONDS, hard))


def _resident_bytes() -> int:
    """What the process holds now; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    serve(int(sys.argv[1]))
