"""A result that is being edited: its parts as JSON texts, read back into what a card is drawn from. Pure functions."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct

from components.gallery.json_text import Fault, line_of, read, written
from components.gallery.state import State
from webcards.contract import Refusal, WebResultView, call_event, present_fields
from webcards.tools.presenters import explain


class Draft(Struct, frozen=True):
    """The parts of a result as texts. An empty `meta` is no meta; an empty `content` is none either.

    `error` is the code of an error result, beside `failed`; `running` is a call that has no result yet.
    """

    tool: str
    args: str
    meta: str = ""
    content: str = "[]"
    failed: bool = False
    error: str = ""
    running: bool = False


class Reading(Struct, frozen=True):
    """What a draft says: the args and the result as JSON, or the faults by part (`args`, `meta`, `content`)."""

    args: Any
    result: Any
    faults: dict[str, Fault]


def draft_of_state(state: State) -> Draft:
    """A state as a draft."""
    return draft_of(state.tool, state.args, state.result, running=state.build is None)


def draft_of(tool: str, args: Any, result: Any, *, running: bool = False) -> Draft:
    """A result as a draft. What is no object has neither meta nor flag: it is content as it is."""
    arguments = "" if args is None else written(args)
    if running:
        return Draft(tool, arguments, running=True)
    if not isinstance(result, dict):
        return Draft(tool, arguments, content=written(result))
    error = result.get("error")
    code = error.get("code", "") if isinstance(error, dict) else ""
    return Draft(
        tool,
        arguments,
        meta=written(result["meta"]) if "meta" in result else "",
        content=written(result["content"]) if "content" in result else "",
        failed=result.get("isError", False) not in (False, None),
        error=code if isinstance(code, str) else "",
    )


def read_draft(draft: Draft) -> Reading:
    """Reads the texts of a draft."""
    values = {name: read(text) if text.strip() else UNSET for name, text in _parts(draft).items()}
    faults = {name: value for name, value in values.items() if isinstance(value, Fault)}
    args = None if values["args"] is UNSET else values["args"]
    if draft.running:
        return Reading(args, None, faults)
    result: dict[str, Any] = {
        "content": [] if values["content"] is UNSET else values["content"],
        "isError": draft.failed,
    }
    if values["meta"] is not UNSET:
        result["meta"] = values["meta"]
    if draft.failed and draft.error:
        result["error"] = {"name": "WebError", "code": draft.error}
    return Reading(args, result, faults)


def _parts(draft: Draft) -> dict[str, str]:
    return {"args": draft.args, "meta": draft.meta, "content": draft.content}


def outcome(draft: Draft, reading: Reading) -> WebResultView | Refusal | None:
    """The view that is drawn, or why there is none; None while the call runs or a part cannot be read."""
    return None if draft.running or reading.faults else explain(draft.tool, reading.args, reading.result)


def refused_line(draft: Draft, refusal: Refusal) -> int:
    """The line of the meta's text on which the fault stands; 0 if the fault is not in the meta."""
    elsewhere = draft.failed or not draft.meta.strip() or refusal.path in ("$.meta", "$.isError")
    return 0 if elsewhere else line_of(draft.meta, refusal.path)


def wire_events(draft: Draft, reading: Reading) -> list[dict[str, Any]]:
    """The events that carry this call in a session log: one for a call that runs, two for one that has settled."""
    events = [present_fields(call_event("call_gallery", draft.tool, reading.args))]
    if reading.result is None:
        return events
    settled = reading.result
    block = {
        "type": "tool-result",
        "toolCallId": "call_gallery",
        "content": settled["content"],
        "isError": settled["isError"],
    }
    source = {"kind": "tool", "callId": "call_gallery"}
    data: dict[str, Any] = {
        "turn": 1,
        "step": 1,
        "message": {"role": "user", "source": source, "content": [block]},
        **{key: settled[key] for key in ("error", "meta") if key in settled},
    }
    return [*events, {"type": "tool/result", "data": data}]


def as_json(value: object) -> Any:
    """A view or a refusal as JSON."""
    return msgspec.to_builtins(value)
