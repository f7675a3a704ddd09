"""Chat completions whose message cites URLs: OpenAI's search models, and services that search for any model."""

from typing import Any

from webcards.logs.chat import chat_format, choices
from webcards.logs.fields import mappings


def _marks(row: dict[str, Any]) -> bool:
    return any(
        item.get("type") == "url_citation" for message in choices(row) for item in mappings(message.get("annotations"))
    )


FORMAT = chat_format("openai-chat", _marks)
