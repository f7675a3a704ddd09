"""Conversations as lists of messages of roles, in which the assistant calls tools and tools answer."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.dialogue import Dialogue, has_web_calls
from webcards.logs.fields import mapping, mappings
from webcards.logs.format import document_format
from webcards.logs.framing import Row
from webcards.logs.model import LogItem
from webcards.logs.naming import web_tool

NAME = "openai-chat"


def recognises(row: Any) -> bool:
    """Messages (under `messages`, or a bare list of them) with a call of a web tool, or a completion that makes one."""
    messages, _ = _messages(row)
    return any("role" in message for message in messages) and (
        has_web_calls(messages) or any(message.get("role") == "tool" and _named(message) for message in messages)
    )


def _named(message: dict[str, Any]) -> bool:
    return isinstance(message.get("name"), str) and web_tool(message["name"]) is not None


def _messages(row: Any) -> tuple[list[dict[str, Any]], str]:
    if isinstance(row, list):
        return list(mappings(row)), "[{}]"
    fields = mapping(row)
    if isinstance(fields.get("messages"), list):
        return list(mappings(fields["messages"])), ".messages[{}]"
    if isinstance(fields.get("choices"), list):
        return [mapping(choice.get("message")) for choice in mappings(fields["choices"])], ".choices[{}].message"
    if "role" in fields and ("tool_calls" in fields or fields["role"] == "tool"):
        return [fields], ""
    return [], ""


def _read(row: Row) -> Iterator[LogItem]:
    dialogue = Dialogue(NAME)
    messages, path = _messages(row.value)
    for place, message in enumerate(messages):
        yield from dialogue.take(row, message, path.format(place))
    yield from dialogue.finish()


FORMAT = document_format(NAME, recognises, _read)
