"""LangGraph's threads and LangChain's messages: `ai` messages call, `tool` messages answer."""

from typing import Any

from webcards.logs.dialogue import MessagesReader, has_web_calls, unpacked
from webcards.logs.fields import mapping, mappings
from webcards.logs.format import Format
from webcards.logs.naming import web_tool

NAME = "langgraph"
_TYPES = (
    "ai",
    "tool",
    "human",
    "AIMessage",
    "AIMessageChunk",
    "ToolMessage",
    "HumanMessage",
    "system",
)


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
        states = [_lists(state) if "values" in state else [] for state in mappings(row)]
        if any(states):
            # A thread's history repeats the messages in each state: the longest has them all.
            numbered = [(len(found[0][0]), -place, found[0]) for place, found in enumerate(states) if found]
            _, place, (messages, path) = max(numbered, key=lambda item: item[:2])
            return [(messages, f"[{-place}]{path}")]
        return [(list(mappings(row)), "[{}]")]
    fields = mapping(row)
    holders = (("", fields), (".values", mapping(fields.get("values"))), (".output", mapping(fields.get("output"))))
    found = [
        (list(mappings(holder["messages"])), f"{above}.messages[{{}}]")
        for above, holder in holders
        if isinstance(holder.get("messages"), list)
    ]
    if not found and unpacked(fields).get("type") in _TYPES and "content" in unpacked(fields):
        return [([fields], "")]
    return found[-1:]


def _messages(row: Any) -> tuple[list[dict[str, Any]], str]:
    return next(iter(_lists(row)), ([], ""))


FORMAT = Format(NAME, recognises, lambda: MessagesReader(NAME, _messages))
