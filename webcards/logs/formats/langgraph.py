"""LangGraph's threads and LangChain's messages: `ai` messages call, `tool` messages answer."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.dialogue import Dialogue, has_web_calls, unpacked
from webcards.logs.fields import mapping, mappings
from webcards.logs.format import document_format
from webcards.logs.framing import Row
from webcards.logs.model import LogItem
from webcards.logs.naming import web_tool

NAME = "langgraph"
_TYPES = frozenset({"ai", "tool", "human", "AIMessage", "AIMessageChunk", "ToolMessage", "HumanMessage", "system"})


def recognises(row: Any) -> bool:
    """A state with messages, its history, or bare messages, with a call or an answer of a web tool."""
    return any(_is_ours(messages) for messages, _ in _lists(row))


def _is_ours(messages: list[dict[str, Any]]) -> bool:
    typed = [unpacked(message) for message in messages]
    if not any(message.get("type") in _TYPES for message in typed):
        return False
    return has_web_calls(typed) or any(
        message.get("type") in ("tool", "ToolMessage") and web_tool(str(message.get("name") or "")) for message in typed
    )


def _lists(row: Any) -> list[tuple[list[dict[str, Any]], str]]:
    if isinstance(row, list):
        return [(list(mappings(row)), "[{}]")]
    fields = mapping(row)
    found = []
    for above, holder in (
        ("", fields),
        (".values", mapping(fields.get("values"))),
        (".output", mapping(fields.get("output"))),
    ):
        if isinstance(holder.get("messages"), list):
            found.append((list(mappings(holder["messages"])), f"{above}.messages[{{}}]"))
    return found[-1:]


def _read(row: Row) -> Iterator[LogItem]:
    dialogue = Dialogue(NAME)
    for messages, path in _lists(row.value):
        for place, message in enumerate(messages):
            yield from dialogue.take(row, message, path.format(place))
    yield from dialogue.finish()


FORMAT = document_format(NAME, recognises, _read)
