"""Keeps a server's batches going from its first moment, whether or not anybody opens a page, and its record within
limits.

A thread with an event loop of its own; it waits for a database that does not answer yet.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Iterator

from sqlalchemy.exc import SQLAlchemyError

from webcards.batch.service import Service
from webcards.contract import WebError
from webcards.serving.limits import limits_of
from webcards.settings import Settings
from webcards.store import Store
from webcards.store.location import DatabaseError
from webcards.store.opening import keep_limits, open_store
from webcards.tools.opening import open_registry

log = logging.getLogger(__name__)

TRY_AGAIN_SECONDS = 15.0
LIMITS_EVERY_SECONDS = 3600.0

_running = threading.Event()


def is_running() -> bool:
    """Whether this process keeps batches going already."""
    return _running.is_set()


@contextlib.contextmanager
def batches_kept_going(settings: Settings) -> Iterator[None]:
    """Keeps them going for as long as the block lasts; then what is under way waits for the next process."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(_keep(settings))

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        loop.close()

    thread = threading.Thread(target=run, name="webcards-batches", daemon=True)
    thread.start()
    _running.set()
    try:
        yield
    finally:
        _running.clear()
        loop.call_soon_threadsafe(task.cancel)
        thread.join(timeout=10)


async def _keep(settings: Settings) -> None:
    while True:
        try:
            limits = limits_of(settings.calls_per_minute, settings.calls_per_day)
            with await asyncio.to_thread(open_store, settings) as store:
                async with open_registry(settings) as tools, asyncio.TaskGroup() as both:
                    both.create_task(Service(store, tools, limits=limits).run())
                    both.create_task(_limit(store, settings))
        except (DatabaseError, SQLAlchemyError, WebError, ExceptionGroup) as error:
            log.warning("the batches wait: %s", error if isinstance(error, DatabaseError) else type(error).__name__)
        await asyncio.sleep(TRY_AGAIN_SECONDS)


async def _limit(store: Store, settings: Settings) -> None:
    """Once an hour, deletes what is older or more than the settings keep."""
    while True:
        try:
            gone = await asyncio.to_thread(keep_limits, store, settings)
        except SQLAlchemyError as error:
            log.warning("old calls could not be deleted: %s", type(error).__name__)
        else:
            if gone:
                log.info("%d calls past their limits were deleted", gone)
        await asyncio.sleep(LIMITS_EVERY_SECONDS)
