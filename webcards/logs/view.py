"""The card of a logged call, or why it has none: by the contract for its own metas, else from what the log records."""

from typing import Any, assert_never

from msgspec import UNSET, UnsetType

from webcards.contract.meta import Refusal
from webcards.contract.present import (
    ERROR_RESULT,
    ToolResult,
    explain_fetch_result,
    explain_search_result,
    fetch_title,
    search_title,
)
from webcards.contract.views import WebFetchResultView, WebResultView, WebSearchResultView
from webcards.logs.model import FoundPage, FoundSources, LoggedCall
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH

_QUERY_KEYS = (
    "query",
    "q",
    "search_query",
    "search_term",
    "searchTerm",
    "keyword",
    "keywords",
    "input",
    "text",
    "objective",
    "prompt",
)
_URL_KEYS = ("url", "uri", "link", "href", "website_url", "prompt")
NATIVE = "dsh"


def foreign_format(call: LoggedCall) -> str | None:
    """The format of the other system that this call comes from, if it does: directly, or by way of a conversion."""
    return call.origin or (None if call.format == NATIVE else call.format)


def view_of(call: LoggedCall) -> WebResultView | None:
    """The view to draw, or None: draw the generic card. Never raises."""
    view = explain(call)
    return None if isinstance(view, Refusal) else view


def explain(call: LoggedCall) -> WebResultView | Refusal:
    """The view, or the JSON path and the reason why there is none. Never raises."""
    if call.result is None:
        return Refusal("$.result", "the log holds no result for this call")
    if foreign_format(call) is None:
        return _native(call)
    if call.result.is_error:
        return ERROR_RESULT
    match call.found:
        case None:
            return Refusal("$.result", f"the {foreign_format(call)} log records no sources and no page for this call")
        case FoundSources(sources, answer, truncated):
            return WebSearchResultView(title=title_of(call), sources=sources, answer=answer, truncated=truncated)
        case FoundPage(url, status_code, truncated):
            return WebFetchResultView(title=title_of(call), url=url, status_code=status_code, truncated=truncated)
        case _:
            assert_never(call.found)


def _native(call: LoggedCall) -> WebResultView | Refusal:
    if call.result is None:
        return Refusal("$.result", "the log holds no result for this call")
    args: Any = {} if call.args is UNSET else call.args
    result = ToolResult(call.result.content, call.result.is_error, call.result.meta)
    match call.tool:
        case "web_search":
            return explain_search_result(args, result)
        case "web_fetch":
            return explain_fetch_result(args, result)
        case _:
            return Refusal("$.name", f"{call.tool} is neither web_search nor web_fetch")


def title_of(call: LoggedCall) -> str | UnsetType:
    """The query or the URL that was asked for; absent where the args are lost."""
    native = search_title(call.args) if call.tool == WEB_SEARCH else fetch_title(call.args)
    if native is not UNSET or foreign_format(call) is None:
        return native
    if isinstance(call.args, str):
        return call.args if call.args.strip() else UNSET
    if not isinstance(call.args, dict):
        return UNSET
    keys = _URL_KEYS if call.tool == WEB_FETCH else _QUERY_KEYS
    for key in keys:
        value = call.args.get(key)
        if isinstance(value, str) and value.strip():
            return value
    for value in (call.args.get("urls"), call.args.get("queries")):
        asked = [item for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else []
        if asked:
            return ", ".join(asked)
    return UNSET
