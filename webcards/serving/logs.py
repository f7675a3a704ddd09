"""One line of JSON on stderr for each call: when, which tool and host, how it went, and whose it was, by a hash.

Nothing that a person typed stands in it: of a URL its host, of a query nothing, of a person a keyed hash.
"""

import sys
import threading
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TextIO

import msgspec
from msgspec import UNSET, Struct, UnsetType


class Line(Struct, frozen=True, rename="camel"):
    """What a line holds; `ms` is how long the call took, `code` its error code."""

    time: str
    event: str
    call: str
    tool: str
    outcome: str
    ms: float
    host: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    user: str | UnsetType = UNSET


class CallLog:
    """Writes the lines. Safe to share between threads; a stream that is gone ends the log, not the call."""

    def __init__(self, secret: str, *, stream: TextIO | None = None) -> None:
        """`secret` keys the hashes of people: the same in all processes of one app gives the same hashes."""
        self._key = blake2b(secret.encode(), digest_size=32).digest()
        self._stream = stream
        self._lock = threading.Lock()

    def user_hash(self, email: str) -> str:
        """What stands for a person: the same each time, and not to be found out without the secret."""
        return blake2b(email.encode("utf-8", "replace"), key=self._key, digest_size=8).hexdigest()

    def settled(
        self, *, call: str, tool: str, outcome: str, ms: float, host: str | None, code: str | None, email: str | None
    ) -> None:
        """Writes the line of a call that has settled."""
        self._write(
            Line(
                time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                event="call",
                call=call,
                tool=tool,
                outcome=outcome,
                ms=round(ms, 1),
                host=host or UNSET,
                code=code or UNSET,
                user=self.user_hash(email) if email else UNSET,
            )
        )

    def _write(self, line: Line) -> None:
        text = msgspec.json.encode(line).decode() + "\n"
        with self._lock:
            try:
                stream = self._stream or sys.stderr
                stream.write(text)
                stream.flush()
            except (OSError, ValueError):
                return
