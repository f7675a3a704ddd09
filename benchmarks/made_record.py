"""A record of a million made calls to measure on, filled once and, if wanted, kept for the next measurement."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from tests.store.databases import cluster
from webcards.store import Store
from webcards.store.latency import bucket
from webcards.store.recording import link_hash
from webcards.store.schema import calls, payloads, sources
from webcards.store.store import now_ms

DAY = 86_400_000
DAYS = 60
HOSTS = 5_000


@contextmanager
def filled(kind: str, number: int, folder: Path) -> Iterator[tuple[str, str, int | None]]:
    """A database of so many calls in the folder, as it lies there or made now.

    Gives its URL, words on how it came, and the id of the server's first process if it has one.

    `kind` is "sqlite" or "postgresql"; the latter is a private server on loopback with its defaults (fsync on).
    """
    if kind == "sqlite":
        url = f"sqlite:///{folder}/calls-{number}.db"
        yield url, _filled(url, number), None
        return
    with cluster(folder=folder / "postgresql") as server:
        url = server.database(f"calls_{number}")
        yield url, _filled(url, number), server.process


def _filled(url: str, number: int) -> str:
    with Store.open(url) as store:
        with store.reading() as connection:
            kept = connection.execute(select(calls.c.id).limit(1)).first() is not None
        if kept:
            store.refresh()
            return "as it was kept"
        begun = time.perf_counter()
        populate(store, number)
        filled_at = time.perf_counter()
        store.refresh()
        return f"filled in {filled_at - begun:.0f} s, hours summed in {time.perf_counter() - filled_at:.1f} s"


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
