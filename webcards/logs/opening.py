"""Opens a log whatever it is packed in: path, folder, bytes or stream; gzip, Zstandard, ZIP, UTF-16. All as UTF-8."""

import codecs
import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Protocol, cast

from webcards.logs.frames import FrameWatch
from webcards.logs.model import LogProblem

CHUNK = 1 << 18
# Archives inside archives: deeper than this is a trap, not a log.
MAX_DEPTH = 4
MAX_MEMBERS = 10_000
_SPOOL_IN_MEMORY = 1 << 22
_ZSTD_MAX_WINDOW = 1 << 26
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Stream(Protocol):
    """Bytes that are read from the front; `problem` says after the end what kept the rest from being read."""

    @property
    def problem(self) -> str | None:
        """What went wrong, in words for people."""

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""


class Member:
    """One file of a log. `plain`: its bytes are the very bytes of `path`, so that offsets lead back into it."""

    def __init__(self, name: str, stream: "Peeked", path: Path | None = None) -> None:
        self.name, self.stream, self.path = name, stream, path

    @property
    def plain(self) -> bool:
        """Whether offsets into the text are offsets into the file at `path`."""
        return self.path is not None


Source = str | Path | bytes | IO[bytes] | Sequence[Path]


class Meter:
    """Counts the bytes that were read of the files behind a source: what a progress bar needs."""

    def __init__(self) -> None:
        self.done = 0

    def wrap(self, file: IO[bytes]) -> "_Metered":
        """The same file, counted."""
        return _Metered(file, self)


class _Metered:
    problem: str | None = None

    def __init__(self, file: IO[bytes], meter: Meter) -> None:
        self._file, self._meter = file, meter

    def read(self, size: int) -> bytes:
        part = self._file.read(size)
        self._meter.done += len(part)
        return part

    def readinto(self, view: memoryview) -> int:
        into = getattr(self._file, "readinto", None)
        if into is None:
            part = self._file.read(len(view))
            view[: len(part)] = part
            got = len(part)
        else:
            got = int(into(view) or 0)
        self._meter.done += got
        return got


def size_of(source: Source) -> int | None:
    """The bytes that reading a source will pass, where that is known beforehand."""
    match source:
        case bytes():
            return len(source)
        case str() | Path():
            path = Path(source)
            files = [path] if path.is_file() else [item for item in path.rglob("*") if item.is_file()]
            return sum(item.stat().st_size for item in files)
        case list() | tuple():
            return sum(size_of(path) or 0 for path in source)
        case _:
            return None


def members(source: Source, name: str = "", meter: Meter | None = None) -> Iterator[Member | LogProblem]:
    """The files that a source holds, one after another; each must be read before the next is asked for.

    What cannot be opened is a problem in its place. Nothing is raised for what the source holds, only for a path that
    does not exist or may not be read (OSError).
    """
    meter = meter or Meter()
    match source:
        case bytes():
            yield from _unpacked(Peeked(meter.wrap(io.BytesIO(source))), name, None, 0)
        case str() | Path():
            path = Path(source)
            if path.is_dir():
                yield from _folder(path, meter)
            else:
                with path.open("rb") as file:
                    yield from _unpacked(Peeked(meter.wrap(file)), name, path, 0)
        case list() | tuple():
            for path in source:
                yield from members(Path(path), _below(path, source), meter)
        case _:
            yield from _unpacked(Peeked(meter.wrap(cast("IO[bytes]", source))), name, None, 0)


def _below(path: Path, paths: Sequence[Path]) -> str:
    """The name of one of several files: without the folder that they share."""
    shared = Path(os.path.commonpath([item.parent for item in paths]))
    return str(path.relative_to(shared))


def _folder(folder: Path, meter: Meter) -> Iterator[Member | LogProblem]:
    """Every file below a folder, by name; hidden ones and links that lead out of it are left alone."""
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):
            yield LogProblem(1, 1, "left out: this link leads out of the folder", str(inside))
            continue
        try:
            with path.open("rb") as file:
                yield from _unpacked(Peeked(meter.wrap(file)), str(inside), path, 0)
        except OSError as error:
            yield LogProblem(1, 1, f"cannot be opened: {error.strerror or 'it may not be read'}", str(inside))


def _unpacked(stream: "Peeked", name: str, path: Path | None, depth: int) -> Iterator[Member | LogProblem]:
    head = stream.peek(4)
    if depth > MAX_DEPTH:
        yield LogProblem(1, 1, f"packed more than {MAX_DEPTH} times over", name)
    elif head.startswith(_GZIP):
        yield from _unpacked(Peeked(_Gzip(stream)), name, None, depth + 1)
    elif head.startswith(_ZSTD) or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        yield from _unpacked(Peeked(_Zstd(stream)), name, None, depth + 1)
    elif head.startswith(_ZIP):
        yield from _archive(stream, name, depth)
    elif encoding := _wide_encoding(stream.peek(8)):
        yield Member(name, Peeked(_Recoded(stream, encoding)))
    else:
        yield Member(name, stream, path if depth == 0 else None)


def _wide_encoding(head: bytes) -> str | None:
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return encoding
    # Without a BOM: JSON begins with two ASCII characters (RFC 4627, section 3).
    if len(head) >= 4 and head[0] and not head[1] and head[2] and not head[3]:
        return "utf-16-le"
    if len(head) >= 4 and not head[0] and head[1] and not head[2] and head[3]:
        return "utf-16-be"
    return None


