"""Chat completions whose message cites URLs: OpenAI's search models, and services that search for any model."""

from typing import Any

from webcards.logs.chat import chat_format, choices
from webcards.logs.fields import mapping, mappings, text
from webcards.logs.naming import web_tool


def _marks(row: dict[str, Any]) -> bool:
    cites = any(
        item.get("type") == "url_citation" for message in choices(row) for item in mappings(message.get("annotations"))
    )
    return cites or any(_calls_a_web_tool(choice) for choice in mappings(row["choices"]))


def _calls_a_web_tool(choice: dict[str, Any]) -> bool:
    """Whether this piece of a stream begins a call; whole messages with calls are read as the conversation they are of."""
    called = mappings(mapping(choice.get("delta")).get("tool_calls"))
    return any(web_tool(text(mapping(call.get("function")).get("name")) or "") for call in called)


FORMAT = chat_format("openai-chat", _marks)
