"""A logged call as the one JSON object that the command line prints for it."""

from typing import Any

from msgspec import UNSET

from webcards.contract.meta import Refusal
from webcards.contract.values import present_fields
from webcards.logs.model import LoggedCall
from webcards.logs.view import explain, title_of


def replayed(call: LoggedCall) -> dict[str, Any]:
    """`{callId, tool, format, title, args, isError, view, fallback, content, time}`; what the log lacks is null."""
    view = explain(call)
    refused = isinstance(view, Refusal)
    title = title_of(call)
    return {
        "callId": call.call_id,
        "tool": call.tool,
        "format": call.format,
        "title": title if isinstance(title, str) else None,
        "args": None if call.args is UNSET else call.args,
        "isError": call.is_error,
        "view": None if refused else present_fields(view),
        "fallback": {"path": view.path, "reason": view.reason} if isinstance(view, Refusal) else None,
        "content": call.result.content if call.result is not None else None,
        "time": call.time,
    }
