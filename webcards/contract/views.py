"""What a viewer may draw: the render intents a tool derives from (args, result), told apart by `card`, then `kind`."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from webcards.contract.values import WebSource


class ToolCallView(Struct, frozen=True, rename="camel"):
    """A call while it runs."""

    title: str
    kind: Literal["search", "fetch", "other"]
    raw_input: Any = UNSET
    card: Literal["generic"] = "generic"


class GenericResultView(Struct, frozen=True, rename="camel"):
    """A result that has no card of its own; the viewer shows the raw content, which it already has."""

    title: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    card: Literal["generic"] = "generic"


class WebSearchResultView(Struct, frozen=True, rename="camel", tag_field="kind", tag="search", kw_only=True):
    """A citation list. `title` comes from the args, so it is absent where they are lost."""

    card: Literal["web"] = "web"
    title: str | UnsetType = UNSET
    sources: list[WebSource]
    answer: str | UnsetType = UNSET
    truncated: bool


class WebFetchResultView(Struct, frozen=True, rename="camel", tag_field="kind", tag="fetch", kw_only=True):
    """A fetched page. Only a view made from another system's log may lack `status_code`; it is never invented."""

    card: Literal["web"] = "web"
    title: str | UnsetType = UNSET
    url: str
    status_code: int | UnsetType = UNSET
    truncated: bool


WebResultView = WebSearchResultView | WebFetchResultView
ToolResultView = GenericResultView | WebResultView
