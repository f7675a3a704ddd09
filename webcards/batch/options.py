"""How a batch runs: the limits that a person sets, and how they are shared between lanes. Pure.

A lane is a part of a run that one process works on. A host's items are spread over no more lanes than the
host may be
asked at once, so that limits hold over all machines although no lane knows of another.
"""

from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

MOST_LANES = 32
RETRIED = frozenset({"WEB_FETCH_TIMEOUT", "WEB_RATE_LIMITED", "WEB_PROVIDER_ERROR", "WEB_PROVIDER_UNAVAILABLE"})
LONGEST_WAIT_MS = 15 * 60_000


class OptionsError(ValueError):
    """An option that makes no sense; the message says which, and what would."""


class Options(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The limits of a run.

    Attributes:
        concurrency: calls at once, over all hosts.
        per_host: calls at once to one host (all searches count as one host).
        delay_ms: from the start of one call to a host to the start of the next, in milliseconds.
        retries: how often a call that timed out, was refused for its rate or got no answer is tried again.
        deadline_s: seconds after which the run starts no more calls; None: no limit.
    """

    concurrency: int = 8
    per_host: int = 2
    delay_ms: int = 0
    retries: int = 1
    deadline_s: float | None = None

    def checked(self) -> "Options":
        """The options themselves. Raises OptionsError for one out of range."""
        for name, low, high in (
            ("concurrency", 1, 500),
            ("per_host", 1, 500),
            ("delay_ms", 0, 3_600_000),
            ("retries", 0, 10),
        ):
            if not low <= getattr(self, name) <= high:
                msg = f"{name.replace('_', ' ')} has to be between {low} and {high}"
                raise OptionsError(msg)
        if self.deadline_s is not None and not 0 < self.deadline_s < 366 * 86_400:
            msg = "the deadline has to be more than 0 seconds and less than a year"
            raise OptionsError(msg)
        return self

    def dump(self) -> str:
        return msgspec.json.encode(self).decode()


def read_options(text: str) -> Options:
    """What `Options.dump` wrote."""
    return msgspec.json.decode(text, type=Options)


def lane_count(options: Options, *, on_workers: bool) -> int:
    """How many lanes a run has: one in this process; on workers enough for many machines."""
    return min(options.concurrency, MOST_LANES) if on_workers else 1


def lane_of(host: str, position: int, options: Options, lanes: int) -> int:
    """The lane of an item."""
    base = int.from_bytes(blake2b(host.encode("utf-8", "replace"), digest_size=4).digest(), "big")
    return (base + position % _shares(options, lanes)) % lanes


def lane_limits(host: str, lane: int, options: Options, lanes: int) -> int:
    """How many calls to a host a lane may have at once; over all lanes they add up to `per_host`."""
    shares = _shares(options, lanes)
    first = lane_of(host, 0, options, lanes)
    share = (lane - first) % lanes
    return _part(options.per_host, share, shares) if share < shares else 0


def lane_concurrency(lane: int, options: Options, lanes: int) -> int:
    """How many calls a lane may have at once; over all lanes they add up to `concurrency`."""
    return _part(options.concurrency, lane, lanes)


def retry_wait_ms(attempts: int, details: Any) -> int:
    """How long to wait before the next attempt: what the server asked for, else two, four, eight … seconds."""
    asked = details.get("retryAfter") if isinstance(details, dict) else None
    seconds = asked if isinstance(asked, int | float) and asked >= 0 else 2.0 ** min(attempts, 9)
    return min(int(seconds * 1000), LONGEST_WAIT_MS)


def _shares(options: Options, lanes: int) -> int:
    # A delay between two calls to one host can only be kept where one lane makes them all.
    return 1 if options.delay_ms else min(options.per_host, lanes)


def _part(whole: int, index: int, parts: int) -> int:
    return whole // parts + (1 if index < whole % parts else 0)
