"""Undoing Content-Encoding with a bound on the output, so that a few hundred bytes can never become gigabytes.

Every stage hands on at most a block at a time and stops as soon as the limit is reached. What the bytes mean is the
page reader's part.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import IO, Protocol, cast

from webcards.contract.errors import WebError

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
BLOCK = 65_536
"""Bytes that a stage hands on at a time."""
MAX_STAGES = 5
"""Encodings stacked on one body; more are no honest server's (curl draws the line at the same place)."""
ZSTD_WINDOW = 8 * 1024 * 1024
"""Bytes: RFC 9659 lets no zstd body on the web ask for more."""

Sink = Callable[[bytes], None]


class UndecodableError(Exception):
    """The bytes are not what the encoding says. What came before is in the body."""


class _FullError(Exception):
    """The limit is reached; nothing more is decoded."""


class _Stage(Protocol):
    """One encoding being undone. `complete`: the encoded form came to its own end."""

    @property
    def complete(self) -> bool: ...

    def write(self, data: bytes) -> None: ...


class BodyDecoder:
    """A body being decoded as it arrives: `undo` the encoding, then `feed` each chunk until `full`.

    `limit` is the most bytes that are kept; `body` holds them, `full` says that there were more.
    """

    def __init__(self, *, limit: int) -> None:
        self.body = bytearray()
        self.full = False
        self._limit = limit
        self._started = False
        self._named: list[str] = []
        self._unknown: list[str] = []
        self._stages: list[_Stage] = []
        self._write: Sink = self._keep

    def undo(self, content_encoding: str | None) -> None:
        """Undo what the Content-Encoding header names.

        Raises WebError (WEB_PROVIDER_ERROR) where more encodings are stacked than `MAX_STAGES`.
        """
        self._named = [token.strip().lower() for token in (content_encoding or "").split(",") if token.strip()]
        encodings = [_ALIASES.get(token, token) for token in self._named]
        self._unknown = [token for token in encodings if token not in _STAGES and token not in _NOTHING]
        known = [token for token in encodings if token in _STAGES]
        if len(known) > MAX_STAGES:
            raise WebError(
                "WEB_PROVIDER_ERROR", f"The body is encoded {len(known)} times over, which no honest server does."
            )
        # The list says what was done, in order; it is undone from the end (RFC 9110, section 8.4).
        sink: Sink = self._keep
        for token in known:
            stage = _STAGES[token](sink)
            self._stages.insert(0, stage)
            sink = _Counted(stage, self._limit).write
        self._write = sink

    def feed(self, chunk: bytes) -> None:
        """Decode one chunk as it came from the network. Raises `UndecodableError` (what was decoded before stays)."""
        if self.full or not chunk:
            return
        if not self._started:
            self._started = True
            self._settle(chunk)
        try:
            self._write(chunk)
        except _FullError:
            self.full = True
        except Exception as error:
            # Four libraries, four families of errors: each means that the bytes are not what the header says.
            raise UndecodableError(f"the body is not valid {', '.join(self._named)}") from error

    @property
    def complete(self) -> bool:
        """Whether the body came to its end: False if an encoded form broke off."""
        return not self._started or all(stage.complete for stage in self._stages)

    def _settle(self, first: bytes) -> None:
        """Look at the first bytes: plain text under the name of an encoding is taken as what it is.

        Raises WebError (WEB_UNSUPPORTED_CONTENT_TYPE) for bytes in an encoding that nobody here can undo.
        """
        if self._unknown and not _is_text(first):
            raise WebError(
                "WEB_UNSUPPORTED_CONTENT_TYPE",
                f"The body is encoded as {self._unknown[0]!r}, which cannot be undone here (only {ACCEPT_ENCODING}).",
            )
        if len(self._stages) == 1 and _is_text(first):
            self._stages = []
            self._write = self._keep

    def _keep(self, block: bytes) -> None:
        room = self._limit - len(self.body)
        if len(block) > room:
            self.body += block[:room]
            raise _FullError
        self.body += block


