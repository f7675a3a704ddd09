"""Batches and their runs as they stand in the database: made, started, paused, resumed, stopped, looked at.

Nothing here makes a call; lane.py does.
"""

import json
from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection, case, delete, func, insert, select, update

from webcards.batch.items import Item
from webcards.batch.options import Options, lane_count, lane_of, read_options
from webcards.batch.schema import batch_items, batches, run_items, runs
from webcards.store import Store
from webcards.store.store import now_ms

State = Literal["running", "paused", "stopped", "done"]
RATE_OVER_MS = 30_000
AT_ONCE = 5_000


class Batch(Struct, frozen=True):
    """A list of calls with its options. `daily_at` ("02:30" in `zone`) and `next_at` are its schedule, if
    it has one.
    """

    id: int
    name: str
    person: str | None
    created_at: int
    options: Options
    items: int
    daily_at: str | None
    zone: str | None
    next_at: int | None


class Run(Struct, frozen=True):
    """One run of a batch, here or on workers. `reason` says in words why it stopped, if it did not end by
    itself.
    """

    id: int
    batch: int
    person: str | None
    options: Options
    state: State
    reason: str | None
    lanes: int
    on_workers: bool
    started_at: int
    ended_at: int | None


class Progress(Struct, frozen=True):
    """How far a run is: items by state, calls settled a second over the last half minute, seconds left at
    that rate.
    """

    total: int
    settled: int
    errors: int
    running: int
    waiting: int
    rate: float
    seconds_left: float | None


class Result(Struct, frozen=True):
    """One item of a run; `record` is the id of its recorded call, once it has started."""

    position: int
    tool: str
    args: dict[str, Any]
    state: str
    attempts: int
    record: int | None
    outcome: str | None
    status_code: int | None
    error_code: str | None
    title: str | None
    elapsed_ms: float | None

    @property
    def subject(self) -> str:
        """The URL, or the query."""
        queries = self.args.get("queries")
        return str(self.args.get("url") or self.args.get("query") or ", ".join(map(str, queries or [])))


def create(store: Store, name: str, items: Iterable[Item], options: Options, *, person: str | None = None) -> int:
    """Keeps a batch; gives its id. Raises OptionsError for options out of range, ValueError for no items."""
    options.checked()
    listed = list(items)
    if not listed:
        msg = "the batch is empty: no line of it is a URL or a query"
        raise ValueError(msg)
    row = {
        "name": name.strip() or "Batch",
        "person": person,
        "created_at": now_ms(),
        "options": options.dump(),
        "items": len(listed),
    }
    with store.writing() as connection:
        batch = _made(connection, batches, row)
        for start in range(0, len(listed), AT_ONCE):
            rows = [
                {"batch": batch, "position": number, "tool": item.tool, "args": item.args}
                | {"host": item.host, "key": item.key}
                for number, item in enumerate(listed[start : start + AT_ONCE], start=start + 1)
            ]
            connection.execute(insert(batch_items), rows)
    return batch


def list_batches(store: Store) -> list[Batch]:
    """All batches, newest first."""
    with store.reading() as connection:
        return [_batch(row) for row in connection.execute(select(batches).order_by(batches.c.id.desc()))]


def get_batch(store: Store, batch: int) -> Batch | None:
    """The batch; None if there is none of that id."""
    with store.reading() as connection:
        row = connection.execute(select(batches).where(batches.c.id == batch)).one_or_none()
    return _batch(row) if row else None


def delete_batch(store: Store, batch: int) -> bool:
    """Deletes a batch and its runs; the recorded calls stay. False if there is none of that id."""
    with store.writing() as connection:
        return bool(connection.execute(delete(batches).where(batches.c.id == batch)).rowcount)


def start_run(
    store: Store, batch: int, *, options: Options | None = None, on_workers: bool = False, person: str | None = None
) -> int:
    """Makes a run of a batch, with the batch's options or others; gives its id. Raises LookupError for no
    such batch.
    """
    found = get_batch(store, batch)
    if found is None:
        msg = f"there is no batch {batch}"
        raise LookupError(msg)
    options = (options or found.options).checked()
    lanes = lane_count(options, on_workers=on_workers)
    row = {
        "batch": batch,
        "person": person,
        "options": options.dump(),
        "state": "running",
        "lanes": lanes,
        "on_workers": on_workers,
        "started_at": now_ms(),
    }
    with store.writing() as connection:
        run = _made(connection, runs, row)
        items = connection.execute(
            select(batch_items.c.position, batch_items.c.host).where(batch_items.c.batch == batch)
        ).all()
        rows = [
            {"run": run, "position": item.position, "state": "waiting", "attempts": 0, "due_at": 0}
            | {"lane": lane_of(item.host, item.position, options, lanes)}
            for item in items
        ]
        for start in range(0, len(rows), AT_ONCE):
            connection.execute(insert(run_items), rows[start : start + AT_ONCE])
    return run


