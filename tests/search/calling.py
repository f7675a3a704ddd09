"""A call of `web_search` over one engine, as the app runs it, and what a test wants to know of it."""

from dataclasses import dataclass

from webcards.contract import WebSearchResultView
from webcards.search.provider import SearchProvider
from webcards.settings import read_settings
from webcards.tools.registry import Execution, Registry
from webcards.tools.web_search import web_search_tool


@dataclass(frozen=True)
class Called:
    """What became of a call of the tool: the text that the model reads, the error code, the card."""

    text: str
    code: str | None
    view: WebSearchResultView | None


async def call(provider: SearchProvider, **args: object) -> Called:
    """`web_search` over this engine, as the app runs it."""
    settings = read_settings(search_provider=provider.id)
    registry = Registry([web_search_tool(settings, lambda: provider)])
    execution = await registry.execute("web_search", {"query": "quay dues", **args})
    return _called(execution)


def _called(execution: Execution) -> Called:
    error = execution.result.data.error
    view = execution.view
    assert view is None or isinstance(view, WebSearchResultView)
    (block,) = execution.tool_result.content
    return Called(block["text"], error.code if error else None, view)