class _Counted:
    """Counts what goes into a stage, so that an inner encoding cannot be fed without end while it gives nothing out."""

    def __init__(self, stage: _Stage, limit: int) -> None:
        self._stage = stage
        self._left = limit

    def write(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            raise _FullError
        self._stage.write(data)


class _Gzip:
    """gzip (RFC 1952): members one after the other; zeros or rubbish after the last are left out, as browsers do."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._member = zlib.decompressobj(wbits=31)
        self._between = b""

    @property
    def complete(self) -> bool:
        return self._member.eof

    def write(self, data: bytes) -> None:
        while data:
            if self._member.eof:
                data = self._between + data
                if not data.startswith(b"\x1f\x8b"):
                    self._between = data if data == b"\x1f" else b""
                    return
                self._member, self._between = zlib.decompressobj(wbits=31), b""
            _inflate(self._member, data, self._sink)
            data = self._member.unused_data


class _Deflate:
    """deflate: zlib's form (RFC 1950), or the bare one that some servers send instead; the first two bytes tell."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._head = b""
        self._inflater: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        return self._inflater is not None and self._inflater.eof

    def write(self, data: bytes) -> None:
        if self._inflater is None:
            data = self._head + data
            if len(data) < 2:
                self._head = data
                return
            wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inflater = zlib.decompressobj(wbits=15 if wrapped else -15)
        if not self._inflater.eof:
            _inflate(self._inflater, data, self._sink)


def _inflate(inflater: zlib._Decompress, data: bytes, sink: Sink) -> None:
    while True:
        block = inflater.decompress(data, BLOCK)
        if block:
            sink(block)
        data = inflater.unconsumed_tail
        if inflater.eof or (not data and len(block) < BLOCK):
            return


class _Brotli:
    """br (RFC 7932)."""

    def __init__(self, sink: Sink) -> None:
        import brotli

        self._sink = sink
        self._decoder = brotli.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._decoder.is_finished())

    def write(self, data: bytes) -> None:
        while not self.complete:
            block: bytes = self._decoder.process(data, output_buffer_limit=BLOCK)
            if not block:
                return
            # More may be waiting inside, whatever `can_accept_more_data` says of the input: ask until nothing comes.
            self._sink(block)
            data = b""


class _Zstd:
    """zstd (RFC 8878), frames one after the other, with the window that RFC 9659 allows."""

    def __init__(self, sink: Sink) -> None:
        import zstandard

        self._writer = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).stream_writer(
            cast("IO[bytes]", _Writable(sink)), write_size=BLOCK, closefd=False
        )

    @property
    def complete(self) -> bool:
        # The library does not say where a frame ends; that a body breaks off is seen by its length or its chunks.
        return True

    def write(self, data: bytes) -> None:
        self._writer.write(data)


class _Writable:
    """A sink as the file that zstandard writes to."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, block: bytes) -> int:
        self._sink(bytes(block))
        return len(block)


_ALIASES = {"x-gzip": "gzip", "x-deflate": "deflate", "brotli": "br", "zstandard": "zstd", "x-zstd": "zstd"}
_NOTHING = frozenset({"identity", "none", "binary", "8bit", "7bit", "utf-8", "utf8", "chunked"})
_STAGES: dict[str, Callable[[Sink], _Stage]] = {"gzip": _Gzip, "deflate": _Deflate, "br": _Brotli, "zstd": _Zstd}

# Bytes that no text holds in any encoding that extends ASCII (WHATWG MIME Sniffing, section 3, binary data bytes).
_BINARY = frozenset([*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])


def _is_text(chunk: bytes) -> bool:
    head = chunk[:512]
    return len(head) >= 4 and not _BINARY.intersection(head) and head.lstrip()[:1].isascii() and _mostly_ascii(head)


def _mostly_ascii(head: bytes) -> bool:
    # Compressed bytes are spread evenly, so that half of them lie above 0x7F; text that begins with markup does not.
    return sum(byte < 0x80 for byte in head) >= 0.9 * len(head)
