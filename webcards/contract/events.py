"""The session log's events: what a call and its result look like on the wire, and how they are read back."""

import json
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from webcards.contract.json_text import sound_json
from webcards.contract.markdown import without_surrogates
from webcards.contract.present import ToolResult
from webcards.contract.values import present_fields


class ToolCallData(Struct, frozen=True, rename="camel"):
    """`arguments` is a JSON text, as the model wrote it."""

    call_id: str
    name: str
    arguments: str
    turn: int = 1
    step: int = 1


class ToolCallEvent(Struct, frozen=True, rename="camel", tag_field="type", tag="tool/call"):
    """A call. `time` is in milliseconds since the epoch."""

    data: ToolCallData
    time: int | UnsetType = UNSET


class ErrorData(Struct, frozen=True, rename="camel"):
    """The error of a failed call: the class's name and its code."""

    name: str
    code: str


class ToolResultData(Struct, frozen=True, rename="camel"):
    """`details` is what is known beyond the meta (redirects, bytes, charset, time …); a viewer may show it, none needs it."""

    message: dict[str, Any]
    turn: int = 1
    step: int = 1
    error: ErrorData | UnsetType = UNSET
    meta: Any = UNSET
    details: Any = UNSET


class ToolResultEvent(Struct, frozen=True, rename="camel", tag_field="type", tag="tool/result"):
    """A settled call. `time` is in milliseconds since the epoch."""

    data: ToolResultData
    time: int | UnsetType = UNSET

    @property
    def result(self) -> ToolResult:
        return result_of_event(present_fields(self))


def call_event(call_id: str, name: str, args: object, *, time: int | UnsetType = UNSET) -> ToolCallEvent:
    """The event of a call that starts now. Its arguments are sound JSON (json_text.py), whatever the args hold."""
    arguments = json.dumps(sound_json(args), ensure_ascii=False, default=str)
    return ToolCallEvent(ToolCallData(call_id, without_surrogates(name), arguments), time)


def result_event(
    call_id: str,
    text: str,
    *,
    meta: object = UNSET,
    error: ErrorData | UnsetType = UNSET,
    details: object = UNSET,
    time: int | UnsetType = UNSET,
) -> ToolResultEvent:
    """The event of a call that has settled; one with an `error` is an error result."""
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": error is not UNSET,
    }
    message = {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [block]}
    return ToolResultEvent(ToolResultData(message, error=error, meta=meta, details=details), time)


def args_of_event(event: object) -> object:
    """The args of a `tool/call` event: JSON text, or already an object; None where they cannot be read. Never raises."""
    data = event.get("data") if isinstance(event, dict) else None
    arguments = data.get("arguments") if isinstance(data, dict) else None
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed: object = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return parsed


def result_of_event(event: object) -> ToolResult:
    """The result that a `tool/result` event carries. Never raises; what is missing is taken as empty."""
    data = event.get("data") if isinstance(event, dict) else None
    if not isinstance(data, dict):
        return ToolResult([])
    message = data.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    block = blocks[0] if isinstance(blocks, list) and blocks else None
    # The oldest logs have no message: content and isError stand in the data itself.
    inner = block if isinstance(block, dict) and block.get("type") == "tool-result" else data
    return ToolResult.from_json({**inner, "meta": data.get("meta", UNSET)})
