"""Batches in a long-lived process: goes on with what a restart broke off, starts what is due, runs what is
started.

One coroutine for the app's or the command line's event loop. Several processes may do so on one database.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from webcards.batch import batches, schedule
from webcards.batch.journal import Journal
from webcards.batch.lane import Ending, Tools, run_lane
from webcards.batch.seen import workers_seen
from webcards.serving.limits import Limit
from webcards.store import Store
from webcards.store.store import now_ms

log = logging.getLogger(__name__)

LOOK_EVERY = 2.0


class Service:
    """Runs here what is not for workers; `tools` makes the calls, within the limits of each person."""

    def __init__(self, store: Store, tools: Tools, *, limits: Sequence[Limit] = ()) -> None:
        self._store = store
        self._tools = tools
        self._limits = limits
        self._journal = Journal(store)
        self._tasks: dict[int, asyncio.Task[Ending]] = {}

    async def run(self) -> None:
        """Looks every two seconds until it is cancelled; then what is under way waits to be gone on with."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_EVERY)
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def look(self) -> None:
        """Starts what is due, and takes up each running run that nobody works on."""
        try:
            running = await asyncio.to_thread(self._running)
        except SQLAlchemyError:
            log.exception("the batches cannot be looked at now; trying again")
            return
        for run in running:
            if run not in self._tasks:
                task = asyncio.create_task(
                    run_lane(self._store, self._tools, run, 0, self._journal, limits=self._limits)
                )
                self._tasks[run] = task
                task.add_done_callback(partial(self._over, run))

    async def settled(self) -> None:
        """Waits until the runs that it has taken up have ended, for whatever reason."""
        while self._tasks:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            await asyncio.sleep(0)

    def _running(self) -> list[int]:
        schedule.start_due(self._store, now=now_ms(), on_workers=workers_seen(self._store) > 0)
        return [run.id for run in batches.list_runs(self._store, state="running") if not run.on_workers]

    def _over(self, run: int, task: "asyncio.Task[Ending]") -> None:
        self._tasks.pop(run, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("run %d was broken off and will be gone on with: %s", run, type(error).__name__)
