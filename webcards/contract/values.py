"""What a tool's `execute` returns. A value never leaves the process: content and meta are made from it."""

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType


class WebSource(Struct, frozen=True, rename="camel"):
    """One source of a search: the same four fields in the value, in the meta and in the view.

    `url` is kept as the provider gave it; `published_at` is ISO 8601 from our own providers, and whatever was
    recorded in a log of another system. Absent fields are `UNSET`, never None.
    """

    url: str
    title: str | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    published_at: str | UnsetType = UNSET


WebSearchSource = WebSource


class WebSearchResult(Struct, frozen=True, rename="camel"):
    """What a search found. `content` is an answer that the provider wrote; `truncated`: the list was cut to the cap."""

    sources: list[WebSource]
    truncated: bool = False
    content: str | UnsetType = UNSET


class WebFetchBody(Struct, frozen=True, rename="camel"):
    """A fetched body. `markdown` is set where the fetch pipeline converted the page already; otherwise `html` is
    converted when its text is first asked for, and `text` is taken as it is."""

    kind: Literal["html", "text"]
    content: str
    markdown: str | None = None


class WebFetchResult(Struct, frozen=True, rename="camel"):
    """What a fetch brought. `url` is the final one; `truncated`: the provider cut the body. A non-2xx page is a result."""

    url: str
    status_code: int
    body: WebFetchBody
    truncated: bool = False


def text_or_unset(value: str | None) -> str | UnsetType:
    """The text, or `UNSET` for None and for text that is nothing but white space: an empty field is an absent one."""
    return value if value and not value.isspace() else UNSET


def given(value: str | UnsetType) -> str | None:
    """The text of an optional field, or None where it is absent or blank."""
    return value if isinstance(value, str) and value and not value.isspace() else None


def present_fields(value: Struct) -> dict[str, object]:
    """A struct as the JSON object that goes on the wire: camelCase keys, absent fields left out."""
    built: dict[str, object] = msgspec.to_builtins(value)
    return built
