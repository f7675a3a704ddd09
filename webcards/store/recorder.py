"""Recording calls as they run: for whoever runs one and must not fail because the record does."""

import logging
from typing import Any, Protocol

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


def _tell(error: SQLAlchemyError) -> None:
    # The statement and its parameters hold what was asked; the kind of fault is enough here.
    log.warning("a call could not be recorded: %s", type(error).__name__)