def _archive(stream: "Peeked", name: str, depth: int) -> Iterator[Member | LogProblem]:
    """The members of a ZIP, in the order of its directory; that is at the end, so it goes to a temporary file first."""
    with tempfile.SpooledTemporaryFile(_SPOOL_IN_MEMORY) as spool:
        while chunk := stream.read(CHUNK):
            spool.write(chunk)
        spool.seek(0)
        try:
            archive = zipfile.ZipFile(spool)
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, EOFError) as error:
            yield LogProblem(1, 1, f"a ZIP archive that cannot be opened: {error}", name)
            return
        with archive:
            for number, info in enumerate(archive.infolist()):
                inside = f"{name}/{info.filename}" if name else info.filename
                if number >= MAX_MEMBERS:
                    yield LogProblem(1, 1, f"only the first {MAX_MEMBERS} files of this archive were read", name)
                    return
                if info.is_dir() or _is_litter(info.filename):
                    continue
                try:
                    with archive.open(info) as file:
                        yield from _unpacked(Peeked(_Guarded(file)), inside, None, depth + 1)
                except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError, EOFError) as error:
                    yield LogProblem(1, 1, f"cannot be unpacked: {error}", inside)


def _is_litter(filename: str) -> bool:
    """Files that archivers add by themselves."""
    return filename.startswith("__MACOSX/") or filename.rsplit("/", 1)[-1] in (".DS_Store", "Thumbs.db")


class Peeked:
    """A stream whose beginning can be looked at."""

    def __init__(self, stream: "IO[bytes] | Stream") -> None:
        self._stream, self._held = stream, b""

    @property
    def problem(self) -> str | None:
        return getattr(self._stream, "problem", None)

    def peek(self, size: int) -> bytes:
        while len(self._held) < size:
            chunk = self._stream.read(size - len(self._held))
            if not chunk:
                break
            self._held += chunk
        return self._held[:size]

    def read(self, size: int) -> bytes:
        if self._held:
            part, self._held = self._held[:size], self._held[size:]
            return part
        return self._stream.read(size) or b""

    def readinto(self, view: memoryview) -> int:
        """Reads into memory that is there already; gives the number of bytes, none at the end."""
        if not self._held and (into := getattr(self._stream, "readinto", None)) is not None:
            return int(into(view) or 0)
        part = self.read(len(view))
        view[: len(part)] = part
        return len(part)


class _Guarded:
    """A member of a ZIP: damage ends it, and is told at its end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.problem: str | None = None

    def read(self, size: int) -> bytes:
        if self.problem:
            return b""
        try:
            return self._file.read(size)
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            EOFError,
            ValueError,
            OSError,
        ) as error:
            self.problem = f"the archive is damaged here: {error}"
            return b""


class _Gzip:
    """All members of a gzip stream (RFC 1952, section 2.2), never more than is asked for at once."""

    def __init__(self, stream: "Peeked") -> None:
        self._stream, self._pending = stream, b""
        self._member = zlib.decompressobj(31)
        self.problem: str | None = None
        self._ended = False

    def read(self, size: int) -> bytes:
        while not self._ended:
            if not self._pending:
                self._pending = self._stream.read(CHUNK)
                if not self._pending:
                    self._ended = True
                    self.problem = self.problem or "the gzip stream is cut off here"
                    return b""
            try:
                part = self._member.decompress(self._pending, size)
            except zlib.error as error:
                self._ended, self.problem = True, f"the gzip stream is damaged here: {error}"
                return b""
            self._pending = self._member.unconsumed_tail
            if self._member.eof:
                self._next_member()
            if part:
                return part
        return b""

    def _next_member(self) -> None:
        rest = self._member.unused_data
        while len(rest) < 2 and (more := self._stream.read(CHUNK)):
            rest += more
        if rest.startswith(_GZIP):
            self._member, self._pending = zlib.decompressobj(31), rest
            return
        # Zeros after the last member are padding (tapes, block devices); anything else is not part of the log.
        self._ended = True
        if rest.strip(b"\0"):
            self.problem = "what follows the gzip stream is not gzip"


class _Zstd:
    """All frames of a Zstandard stream (RFC 8878, section 3): a log that is appended to is many frames."""

    def __init__(self, stream: "Peeked") -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._watch = FrameWatch(stream)
        decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_MAX_WINDOW)
        self._reader = decompressor.stream_reader(
            cast("IO[bytes]", self._watch), read_across_frames=True, closefd=False
        )
        self.problem: str | None = None

    def read(self, size: int) -> bytes:
        if self.problem:
            return b""
        try:
            part = self._reader.read1(size)
            while not part and not self._watch.ended:
                part = self._reader.read1(size)
        except self._error as error:
            self.problem = f"the zstd stream is damaged here: {error}"
            return b""
        if not part and self._watch.torn:
            self.problem = "the last zstd frame is cut off here"
        return part


class _Recoded:
    """UTF-16 or UTF-32 as UTF-8."""

    def __init__(self, stream: "Peeked", encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._held, self._first, self._ended = b"", True, False

    @property
    def problem(self) -> str | None:
        return self._stream.problem

    def read(self, size: int) -> bytes:
        while not self._held and not self._ended:
            chunk = self._stream.read(CHUNK)
            self._ended = not chunk
            text = self._decoder.decode(chunk, final=not chunk)
            if self._first and text:
                text, self._first = text.removeprefix("\ufeff"), False
            self._held = text.encode("utf-8", "replace")
        part, self._held = self._held[:size], self._held[size:]
        return part
