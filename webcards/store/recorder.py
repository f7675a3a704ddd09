"""Recording calls as they run: for whoever runs one and must not fail because the record does."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from webcards.contract import Refusal, ToolCallEvent, ToolResultEvent
from webcards.store.store import Source, Store

log = logging.getLogger(__name__)


class Executed(Protocol):
    """What has to be known of a settled call; the registry's `Execution` is one."""

    @property
    def result(self) -> ToolResultEvent: ...
    @property
    def elapsed_ms(self) -> float: ...
    @property
    def outcome(self) -> Any: ...


def drawn(executed: Executed) -> tuple[str | None, tuple[str, str] | None]:
    """The kind of the card, or the path and reason why a call that did not fail has none."""
    outcome = executed.outcome
    if not isinstance(outcome, Refusal):
        return str(outcome.__struct_config__.tag), None
    return None, None if executed.result.result.is_error else (outcome.path, outcome.reason)


class Recorder:
    """Records the calls of one source and person. A record that cannot be written is logged, and the call
    goes on.
    """

    def __init__(self, store: Store, *, source: Source, user: str | None = None) -> None:
        self._store = store
        self._source: Source = source
        self._user = user

    def start(self, call: ToolCallEvent, *, user: str | None = None) -> int | None:
        """Records that a call starts; gives its record id, or None if it could not be recorded."""
        try:
            return self._store.start(call, source=self._source, user=user or self._user)
        except SQLAlchemyError as error:
            _tell(error)
            return None

    def settle(self, record: int | None, executed: Executed) -> None:
        """Records how the call settled."""
        if record is None:
            return
        kind, fallback = drawn(executed)
        try:
            self._store.settle(
                record, executed.result, elapsed_ms=executed.elapsed_ms, view_kind=kind, fallback=fallback
            )
        except SQLAlchemyError as error:
            _tell(error)


E = TypeVar("E", bound=Executed)
E_co = TypeVar("E_co", bound=Executed, covariant=True)


class Runs(Protocol[E_co]):
    """What runs a call that has started: the registry."""

    async def settle(self, call: ToolCallEvent, *, on_progress: Callable[[Any], None]) -> E_co: ...
    def abort(self, call: ToolCallEvent) -> E_co: ...


async def settle_recorded(
    registry: Runs[E], recorder: Recorder | None, call: ToolCallEvent, *, on_progress: Callable[[Any], None]
) -> E:
    """Runs a call that has started and records it, a cancelled one too. Raises no more than
    `registry.settle`.
    """
    if recorder is None:
        return await registry.settle(call, on_progress=on_progress)
    record = await asyncio.to_thread(recorder.start, call)
    try:
        execution = await registry.settle(call, on_progress=on_progress)
    except asyncio.CancelledError:
        # Not awaited in a thread: an await would be cancelled at once, again.
        recorder.settle(record, registry.abort(call))
        raise
    await asyncio.to_thread(recorder.settle, record, execution)
    return execution


def _tell(error: SQLAlchemyError) -> None:
    # The statement and its parameters hold what was asked; the kind of fault is enough here.
    log.warning("a call could not be recorded: %s", type(error).__name__)
