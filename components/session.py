"""The calls of one browser session, newest first, and the session log that they make."""

import json
import re
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import streamlit as st

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


def read_ons() -> dict[str, list[Execution]]:
    """The calls that read on where a page was cut, in order, by the id of the call that began with the page."""
    begun: dict[str, str] = {}
    chains: dict[str, list[Execution]] = {}
    for execution in reversed(calls()):
        if execution.call.data.name != "web_fetch" or execution.view is None:
            continue
        head = begun.pop(_asked_for(execution), None) or execution.call.data.call_id
        chain = chains.setdefault(head, [])
        chain.append(execution)
        if (following := following_ask(execution)) is not None:
            begun[_key(following)] = head
    return {head: chain[1:] for head, chain in chains.items() if len(chain) > 1}


_READ_ON = re.compile(r"start=(\d+)\.\]$")


def following_ask(execution: Execution) -> dict[str, Any] | None:
    """The args that read on from a page that was cut, as the footer of its text says; None if there is no more."""
    footer = _READ_ON.search(execution.tool_result.text[-200:])
    args = execution.args
    if footer is None or not isinstance(args, dict) or execution.call.data.name != "web_fetch":
        return None
    return {**args, "start": int(footer[1])}


def joined_text(chain: list[Execution]) -> str:
    """One text of a page that was read in several calls: its head, and the parts of its body as they follow."""
    last = len(chain) - 1
    return "".join(_part(call, first=number == 0, last=number == last) for number, call in enumerate(chain))


def joined_details(chain: list[Execution]) -> dict[str, Any]:
    """What is known of a page's retrieval, of all its parts together; of one call, what its event says."""
    known = [_details(execution) for execution in chain]
    joined = dict(known[0])
    if len(known) > 1:
        for name in ("charactersKept", "elapsedMs"):
            values = [facts[name] for facts in known if isinstance(facts.get(name), int | float)]
            if values:
                joined[name] = round(sum(values), 1)
        if "charactersCut" in known[-1]:
            joined["charactersCut"] = known[-1]["charactersCut"]
    return joined


def _details(execution: Execution) -> dict[str, Any]:
    details = execution.result.data.details
    return details if isinstance(details, dict) else {}


def _part(execution: Execution, *, first: bool, last: bool) -> str:
    """The text of one call, without what stands around the page's own characters where another part goes on."""
    head, _, body = execution.tool_result.text.partition("\n\n")
    facts = _details(execution)
    reopened = facts.get("charactersReopened", 0)
    body = body if first else body[reopened:]
    kept = facts.get("charactersKept")
    if not last and isinstance(kept, int):
        body = body[: kept + (reopened if first else 0)]
    return f"{head}\n\n{body}" if first else body


def _asked_for(execution: Execution) -> str:
    args = execution.args
    return _key(args) if isinstance(args, dict) else ""


def _key(args: dict[str, Any]) -> str:
    return json.dumps(args, sort_keys=True)


def find_call(call_id: str) -> Execution | None:
    """The call of that id."""
    return next((execution for execution in calls() if execution.call.data.call_id == call_id), None)


def call_of(tool: str, args: dict[str, Any]) -> Execution | None:
    """The newest call of that tool with those args."""
    return next(
        (execution for execution in calls() if execution.call.data.name == tool and execution.args == args), None
    )


def session_log() -> Callable[[], bytes]:
    """What makes the calls of now into a session log, oldest first, when it is asked for.

    A deferred download runs outside the script, without its session: so the calls are taken here.
    """
    session_id, created = st.session_state.get(_STARTED, (str(uuid4()), 0))
    kept = list(reversed(calls()))

    def made() -> bytes:
        from webcards.logs import session_text

        events = (event for execution in kept for event in (execution.call, execution.result))
        return session_text(events, session_id=session_id, created_at=created).encode()

    return made
