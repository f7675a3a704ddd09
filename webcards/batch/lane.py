"""Works on one lane of a run: takes its items in fair turn, makes the calls, and writes each down as it goes.

Whatever happens to this process, what had settled is on disk and is not done again; what was under way is.
"""

import asyncio
import contextlib
import json
import math
import time
from collections.abc import AsyncIterator, Sequence
from hashlib import blake2b
from typing import Any, Literal, Protocol

from sqlalchemy import Connection, bindparam, select, update

from webcards.batch import batches
from webcards.batch.batches import Run
from webcards.batch.journal import Journal
from webcards.batch.locks import lane_lock
from webcards.batch.options import RETRIED, lane_concurrency, lane_limits, retry_wait_ms
from webcards.batch.pacing import Pacer
from webcards.batch.schema import batch_items, run_items, runs
from webcards.contract import ToolCallEvent
from webcards.serving.limits import Limit, TooMany, broken, nth_newest_over
from webcards.store import Store
from webcards.store.driver import first_row, one_row
from webcards.store.recorder import Executed, drawn
from webcards.store.recording import plain
from webcards.store.store import now_ms
from webcards.store.writing import insert_call, settle_call

LOOK_EVERY = 0.5

# Built once: they are executed for every call.
_ITEM = select(batch_items.c.tool, batch_items.c.args).where(
    batch_items.c.batch == bindparam("of_batch"), batch_items.c.position == bindparam("at_position")
)
_OF_ITEM = update(run_items).where(
    run_items.c.run == bindparam("of_run"), run_items.c.position == bindparam("at_position")
)
_BEGIN = _OF_ITEM.values(state="running", record=bindparam("new_record"), attempts=run_items.c.attempts + 1).returning(
    run_items.c.attempts
)
_SEEN = ("status_code", "error_code", "title", "text_hash")
_END = _OF_ITEM.values(
    {
        name: bindparam(f"new_{name}", type_=run_items.c[name].type)
        for name in ("state", "due_at", "settled_at", "outcome", "elapsed_ms", *_SEEN)
    }
)

Ending = Literal["done", "paused", "stopped", "taken", "slice over"]


class Tools(Protocol):
    """Who makes the calls; the registry is one."""

    def start(self, name: str, args: object, /) -> ToolCallEvent: ...
    async def settle(self, call: ToolCallEvent, /) -> Executed: ...
    def abort(self, call: ToolCallEvent, /) -> Executed: ...


async def run_here(store: Store, tools: Tools, run: int, *, limits: Sequence[Limit] = ()) -> Ending:
    """Runs all of a run in this process, until it is done, paused or stopped. "taken" if another does so
    already.
    """
    return await run_lane(store, tools, run, 0, Journal(store), limits=limits)


async def run_lane(
    store: Store,
    tools: Tools,
    run: int,
    lane: int,
    journal: Journal,
    *,
    slice_s: float | None = None,
    limits: Sequence[Limit] = (),
) -> Ending:
    """Works on a lane until nothing is left of it, or `slice_s` seconds are over.

    `limits` is how many calls the person whose run it is may start in a while; what is more waits its time.
    Raises LookupError for a run that there is not, and what the database raises where it fails.
    """
    found = batches.get_run(store, run)
    if found is None:
        msg = f"there is no run {run}"
        raise LookupError(msg)
    with lane_lock(store.engine, run, lane) as connection:
        if connection is None:
            return "taken"
        return await _Lane(store, tools, found, lane, journal, connection, limits).work(slice_s)


