"""Follows a Zstandard stream frame by frame as it passes (RFC 8878, section 3.1): is its last one whole?"""

from typing import Protocol

_MAGIC = 0xFD2FB528
_SKIPPABLE = 0x184D2A50
_DICTIONARY_BYTES = (0, 1, 2, 4)
_CONTENT_SIZE_BYTES = (0, 2, 4, 8)


class Readable(Protocol):
    """Anything bytes can be read from."""

    def read(self, size: int) -> bytes:
        """At most `size` bytes."""


class FrameWatch:
    """Passes a stream on unchanged. `torn` tells, at its end, whether it stopped inside a frame."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._held = b""
        self._skip = 0
        self._state = "frame"
        self._checksum = False
        self._lost = False

    @property
    def torn(self) -> bool:
        """Whether the bytes so far end inside a frame."""
        return not self._lost and (self._state != "frame" or self._skip > 0 or bool(self._held))

    def read(self, size: int = -1) -> bytes:
        """Reads on; the bytes are those of the stream."""
        chunk = self._stream.read(size if size > 0 else 1 << 17)
        if chunk and not self._lost:
            self._follow(chunk)
        return chunk

    def _follow(self, chunk: bytes) -> None:
        data, at = self._held + chunk, 0
        while True:
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip, at = self._skip - step, at + step
                if self._skip:
                    break
            taken = self._header(data, at)
            if taken is None:
                break
            at += taken
        self._held = data[at:]

    def _header(self, data: bytes, at: int) -> int | None:
        """The length of the next header, whose content is then to be skipped; None if more bytes are needed."""
        if self._state == "block":
            return self._block(data, at)
        if len(data) - at < 5:
            return None
        magic = int.from_bytes(data[at : at + 4], "little")
        if magic & 0xFFFFFFF0 == _SKIPPABLE:
            if len(data) - at < 8:
                return None
            self._skip = int.from_bytes(data[at + 4 : at + 8], "little")
            return 8
        if magic != _MAGIC:
            self._lost = True
            return None
        descriptor = data[at + 4]
        single = bool(descriptor & 0x20)
        sizes = _CONTENT_SIZE_BYTES[descriptor >> 6] or (1 if single else 0)
        self._skip = (0 if single else 1) + _DICTIONARY_BYTES[descriptor & 3] + sizes
        self._checksum = bool(descriptor & 4)
        self._state = "block"
        return 5

    def _block(self, data: bytes, at: int) -> int | None:
        if len(data) - at < 3:
            return None
        header = int.from_bytes(data[at : at + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        self._skip = 1 if kind == 1 else size  # a run of one byte is kept as that byte
        if last:
            self._skip += 4 if self._checksum else 0
            self._state = "frame"
        return 3
