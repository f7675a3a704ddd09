"""The standard streams of the command line. A reader that has gone, a full disk or a stream that was never opened ends in
one line or in silence, never in a traceback, nor in the one that Python prints when it flushes at its end.
"""

import errno
import io
import os
import sys
from typing import Any, TextIO

STDIN, STDOUT, STDERR = 0, 1, 2


class OutputError(Exception):
    """Standard output cannot be written. No OSError, so that nobody on the way takes it for the fault of another file."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {_reason(error)}.")
        self.reader_gone = error.errno == errno.EPIPE
        """Whether it was read by a program that has had enough, as `head` does: nothing that anybody need be told."""


def secure_streams() -> None:
    """Makes `sys.stdin`, `sys.stdout` and `sys.stderr` fit for a program that others start and read; once a process.

    Standard output then raises `OutputError` where it cannot be written, and swallows what comes after; standard error
    swallows what it cannot tell. A stream that was closed can be neither read nor written.
    """
    for number in (STDIN, STDOUT, STDERR):
        _reserve(number)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_ClosedInput(STDIN, closefd=False)), encoding="utf-8")
    sys.stdout = _guarded(sys.stdout, _Output, STDOUT, "replace")
    sys.stderr = _guarded(sys.stderr, _Messages, STDERR, "backslashreplace")


def _reason(error: OSError) -> str:
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def _reserve(number: int) -> None:
    """Where a stream is closed, takes its number: the next file that is opened, a database perhaps, would get it, and
    with it whatever is meant for the stream. It is opened the wrong way round, so that each use of it is an error."""
    try:
        os.fstat(number)
    except OSError:
        # The lowest number that is free is the one that is given.
        os.open(os.devnull, os.O_RDONLY if number == STDOUT else os.O_WRONLY)
        os.set_inheritable(number, True)


def _guarded(stream: TextIO | None, raw: type[io.FileIO], number: int, errors: str) -> TextIO:
    if stream is not None and stream.isatty():
        return stream
    encoding = stream.encoding if stream is not None else "utf-8"
    buffered = io.BufferedWriter(raw(number, "w", closefd=False))
    return io.TextIOWrapper(buffered, encoding=encoding, errors=errors, line_buffering=number == STDERR)


class _ClosedInput(io.FileIO):
    def readinto(self, buffer: Any, /) -> int:  # noqa: ARG002 (the name is the protocol's)
        raise OSError(errno.EBADF, "it is closed", "standard input")

    def readall(self) -> bytes:
        return bytes(self.readinto(None))


class _Output(io.FileIO):
    _failed = False

    def write(self, data: Any, /) -> int:
        if self._failed:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self._failed = True
            raise OutputError(error) from None


class _Messages(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)