class _Lane:
    def __init__(
        self,
        store: Store,
        tools: Tools,
        run: Run,
        lane: int,
        journal: Journal,
        connection: Connection,
        limits: Sequence[Limit],
    ) -> None:
        self._store = store
        self._tools = tools
        self._run = run
        self._lane = lane
        self._journal = journal
        self._connection = connection
        self._limits = limits
        self._held_until = 0
        self._room = lane_concurrency(lane, run.options, run.lanes)
        self._pacer = Pacer(lambda host: lane_limits(host, lane, run.options, run.lanes), run.options.delay_ms)
        self._active: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._failure: Exception | None = None

    async def work(self, slice_s: float | None) -> Ending:
        end = None if slice_s is None else time.monotonic() + slice_s
        await self._journal.write(self._load)
        ending: Ending = "stopped"
        try:
            ending = await self._turns(end)
        finally:
            # Stopped, or this process wants to end: what is under way is cancelled, and waits to be done
            # again.
            if ending == "stopped":
                for task in self._active:
                    task.cancel()
            if self._active:
                await asyncio.wait(self._active)
        if self._failure is not None:
            raise self._failure
        if ending == "done":
            await self._journal.write(lambda connection: batches.end_if_done(connection, self._run.id))
        return ending

    async def _turns(self, end: float | None) -> Ending:
        """Starts calls as there is room, until there is a reason to start no more."""
        async with self._watched() as state:
            while True:
                if self._failure is not None:
                    return "paused"
                if (now_state := state.get("state")) != "running":
                    return "paused" if now_state == "paused" else "stopped"
                if end is not None and time.monotonic() > end:
                    return "slice over"
                if not len(self._pacer) and not self._active:
                    return "done"
                self._woken.clear()
                wait = self._start_some()
                with contextlib.suppress(TimeoutError):
                    # Not wait_for: before Python 3.12 it may swallow a cancellation.
                    async with asyncio.timeout(wait):
                        await self._woken.wait()

    def _start_some(self) -> float:
        """Starts what may start now; gives the seconds after which it is worth another look."""
        if (held := self._held_until - now_ms()) > 0:
            return min(held / 1000, LOOK_EVERY)
        while len(self._active) < self._room and (item := self._pacer.take(now_ms())):
            task = asyncio.create_task(self._call(*item))
            self._active.add(task)
            task.add_done_callback(self._ended)
        if len(self._active) >= self._room or (next_at := self._pacer.wake_at()) is None:
            return LOOK_EVERY
        return min(max((next_at - now_ms()) / 1000, 0.001), LOOK_EVERY)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._active.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._failure = error
        self._woken.set()

    @contextlib.asynccontextmanager
    async def _watched(self) -> AsyncIterator[dict[str, str]]:
        """The run's state, read anew twice a second over the connection that holds the lock."""
        state = {"state": await asyncio.to_thread(self._state)}

        async def watch() -> None:
            while True:
                await asyncio.sleep(LOOK_EVERY)
                seen = await asyncio.to_thread(self._state)
                if seen != state["state"]:
                    state["state"] = seen
                    self._woken.set()

        def watched(task: "asyncio.Task[None]") -> None:
            # Without the connection the lock is gone, and another may work on this lane.
            if not task.cancelled() and isinstance(error := task.exception(), Exception):
                self._failure = error
                self._woken.set()

        task = asyncio.create_task(watch())
        task.add_done_callback(watched)
        try:
            yield state
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task

    def _state(self) -> str:
        row = self._connection.execute(
            select(runs.c.state, runs.c.started_at).where(runs.c.id == self._run.id)
        ).one_or_none()
        if row is None:
            return "stopped"
        deadline = self._run.options.deadline_s
        if row.state == "running" and deadline is not None and now_ms() > row.started_at + deadline * 1000:
            batches.stop(self._store, self._run.id, reason=f"the deadline of {deadline:g} s was over")
            return "stopped"
        return str(row.state)

    def _load(self, connection: Connection) -> None:
        """Lets the lane's unsettled items wait; one that was under way when its process ended is done
        again.
        """
        mine = (run_items.c.run == self._run.id, run_items.c.lane == self._lane)
        connection.execute(update(run_items).where(*mine, run_items.c.state == "running").values(state="waiting"))
        waiting = (
            select(run_items.c.position, run_items.c.due_at, batch_items.c.host)
            .join(
                batch_items,
                (batch_items.c.position == run_items.c.position) & (batch_items.c.batch == self._run.batch),
            )
            .where(*mine, run_items.c.state == "waiting")
            .order_by(run_items.c.position)
        )
        for position, due_at, host in connection.execute(waiting).all():
            self._pacer.add(position, host, due_at)

    async def _call(self, position: int, host: str) -> None:
        try:
            begun = await self._journal.write(lambda connection: self._begin(connection, position))
            if isinstance(begun, TooMany):
                self._held_until = math.ceil(begun.again_at * 1000)
                self._pacer.add(position, host, self._held_until)
                return
            call, record, attempts = begun
            self._pacer.started(host, now_ms())
            self._woken.set()
            try:
                executed = await self._tools.settle(call)
            except asyncio.CancelledError:
                aborted = self._tools.abort(call)
                await self._journal.write(lambda connection: self._end(connection, position, record, aborted, due_at=0))
                raise
            due_at = self._retry_at(executed, attempts)
            await self._journal.write(
                lambda connection: self._end(connection, position, record, executed, due_at=due_at)
            )
            if due_at is not None:
                self._pacer.add(position, host, due_at)
        finally:
            self._pacer.done(host)

    def _retry_at(self, executed: Executed, attempts: int) -> int | None:
        error = executed.result.data.error
        if not hasattr(error, "code") or error.code not in RETRIED or attempts > self._run.options.retries:
            return None
        return now_ms() + retry_wait_ms(attempts, executed.result.data.details)

    def _begin(self, connection: Connection, position: int) -> tuple[ToolCallEvent, int, int] | TooMany:
        """Writes that the call of an item starts, unless whose run it is has started as many as one person may."""
        if self._run.person is not None and self._limits:
            late = broken(self._limits, nth_newest_over(connection), self._run.person, now_ms() / 1000)
            if late is not None:
                return late
        tool, args = one_row(connection, _ITEM, {"of_batch": self._run.batch, "at_position": position})
        call = self._tools.start(tool, json.loads(args))
        now = now_ms()
        record = insert_call(
            connection,
            call,
            source="batch",
            person=self._run.person,
            run=self._run.id,
            started_at=now,
            now=now,
        )
        begun = {"of_run": self._run.id, "at_position": position, "new_record": record}
        (attempts,) = one_row(connection, _BEGIN, begun)
        return call, record, attempts

    def _end(
        self, connection: Connection, position: int, record: int, executed: Executed, *, due_at: int | None
    ) -> None:
        """Writes the result; an item that is to be tried again (`due_at`) waits, any other has settled."""
        now = now_ms()
        kind, fallback = drawn(executed)
        event = plain(executed.result)
        failed = executed.result.result.is_error
        settle_call(
            connection,
            record,
            event,
            elapsed_ms=executed.elapsed_ms,
            view_kind=kind,
            fallback=fallback,
            details=None,
            settled_at=now,
            now=now,
        )
        values = _seen(event) | {
            "state": "settled" if due_at is None else "waiting",
            "due_at": due_at or 0,
            "settled_at": now if due_at is None else None,
            "outcome": "error" if failed else "ok",
            "elapsed_ms": executed.elapsed_ms,
        }
        ended = {f"new_{name}": value for name, value in values.items()}
        first_row(connection, _END, {"of_run": self._run.id, "at_position": position, **ended})


def _seen(event: dict[str, Any]) -> dict[str, Any]:
    """What two runs are compared by: status, error, title, and a hash of the text."""
    data = event.get("data", {})
    meta = data.get("meta") or {}
    details = data.get("details") or {}
    sources = meta.get("sources")
    block = data["message"]["content"][0]
    text = "\n".join(part.get("text", "") for part in block["content"])
    if isinstance(sources, list):
        # The engine's order and snippets change from day to day; what was found is the list of addresses.
        text = "\n".join(sorted(source["url"] for source in sources))
        title = sources[0].get("title") if sources else None
    else:
        # The first line names URL and status, which are compared apart.
        text = text.partition("\n")[2]
        title = details.get("title")
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return {
        "status_code": meta.get("statusCode"),
        "error_code": (data.get("error") or {}).get("code"),
        "title": title.replace("\0", "")[:500] if isinstance(title, str) else None,
        "text_hash": int.from_bytes(digest, "big", signed=True),
    }
