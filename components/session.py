"""The calls of one browser session, newest first, and the session log that they make."""

import time
from collections.abc import Callable
from uuid import uuid4

import msgspec
import streamlit as st

from webcards.contract import present_fields
from webcards.tools.registry import Execution

_CALLS = "calls"
_STARTED = "session-started"


def calls() -> list[Execution]:
    """The settled calls, newest first."""
    kept: list[Execution] = st.session_state.setdefault(_CALLS, [])
    return kept


def add_call(execution: Execution) -> None:
    """Keeps a call that has settled."""
    st.session_state.setdefault(_STARTED, (str(uuid4()), time.time_ns() // 1_000_000))
    calls().insert(0, execution)


def find_call(call_id: str) -> Execution | None:
    """The call of that id."""
    return next((execution for execution in calls() if execution.call.data.call_id == call_id), None)


def session_log() -> Callable[[], bytes]:
    """What makes the calls of now into a session log, JSON Lines, oldest first, when it is asked for.

    A deferred download runs outside the script, without its session: so the calls are taken here.
    """
    session_id, created = st.session_state.get(_STARTED, (str(uuid4()), 0))
    header = {"type": "session", "version": 0, "id": session_id, "createdAt": created}
    kept = list(reversed(calls()))

    def made() -> bytes:
        events = [present_fields(event) for execution in kept for event in (execution.call, execution.result)]
        return b"".join(msgspec.json.encode(event) + b"\n" for event in (header, *events))

    return made
