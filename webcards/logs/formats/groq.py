"""Groq's completions: the tools that the service executed by itself."""

from typing import Any

from webcards.logs.chat import chat_format, choices


def _marks(row: dict[str, Any]) -> bool:
    return any("executed_tools" in message for message in choices(row))


FORMAT = chat_format("groq", _marks)
