"""How fast the record answers and writes: every dashboard query over a million calls, the page's first paint, and calls
recorded a second.

    python -m benchmarks.store [--calls N] [--only sqlite|postgresql] [--part questions|page|recording] [--keep FOLDER]

The PostgreSQL is a private one on loopback with its defaults (fsync on). `--keep` lets the databases lie in a folder, where
the next measurement finds them. Beside the time by the clock stands the processor's, ours and the server's: where other work
keeps the machine busy, that is what the clock would say alone.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from benchmarks.figures import machine
from benchmarks.made_record import filled
from components.dashboard.overview import ask
from tests.store.databases import postgres_programs
from tests.store.events import fetch_call, fetched, found, search_call
from webcards.store import Filter, Store, alerts, figures, links
from webcards.store.calls import list_calls
from webcards.store.store import now_ms

ROUNDS = 5
SPANS = ("1h", "24h", "7d", "30d", "all")


def questions() -> dict[str, Callable[[Any, Filter, int], object]]:
    """Every query that the dashboard asks, by its figure's name."""
    asked: dict[str, Callable[[Any, Filter, int], object]] = {
        "totals": lambda c, f, now: figures.totals(c, f, now=now),
        "over time": lambda c, f, now: figures.over_time(c, f, now=now),
        "latency": lambda c, f, now: figures.latency(c, f, now=now),
        "slowest": lambda c, f, now: list_calls(c, f, now=now, order="slowest", limit=10),
        "largest": lambda c, f, now: list_calls(c, f, now=now, order="largest", limit=10),
        "newest": lambda c, f, now: list_calls(c, f, now=now),
        "top hosts": lambda c, f, now: figures.top_hosts(c, f, now=now),
        "dead links": lambda c, f, now: links.dead_links(c, f, now=now),
        "alerts": lambda c, _f, now: alerts.raised(c, now=now),
    }
    for dimension in ("tool", "provider", "source", "error_code", "fallback", "truncated", "status_class"):
        asked[f"by {dimension}"] = lambda c, f, now, d=dimension: figures.by(c, d, f, now=now)  # type: ignore[misc]
    return asked


FILTERS = {
    "nothing": {},
    "tool": {"tool": "web_fetch"},
    "provider": {"provider": "library"},
    "ok": {"outcome": "ok"},
    "error": {"error_code": "WEB_RATE_LIMITED"},
    "fell back": {"fell_back": True},
    "host": {"host": "host-3.example"},
    "person": {"person": "person-3@harbour.example"},
}


class Clock:
    """What a piece of work took: by the clock, and of the processors, ours and the database server's. In milliseconds."""

    def __init__(self, server: int | None) -> None:
        self._server = server

    def measure(self, work: Callable[[], object]) -> tuple[float, float]:
        cpu, began = self.spent(), time.perf_counter()
        work()
        return (time.perf_counter() - began) * 1000, self.spent() - cpu

    def spent(self) -> float:
        """Milliseconds of processor that this process and the server's have used."""
        own = time.process_time() * 1000
        if self._server is None:
            return own
        first = psutil.Process(self._server)
        # Of connections that have ended, their parent knows.
        ended = first.cpu_times()
        own += (ended.children_user + ended.children_system) * 1000
        return float(own + sum(_ran(process.pid) for process in (first, *first.children())))


