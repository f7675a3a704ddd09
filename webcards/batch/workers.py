"""Runs on many machines: Procrastinate, on the PostgreSQL that the calls are recorded in, hands out the
lanes of a run.

A job works on one lane for a while and hands it back, so that a worker that joins later gets its part.
Which jobs there
have to be follows from the runs themselves, so a worker that is killed costs a run nothing but the calls
under way.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Status
from sqlalchemy import select, text

from webcards.batch import schedule
from webcards.batch.journal import Journal
from webcards.batch.lane import Ending, Tools, run_lane
from webcards.batch.schema import run_items, runs
from webcards.serving.limits import Limit
from webcards.store import Store
from webcards.store.location import DatabaseError
from webcards.store.migrate import LOCK
from webcards.store.store import now_ms

log = logging.getLogger(__name__)

TASK = "webcards.lane"
QUEUE = "webcards"
LANES_AT_ONCE = 16
SLICE_SECONDS = 15.0
LOOK_EVERY = 1.0
HEARTBEAT_SECONDS = 5.0
DEAD_AFTER_SECONDS = 20.0


async def work(
    store: Store,
    open_tools: Callable[[], AbstractAsyncContextManager[Tools]],
    *,
    lanes_at_once: int = LANES_AT_ONCE,
    limits: Sequence[Limit] = (),
    until_idle: bool = False,
) -> None:
    """Works on the runs that are for workers until the process is told to end, or, if `until_idle`, none is
    left.

    Raises DatabaseError where the calls are not recorded in PostgreSQL.
    """
    if store.engine.dialect.name != "postgresql":
        msg = f"workers need PostgreSQL; the calls are in {store.location}. Set WEBCARDS_DATABASE_URL"
        raise DatabaseError(msg)
    conninfo = store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    app = App(connector=PsycopgConnector(conninfo=conninfo, min_size=1, max_size=6))
    async with open_tools() as tools, app.open_async():
        await asyncio.to_thread(_ensure_schema, store, app)
        journal = Journal(store)

        @app.task(name=TASK, queue=QUEUE)
        async def lane(run: int, lane: int) -> Ending:
            with contextlib.suppress(LookupError):
                return await run_lane(store, tools, run, lane, journal, slice_s=SLICE_SECONDS, limits=limits)
            return "stopped"

        looking = asyncio.create_task(_look(store, app))
        try:
            await app.run_worker_async(
                queues=[QUEUE],
                concurrency=lanes_at_once,
                wait=not until_idle,
                fetch_job_polling_interval=LOOK_EVERY,
                delete_jobs="always",
                shutdown_graceful_timeout=0.5,
                update_heartbeat_interval=HEARTBEAT_SECONDS,
                stalled_worker_timeout=DEAD_AFTER_SECONDS,
                install_signal_handlers=True,
            )
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking


def _ensure_schema(store: Store, app: App) -> None:
    """Procrastinate's own tables, made once."""
    with store.writing() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        if connection.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
            # The driver's own cursor: the script holds many statements, and signs that SQLAlchemy would read.
            connection.connection.cursor().execute(app.schema_manager.get_schema())


async def _look(store: Store, app: App) -> None:
    """Again and again: starts what is due, and sees that each lane with work left has a job."""
    while True:
        try:
            await asyncio.to_thread(lambda: schedule.start_due(store, now=now_ms(), on_workers=True))
            await _ensure_jobs(store, app)
        except Exception:
            log.exception("the runs cannot be looked at now; trying again")
        await asyncio.sleep(LOOK_EVERY)


async def _ensure_jobs(store: Store, app: App) -> None:
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=DEAD_AFTER_SECONDS):
        await manager.finish_job(job, status=Status.FAILED, delete_job=True)
    wanted = await asyncio.to_thread(_lanes_left, store)
    for status in ("todo", "doing"):
        for job in await manager.list_jobs_async(queue=QUEUE, status=status):
            wanted.discard((job.task_kwargs["run"], job.task_kwargs["lane"]))
    for run, lane in sorted(wanted):
        with contextlib.suppress(AlreadyEnqueued):
            await app.configure_task(TASK, queue=QUEUE, queueing_lock=f"{run}:{lane}").defer_async(run=run, lane=lane)


def _lanes_left(store: Store) -> set[tuple[int, int]]:
    query = (
        select(run_items.c.run, run_items.c.lane)
        .join(runs, runs.c.id == run_items.c.run)
        .where(runs.c.state == "running", runs.c.on_workers.is_(True), run_items.c.state != "settled")
        .distinct()
    )
    with store.reading() as connection:
        return {(row.run, row.lane) for row in connection.execute(query)}