def list_runs(store: Store, batch: int | None = None, *, state: State | None = None) -> list[Run]:
    """The runs, newest first."""
    query = select(runs).order_by(runs.c.id.desc())
    if batch is not None:
        query = query.where(runs.c.batch == batch)
    if state is not None:
        query = query.where(runs.c.state == state)
    with store.reading() as connection:
        return [_run(row) for row in connection.execute(query)]


def get_run(store: Store, run: int) -> Run | None:
    """The run; None if there is none of that id."""
    with store.reading() as connection:
        row = connection.execute(select(runs).where(runs.c.id == run)).one_or_none()
    return _run(row) if row else None


def pause(store: Store, run: int) -> bool:
    """No more calls start; those under way end. False if the run was not running."""
    return _turn(store, run, {"running"}, state="paused", reason=None)


def stop(store: Store, run: int, *, reason: str | None = None) -> bool:
    """No more calls start, those under way are cancelled. False if the run had ended."""
    return _turn(store, run, {"running", "paused"}, state="stopped", reason=reason, ended_at=now_ms())


def resume(store: Store, run: int) -> bool:
    """The run goes on where it was; somebody has to run its lanes. False if it was not paused or stopped."""
    return _turn(store, run, {"paused", "stopped"}, state="running", reason=None, ended_at=None)


def end_if_done(connection: Connection, run: int) -> bool:
    """Closes a run whose items have all settled. True if this call closed it."""
    left = select(run_items.c.position).where(run_items.c.run == run, run_items.c.state != "settled").limit(1)
    if connection.execute(left).first() is not None:
        return False
    ended = update(runs).where(runs.c.id == run, runs.c.state == "running").values(state="done", ended_at=now_ms())
    return bool(connection.execute(ended).rowcount)


def progress(store: Store, run: int) -> Progress:
    """How far the run is."""
    now = now_ms()
    columns = run_items.c
    recent = func.sum(case((columns.settled_at >= now - RATE_OVER_MS, 1), else_=0))
    query = (
        select(columns.state, columns.outcome, func.count(), recent)
        .where(columns.run == run)
        .group_by(columns.state, columns.outcome)
    )
    counts = {"settled": 0, "errors": 0, "running": 0, "waiting": 0}
    lately = 0
    with store.reading() as connection:
        began = connection.execute(select(runs.c.started_at).where(runs.c.id == run)).scalar() or now
        for state, outcome, number, late in connection.execute(query):
            counts[state] += number
            counts["errors"] += number if state == "settled" and outcome == "error" else 0
            lately += int(late or 0)
    rate = lately / max(min(now - began, RATE_OVER_MS) / 1000, 1)
    left = counts["running"] + counts["waiting"]
    return Progress(
        counts["settled"] + left,
        counts["settled"],
        counts["errors"],
        counts["running"],
        counts["waiting"],
        rate,
        left / rate if rate else None,
    )


def results(
    store: Store,
    run: int,
    *,
    after: int = 0,
    limit: int = 50,
    outcome: str | None = None,
    state: str | None = None,
) -> list[Result]:
    """The items of a run in their order, those after a position."""
    query = (
        select(
            run_items.c.position,
            batch_items.c.tool,
            batch_items.c.args,
            *(run_items.c[name] for name in Result.__struct_fields__[3:]),
        )
        .select_from(run_items)
        .join(runs, runs.c.id == run_items.c.run)
        .join(
            batch_items,
            (batch_items.c.batch == runs.c.batch) & (batch_items.c.position == run_items.c.position),
        )
        .where(run_items.c.run == run, run_items.c.position > after)
        .order_by(run_items.c.position)
        .limit(limit)
    )
    if outcome is not None:
        query = query.where(run_items.c.outcome == outcome)
    if state is not None:
        query = query.where(run_items.c.state == state)
    with store.reading() as connection:
        return [
            Result(position, tool, json.loads(args), *rest) for position, tool, args, *rest in connection.execute(query)
        ]


def _turn(store: Store, run: int, before: set[str], **values: Any) -> bool:
    with store.writing() as connection:
        turned = update(runs).where(runs.c.id == run, runs.c.state.in_(before)).values(**values)
        return bool(connection.execute(turned).rowcount)


def _made(connection: Connection, table: Any, row: dict[str, Any]) -> int:
    identity = connection.execute(insert(table), row).inserted_primary_key
    assert identity is not None
    return int(identity[0])


def _batch(row: Any) -> Batch:
    return Batch(**{**row._mapping, "options": read_options(row.options)})


def _run(row: Any) -> Run:
    return Run(**{**row._mapping, "options": read_options(row.options)})
