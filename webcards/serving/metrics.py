"""What Prometheus may ask of this process: calls by tool and outcome, how long they took, how many run, what was refused.

Counted where the calls run. No label holds anything that a person typed: each has a fixed, short list of values.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from webcards.contract.errors import ERROR_CODES

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
TOOLS: Final = ("web_search", "web_fetch")
OTHER: Final = "other"
SECONDS: Final = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

# When each series began doubles what is sent, and nobody asks for it.
disable_created_metrics()  # type: ignore[no-untyped-call]

Outcome = Literal["ok", "error"]
Refused = Literal["minute", "day", "role"]


class Metrics:
    """The counters of one process, in a registry of their own."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._calls = Counter("webcards_calls", "Calls that have settled", ["tool", "outcome"], registry=registry)
        self._errors = Counter(
            "webcards_call_errors", "Calls that failed, by error code", ["tool", "code"], registry=registry
        )
        self._seconds = Histogram(
            "webcards_call_seconds", "How long calls took", ["tool"], buckets=SECONDS, registry=registry
        )
        self._running = Gauge("webcards_calls_running", "Calls that run now", ["tool"], registry=registry)
        self._refused = Counter(
            "webcards_calls_refused", "Calls that a person may not start", ["reason"], registry=registry
        )
        for tool in TOOLS:
            # A series that is there from the start can be told from one that nobody counts.
            self._running.labels(tool)
            self._calls.labels(tool, "ok")
            self._calls.labels(tool, "error")
            self._seconds.labels(tool)

    @contextmanager
    def running(self, tool: str) -> Iterator[None]:
        """Counts a call as running for a while."""
        with self._running.labels(known_tool(tool)).track_inprogress():
            yield

    def settled(self, tool: str, outcome: Outcome, seconds: float, *, code: str | None = None) -> None:
        """Counts a call that has settled; `code` is its error code, if it failed."""
        known = known_tool(tool)
        self._calls.labels(known, outcome).inc()
        self._seconds.labels(known).observe(seconds)
        if code is not None:
            self._errors.labels(known, known_code(code)).inc()

    def refused(self, reason: Refused) -> None:
        """Counts a call that was not started, because whoever asked may not, or not now."""
        self._refused.labels(reason).inc()

    def text(self) -> bytes:
        """All of it as Prometheus reads it; its type is `CONTENT_TYPE`."""
        return generate_latest(self._registry)


def known_tool(name: str) -> str:
    """The tool's name, or `other`: a call may ask for any."""
    return name if name in TOOLS else OTHER


def known_code(code: str) -> str:
    """The error code, or `other`: an engine of somebody else's may raise any."""
    return code if code in ERROR_CODES else OTHER


@lru_cache(maxsize=1)
def metrics() -> Metrics:
    """The metrics of this process."""
    return Metrics()
