"""Conversations as lists of messages of roles, in which the assistant calls tools and tools answer."""

from typing import Any

from webcards.logs.dialogue import MessagesReader, has_web_calls
from webcards.logs.fields import mapping, mappings
from webcards.logs.format import Format
from webcards.logs.naming import web_tool

NAME = "openai-chat"


def recognises(row: Any) -> bool:
    """Messages with a call of a web tool: under `messages`, in a bare list, in a completion's choices, or one alone."""
    messages, _ = messages_of(row)
    return (
        any("role" in message for message in messages)
        and not has_parts(messages)
        and (has_web_calls(messages) or any(message.get("role") == "tool" and _is_web(message) for message in messages))
    )


def has_parts(messages: list[dict[str, Any]]) -> bool:
    """Whether these are the AI SDK's messages, whose calls and results are parts of the content."""
    return any(
        part.get("type") in ("tool-call", "tool-result")
        for message in messages
        for part in mappings(message.get("content"))
    )


def _is_web(message: dict[str, Any]) -> bool:
    return isinstance(message.get("name"), str) and web_tool(message["name"]) is not None


def messages_of(row: Any) -> tuple[list[dict[str, Any]], str]:
    if isinstance(row, list):
        return list(mappings(row)), "[{}]"
    fields = mapping(row)
    if isinstance(fields.get("messages"), list):
        return list(mappings(fields["messages"])), ".messages[{}]"
    if isinstance(fields.get("choices"), list):
        return [mapping(choice.get("message")) for choice in mappings(fields["choices"])], ".choices[{}].message"
    return ([fields], "") if "role" in fields and "content" in fields else ([], "")


FORMAT = Format(NAME, recognises, lambda: MessagesReader(NAME, messages_of))