def _ran(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
    except OSError:
        return 0.0


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def measure_questions(store: Store, clock: Clock) -> None:
    """Asks everything over each range and filter; prints the median, the 95th percentile and the worst of a figure."""
    with store.writing() as connection:
        alerts.save_alert(
            connection, name="", measure="fell_back", above=0.01, wanted=Filter(span="1h"), at_least=1, now=1
        )
    print(f"{'figure, in ms':<18}{'median':>8}{'p95':>8}{'worst':>8}{'p95 cpu':>9}  worst at")
    everything: list[tuple[float, float]] = []
    for name, question in questions().items():
        times: list[tuple[float, float, str]] = []
        for span in SPANS:
            for label, fields in FILTERS.items():
                wanted = Filter(span=span, **fields)  # type: ignore[arg-type]

                def asked(wanted: Filter = wanted, question: Any = question) -> None:
                    store.refresh()
                    with store.reading() as connection:
                        question(connection, wanted, now_ms())

                times += [(*clock.measure(asked), f"{span}, {label}") for _ in range(ROUNDS)]
        everything += [(wall, cpu) for wall, cpu, _ in times]
        _line(name, [wall for wall, _, _ in times], [cpu for _, cpu, _ in times], max(times)[2])
    _line("all", [wall for wall, _ in everything], [cpu for _, cpu in everything])


def measure_page(store: Store, clock: Clock) -> None:
    """Asks all that one page shows."""
    for span in ("24h", "30d", "all"):
        work: Callable[[], object] = lambda span=span: ask(store, Filter(span=span), "tool", now=now_ms(), zone=None)  # type: ignore[misc] # noqa: E731
        times = [clock.measure(work) for _ in range(ROUNDS)]
        _line(f"all of it, {span}", [wall for wall, _ in times], [cpu for _, cpu in times])


def measure_paint(url: str) -> None:
    """Opens the page in a fresh Chromium: when it is first painted, and when its figures stand there."""
    from playwright.sync_api import sync_playwright

    from benchmarks.ui import OURS, served
    from tests.browser.conftest import CHROMIUM, FLAGS

    if not Path(CHROMIUM).exists():
        print(f"first paint: {CHROMIUM} is not there, left out")
        return
    os.environ["WEBCARDS_DATABASE_URL"] = url
    with (
        tempfile.TemporaryDirectory() as folder,
        served(OURS, Path(folder)) as (address, _),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for span in ("24h", "24h", "30d", "all"):
            page = browser.new_context().new_page()
            began = time.perf_counter()
            page.goto(f"{address}/dashboard?span={span}")
            page.get_by_test_id("stMetric").first.wait_for()
            figures_at = time.perf_counter() - began
            paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
            print(f"the page, {span}: first paint after {paint:.2f} s, figures after {figures_at:.2f} s")
            page.context.close()
        browser.close()


def _line(name: str, walls: list[float], cpus: list[float], worst: str = "") -> None:
    numbers = f"{statistics.median(walls):>8.1f}{_percentile(walls, 0.95):>8.1f}{max(walls):>8.1f}"
    print(f"{name:<18}{numbers}{_percentile(cpus, 0.95):>9.1f}  {worst}", flush=True)


def _record(url: str, start: Any, seconds: float, callers: int, done: Any) -> None:
    urls = [f"https://host-{n}.example/page" for n in range(8)]
    page = "A page's text, of the length that many pages have. " * 100
    spent: list[float] = []
    with Store.open(url) as store:

        def record(number: int) -> None:
            if number % 2:
                made = store.start(search_call("tide tables"), source="mcp")
                store.settle(made, found(*urls), elapsed_ms=200, view_kind="search")
            else:
                made = store.start(fetch_call(urls[0]), source="mcp")
                store.settle(made, fetched(urls[0], text=page), elapsed_ms=200, view_kind="fetch")

        def go_on() -> None:
            number = 0
            while (begun := time.perf_counter()) < end:
                number += 1
                record(number)
                spent.append((time.perf_counter() - begun) * 1000)

        # What a process loads and prepares once is no part of a call.
        for number in range(20):
            record(number)
        threads = [threading.Thread(target=go_on) for _ in range(callers)]
        start.wait()
        cpu, end = time.process_time(), time.perf_counter() + seconds
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done.put((len(spent), spent, (time.process_time() - cpu) * 1000))


def measure_recording(url: str, processes: int, callers: int, clock: Clock, seconds: float = 5) -> None:
    """Records from several processes at once, each with so many calls in flight; prints calls a second and what recording
    adds to one call.
    """
    spawn = multiprocessing.get_context("spawn")
    start, done = spawn.Barrier(processes + 1), spawn.Queue()
    workers = [spawn.Process(target=_record, args=(url, start, seconds, callers, done)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    start.wait()
    before, began = clock.spent(), time.perf_counter()
    results = [done.get(timeout=120) for _ in workers]
    took = time.perf_counter() - began
    server = clock.spent() - before
    for worker in workers:
        worker.join()
    spent = [value for _, times, _ in results for value in times]
    number = sum(count for count, _, _ in results)
    own = sum(cpu for _, _, cpu in results)
    alone = 1000 * (os.cpu_count() or 1) * number / (own + server)
    print(
        f"recording, {processes} process(es) of {callers}: {number / took:,.0f} calls/s; start and settle together "
        f"{statistics.median(spent):.2f} ms at the median, {_percentile(spent, 0.95):.2f} at p95; "
        f"processor a call: {own / number:.2f} ms ours, {server / number:.2f} ms the server's, "
        f"by which {os.cpu_count()} cores alone could do {alone:,.0f} calls/s; "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--part", choices=["questions", "page", "recording"])
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    for kind in ("sqlite", "postgresql"):
        if arguments.only not in {None, kind}:
            continue
        if kind == "postgresql" and postgres_programs() is None:
            print("postgresql: not installed, left out")
            continue
        with ExitStack() as opened:
            folder = arguments.keep or Path(opened.enter_context(tempfile.TemporaryDirectory()))
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)  # for the server, which runs as a user of its own
            url, how, server = opened.enter_context(filled(kind, arguments.calls, folder))
            clock = Clock(server)
            print(f"\n{kind}: {arguments.calls:,} calls, {how}. {machine()}", flush=True)
            with Store.open(url) as store:
                if arguments.part in {None, "questions"}:
                    measure_questions(store, clock)
                if arguments.part in {None, "page"}:
                    measure_page(store, clock)
            if arguments.part in {None, "page"}:
                measure_paint(url)
            if arguments.part in {None, "recording"}:
                # A tool takes a tenth of a second at least: 1,000 calls a second are 12 in flight in each of 8 processes.
                for processes, callers in ((1, 1), (8, 1), (8, 12)):
                    measure_recording(url, processes, callers, clock)
            print(f"load {os.getloadavg()[0]:.1f}")
            if kind == "sqlite":
                print(f"file: {Path(url.removeprefix('sqlite:///')).stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
