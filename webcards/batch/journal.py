"""Writes of many calls at once in one transaction: each waits until its own is on disk, and all wait for
one commit.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection

from webcards.store import Store

T = TypeVar("T")
_Write = tuple[Callable[[Connection], Any], "asyncio.Future[Any]"]
MOST = 200


class Journal:
    """Belongs to one event loop. A write that fails fails alone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_Write] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Runs a change inside a transaction with others; gives its result once it is committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((change, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._waiting:
            writes, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            for (_, future), (result, error) in zip(
                writes, await asyncio.to_thread(self._commit, [change for change, _ in writes]), strict=True
            ):
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)

    def _commit(self, changes: list[Callable[[Connection], Any]]) -> list[tuple[Any, Exception | None]]:
        try:
            with self._store.writing() as connection:
                return [(change(connection), None) for change in changes]
        except Exception as error:
            if len(changes) == 1:
                return [(None, error)]
        return [self._commit([change])[0] for change in changes]
