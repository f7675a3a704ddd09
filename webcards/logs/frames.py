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
    """Passes a stream on unchanged, and never more than one frame at a time: damage then costs no frame before it.

    `torn` tells, at the end, whether the stream stopped inside a frame; `ended`, whether it is at its end.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._chunk = b""
        self._held = b""
        self._skip = 0
        self._state = "frame"
        self._checksum = False
        self._lost = False
        self.ended = False

    @property
    def torn(self) -> bool:
        """Whether the bytes so far end inside a frame."""
        return not self._lost and (self._state != "frame" or self._skip > 0 or bool(self._held))

    def read(self, size: int = -1) -> bytes:
        """Reads on; the bytes are those of the stream."""
        chunk = self._chunk or self._stream.read(size if size > 0 else 1 << 17)
        if not chunk:
            self.ended = True
            return b""
        if size > 0:
            chunk, self._chunk = chunk[:size], chunk[size:]
        else:
            self._chunk = b""
        end = len(chunk) if self._lost else self._follow(chunk)
        self._chunk = chunk[end:] + self._chunk
        return chunk[:end]

    def _follow(self, chunk: bytes) -> int:
        """How far into the chunk its first frame reaches."""
        before = len(self._held)
        data, at, inside = self._held + chunk, 0, self._state != "frame" or self._skip > 0
        self._held = b""
        while at < len(data):
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip, at = self._skip - step, at + step
                inside = True
            elif inside and self._state == "frame":
                break
            elif (taken := self._header(data, at)) is None:
                self._held = data[at:]
                return len(chunk)
            else:
                at, inside = at + taken, True
        return at - before

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
