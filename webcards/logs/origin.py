"""What a native log keeps of a call from another system's log, so that converting it loses nothing of its view."""

from typing import Any

import msgspec
from msgspec import UNSET

from webcards.logs.model import Found, FoundPage, FoundSources

KEY = "origin"


def origin_of(format_name: str, found: Found | None) -> dict[str, Any]:
    """The `origin` of a converted result: the format, and what that log recorded of the outcome."""
    kept: dict[str, Any] = {"format": format_name}
    if found is not None:
        kept["found"] = msgspec.to_builtins(found)
    return kept


def read_origin(data: dict[str, Any]) -> tuple[str | None, Found | None]:
    """The format that a converted result had at first, and what that log recorded of it. Never raises."""
    origin = data.get(KEY)
    if not isinstance(origin, dict) or not isinstance(origin.get("format"), str):
        return None, None
    try:
        found = msgspec.convert(origin.get("found", UNSET), FoundSources | FoundPage)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return origin["format"], None
    return origin["format"], found
