"""The log formats, one a file, in the order in which they are tried: the first that recognises a record has it."""

from functools import cache
from importlib import import_module

from webcards.logs.format import Format

_MODULES = (
    "dsh",
    "codex",
    "claude_code",
    "opencode",
    "mcp",
    "managed_agents",
    "anthropic",
    "openai_responses",
    "gemini_cli",
    "gemini",
    "gemini_history",
    "groq",
    "perplexity",
    "openai_chat",
    "tool_messages",
    "langgraph",
    "langfuse",
    "ai_sdk",
    "tavily",
    "exa",
    "brave",
    "bing",
    "bocha",
    "google_cse",
    "serper",
    "searchapi",
    "serpapi",
    "searxng",
    "jina",
    "kagi",
    "firecrawl",
    "naver",
    "rows",
)


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in order of detection."""
    return tuple(import_module(f"{__name__}.{module}").FORMAT for module in _MODULES)
