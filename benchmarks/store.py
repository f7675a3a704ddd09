"""How fast the record answers and writes: every dashboard query over a million calls, and calls recorded a
second.

    python -m benchmarks.store [--calls N] [--only sqlite|postgresql] [--keep FOLDER]

Prints one table a database; the PostgreSQL is a private one on loopback with its defaults (fsync on).
"""

import argparse
import multiprocessing
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from components.dashboard.overview import ask
from tests.store.databases import cluster, postgres_programs
from tests.store.events import fetch_call, fetched, found, search_call
from webcards.store import Filter, Store, alerts, figures, links
from webcards.store.calls import list_calls
from webcards.store.latency import bucket
from webcards.store.recording import link_hash
from webcards.store.schema import calls, payloads, sources
from webcards.store.store import now_ms

DAY = 86_400_000
DAYS = 60
HOSTS = 5_000
ROUNDS = 5


def made_calls(number: int, now: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Calls as a team makes them: half searches, hosts by Zipf's law, busy days, 6 % errors, a few
    fallbacks.
    """
    pick = random.Random(1)
    hosts = [f"host-{n}.example" for n in range(HOSTS)]
    weights = [1 / (n + 1) for n in range(HOSTS)]
    drawn = pick.choices(hosts, weights, k=1 << 16)
    people = [None, *(f"person-{n}@harbour.example" for n in range(20))]
    for record in range(1, number + 1):
        started = now - int(DAYS * DAY * (1 - record / number)) - pick.randrange(60_000)
        ms = pick.lognormvariate(6, 1)
        search = pick.random() < 0.5
        outcome = pick.choices(["ok", "error", "unfinished"], [93, 6, 1])[0]
        ok = outcome == "ok"
        fell_back = ok and pick.random() < 0.005
        host = drawn[pick.randrange(1 << 16)]
        status = pick.choices([200, 301, 404, 500], [90, 2, 6, 2])[0] if ok and not search else None
        row = {
            "id": record, "call_id": f"c{record}", "started_at": started,
            "settled_at": None if outcome == "unfinished" else started + int(ms),
            "source": pick.choice(["app", "batch", "batch", "mcp"]), "person": pick.choice(people), "run_id": None,
            "tool": "web_search" if search else "web_fetch",
            "provider": pick.choice(["duckduckgo", "library", "searxng"]) if search else "direct",
            "host": None if search else host,
            "url": None if search else f"https://{host}/{pick.randrange(2000)}",
            "query": f"query {pick.randrange(50_000)}" if search else None,
            "outcome": outcome, "status_code": status, "status_class": status // 100 if status else None,
            "error_code": pick.choice(["WEB_FETCH_TIMEOUT", "WEB_RATE_LIMITED", "WEB_PROVIDER_ERROR"])
            if outcome == "error" else None,
            "truncated": pick.random() < 0.1 if ok else None, "fell_back": fell_back,
            "fallback": "$.sources[].title: expected str" if fell_back else None,
            "fallback_path": "$.sources[3].title" if fell_back else None,
            "fallback_reason": "expected str" if fell_back else None,
            "view_kind": None, "dead": status in {404, 500}, "elapsed_ms": None if outcome == "unfinished" else ms,
            "latency": None if outcome == "unfinished" else bucket(ms),
            "bytes": pick.randrange(200_000) if ok else None, "sources": 8 if ok and search else None, "stored": 700,
        }  # fmt: skip
        cited = []
        if ok and search:
            for position in range(1, 9):
                name = drawn[pick.randrange(1 << 16)]
                url = f"https://{name}/{pick.randrange(2000)}"
                cited.append({"call": record, "position": position, "host": name, "url": url, "link": link_hash(url)})
        yield row, cited


def populate(store: Store, number: int) -> None:
    """Fills the tables as fast as the database takes it."""
    payload = b"x" * 500
    rows: list[dict[str, Any]] = []
    cited: list[dict[str, Any]] = []
    for made in made_calls(number, now_ms()):
        rows.append(made[0])
        cited += made[1]
        if len(rows) == 20_000 or made[0]["id"] == number:
            events = [{"call": row["id"], "call_event": payload, "result_event": payload} for row in rows]
            with store.writing() as connection:
                for table, values in ((calls, rows), (payloads, events), (sources, cited)):
                    if store.engine.dialect.name == "postgresql":
                        _copy(connection, table, values)
                    else:
                        connection.execute(insert(table), values)
            rows, cited = [], []
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if store.engine.dialect.name == "postgresql":
            connection.exec_driver_sql(
                "SELECT setval(pg_get_serial_sequence('calls', 'id'), (SELECT max(id) FROM calls))"
            )
        connection.exec_driver_sql("ANALYZE")


def _copy(connection: Any, table: Any, values: list[dict[str, Any]]) -> None:
    names = [column.name for column in table.columns]
    columns = ", ".join(f'"{name}"' for name in names)
    with connection.connection.cursor().copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
        for value in values:
            copy.write_row([value.get(name) for name in names])


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


def measure_questions(store: Store) -> None:
    """Asks everything over each range and filter; prints the 50th and 95th percentile and the worst a
    figure.
    """
    with store.writing() as connection:
        alerts.save_alert(
            connection, name="", measure="fell_back", above=0.01, wanted=Filter(span="1h"), at_least=1, now=1
        )
    print(f"{'figure':<18}{'median ms':>10}{'p95 ms':>9}{'worst ms':>10}  worst at")
    everything: list[float] = []
    for name, question in questions().items():
        times: list[tuple[float, str]] = []
        for span in ("1h", "24h", "7d", "30d", "all"):
            for label, fields in FILTERS.items():
                wanted = Filter(span=span, **fields)  # type: ignore[arg-type]
                for _ in range(ROUNDS):
                    now = now_ms()
                    start = time.perf_counter()
                    store.refresh()
                    with store.reading() as connection:
                        question(connection, wanted, now)
                    times.append(((time.perf_counter() - start) * 1000, f"{span}, {label}"))
        values = sorted(times)
        everything += [value for value, _ in times]
        worst = values[-1]
        p95 = values[int(len(values) * 0.95)][0]
        print(f"{name:<18}{values[len(values) // 2][0]:>10.1f}{p95:>9.1f}{worst[0]:>10.1f}  {worst[1]}")
    for span in ("24h", "30d", "all"):
        page = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            ask(store, Filter(span=span), "tool", now=now_ms(), zone=None)
            page.append((time.perf_counter() - start) * 1000)
        print(f"{f'the whole page, {span}':<28}{statistics.median(page):>8.0f}{max(page):>19.1f}")
    print(f"{'all':<18}{statistics.median(everything):>10.1f}{sorted(everything)[int(len(everything) * 0.95)]:>9.1f}")


def _record(url: str, start: Any, seconds: float, done: Any) -> None:
    urls = [f"https://host-{n}.example/page" for n in range(8)]
    page = "A page's text, of the length that many pages have. " * 100
    with Store.open(url) as store:
        start.wait()
        end = time.perf_counter() + seconds
        number, spent = 0, []
        while time.perf_counter() < end:
            number += 1
            begun = time.perf_counter()
            if number % 2:
                record = store.start(search_call("tide tables"), source="mcp")
                store.settle(record, found(*urls), elapsed_ms=200, view_kind="search")
            else:
                record = store.start(fetch_call(urls[0]), source="mcp")
                store.settle(record, fetched(urls[0], text=page), elapsed_ms=200, view_kind="fetch")
            spent.append(time.perf_counter() - begun)
        done.put((number, spent))


def measure_recording(url: str, processes: int, seconds: float = 5) -> None:
    """Records from several processes at once; prints calls a second and what recording adds to one call."""
    spawn = multiprocessing.get_context("spawn")
    start, done = spawn.Barrier(processes), spawn.Queue()
    workers = [spawn.Process(target=_record, args=(url, start, seconds, done)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    results = [done.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join()
    spent = sorted(value * 1000 for _, times in results for value in times)
    rate = sum(number for number, _ in results) / seconds
    print(
        f"recording, {processes} process(es): {rate:,.0f} calls/s; "
        f"start and settle together {spent[len(spent) // 2]:.2f} ms at the median, {spent[int(len(spent) * 0.95)]:.2f} at p95"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    arguments = parser.parse_args()
    for kind in ("sqlite", "postgresql"):
        if arguments.only not in {None, kind}:
            continue
        if kind == "postgresql" and postgres_programs() is None:
            print("postgresql: not installed, left out")
            continue
        with (
            cluster() if kind == "postgresql" else nullcontext() as server,
            tempfile.TemporaryDirectory() as folder,
        ):
            url = server.new_database() if server else f"sqlite:///{folder}/calls.db"
            with Store.open(url) as store:
                begun = time.perf_counter()
                populate(store, arguments.calls)
                filled = time.perf_counter()
                store.refresh()
                print(
                    f"\n{kind}: {arguments.calls:,} calls over {DAYS} days; filled in {filled - begun:.0f} s, "
                    f"hours summed in {time.perf_counter() - filled:.1f} s"
                )
                measure_questions(store)
            for processes in (1, 8):
                measure_recording(url, processes)
            if kind == "sqlite":
                print(f"file: {Path(folder, 'calls.db').stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
