"""Perplexity's completions: search results, or citations alone, beside the choices."""

from typing import Any

from webcards.logs.chat import chat_format


def _marks(row: dict[str, Any]) -> bool:
    return isinstance(row.get("citations"), list) or isinstance(row.get("search_results"), list)


FORMAT = chat_format("perplexity", _marks)
