"""How the benchmarks measure and print: medians of runs that take turns, and tables that say what machine they are from."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime


def medians(ways: Mapping[str, Callable[[], object]], *, rounds: int = 15) -> dict[str, float]:
    """The median seconds of each way. The ways take turns, so that a busy moment of the machine hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(runs) for name, runs in seconds.items()}


def machine() -> str:
    """One line on the machine and the day."""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
