"""Whether this process can do its work: its database answers.

Anybody may ask, as often as they like, so it is looked up at most once a second.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from webcards.store import Store
from webcards.store.location import DatabaseError

FRESH_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 5.0

log = logging.getLogger(__name__)


class Readiness:
    """Belongs to one event loop. `open_store` is called until it gives a store, which is then kept."""

    def __init__(
        self, open_store: Callable[[], Store], *, patience: float = PATIENCE_SECONDS, fresh: float = FRESH_SECONDS
    ) -> None:
        """`patience` is how long an answer may take, `fresh` how long it holds, in seconds."""
        self._open = open_store
        self._patience = patience
        self._fresh = fresh
        self._store: Store | None = None
        self._look_up: asyncio.Task[bool] | None = None
        self._looked_at = 0.0

    async def ready(self) -> bool:
        """Whether the database answers. One that hangs counts as one that does not."""
        running = self._look_up
        if running is None or (running.done() and time.monotonic() - self._looked_at >= self._fresh):
            running = self._look_up = asyncio.create_task(self._ask())
        done, _ = await asyncio.wait([running], timeout=self._patience)
        return bool(done) and running.result()

    async def _ask(self) -> bool:
        try:
            return await asyncio.to_thread(self._answers)
        finally:
            self._looked_at = time.monotonic()

    def _answers(self) -> bool:
        try:
            if self._store is None:
                self._store = self._open()
            with self._store.reading() as connection:
                connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, DatabaseError) as error:
            # What the driver says may hold the address and the user of the database.
            log.warning("not ready: the database does not answer (%s)", type(error).__name__)
            return False
        return True

    def close(self) -> None:
        """Closes the store, if one was opened."""
        if self._store is not None:
            self._store.close()
