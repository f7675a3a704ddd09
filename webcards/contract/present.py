"""Derives views from (args, result). Runs on replays of logs from any version, so nothing here raises, whatever it is given."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from webcards.contract.meta import Refusal, WebFetchMeta, WebSearchMeta, narrow_fetch_meta, narrow_search_meta
from webcards.contract.views import ToolCallView, WebFetchResultView, WebSearchResultView


class ToolResult(Struct, frozen=True, rename="camel"):
    """What a viewer has of a settled call: the content blocks, whether it is an error, and the meta or nothing."""

    content: list[Any]
    is_error: bool = False
    meta: Any = UNSET

    @classmethod
    def from_json(cls, result: object) -> "ToolResult":
        """Reads any JSON: what is not there or of a wrong type is taken as empty, and an unclear `isError` as an error."""
        if not isinstance(result, dict):
            return cls([] if result is None else [result])
        content = result.get("content", [])
        if not isinstance(content, list):
            content = [content]
        error = result.get("isError", False)
        return cls(content, error is not False and error is not None, result.get("meta", UNSET))

    @property
    def text(self) -> str:
        """The model-facing text: the text blocks one after another; a block of another sort as its JSON."""
        return "\n".join(block_text(block) for block in self.content)


def block_text(block: object) -> str:
    """The text of one content block."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    try:
        return msgspec.json.encode(block).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return f"({type(block).__name__})"


ERROR_RESULT = Refusal("$.isError", "the call failed: an error has no card")
NO_META = Refusal("$.meta", "absent: the log keeps no structured result")


def search_title(args: object) -> str | UnsetType:
    """`query`, or `queries` joined by ", "; absent where neither is there as text."""
    if not isinstance(args, dict):
        return UNSET
    query, queries = args.get("query"), args.get("queries")
    if isinstance(query, str) and query.strip():
        return query
    if isinstance(queries, list):
        asked = [item for item in queries if isinstance(item, str) and item.strip()]
        return ", ".join(asked) if asked else UNSET
    return UNSET


def fetch_title(args: object) -> str | UnsetType:
    """The `url` that was asked for; absent where it is not there as text."""
    url = args.get("url") if isinstance(args, dict) else None
    return url if isinstance(url, str) and url.strip() else UNSET


def present_search_call(args: object) -> ToolCallView:
    """The pending card of a search."""
    return ToolCallView(search_title(args) or "web_search", "search", raw_input=args)


def present_fetch_call(args: object) -> ToolCallView:
    """The pending card of a fetch."""
    return ToolCallView(fetch_title(args) or "web_fetch", "fetch", raw_input=args)


def present_search_result(args: object, result: object) -> WebSearchResultView | None:
    """The citation list, or None: draw the generic card."""
    view = explain_search_result(args, result)
    return view if isinstance(view, WebSearchResultView) else None


def present_fetch_result(args: object, result: object) -> WebFetchResultView | None:
    """The page's card, or None: draw the generic card."""
    view = explain_fetch_result(args, result)
    return view if isinstance(view, WebFetchResultView) else None


def explain_search_result(args: object, result: object) -> WebSearchResultView | Refusal:
    """Like `present_search_result`, with the reason in place of None."""
    meta = _narrowed(result, narrow_search_meta)
    if isinstance(meta, Refusal):
        return meta
    return WebSearchResultView(
        title=search_title(args), sources=meta.sources, answer=meta.answer, truncated=meta.truncated
    )


def explain_fetch_result(args: object, result: object) -> WebFetchResultView | Refusal:
    """Like `present_fetch_result`, with the reason in place of None."""
    meta = _narrowed(result, narrow_fetch_meta)
    if isinstance(meta, Refusal):
        return meta
    return WebFetchResultView(
        title=fetch_title(args), url=meta.url, status_code=meta.status_code, truncated=meta.truncated
    )


M = TypeVar("M", WebSearchMeta, WebFetchMeta)


def _narrowed(result: object, narrow: Callable[[object], M | Refusal]) -> M | Refusal:
    settled = result if isinstance(result, ToolResult) else ToolResult.from_json(result)
    if settled.is_error:
        return ERROR_RESULT
    if settled.meta is UNSET or settled.meta is None:
        return NO_META
    return narrow(settled.meta)
