"""Takes fields out of JSON of unknown shape: the value if it is of the wanted type, else nothing."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, UnsetType

from webcards.contract.values import WebSource


def text(value: Any) -> str | None:
    """A string, or None."""
    return value if isinstance(value, str) else None


def recorded(value: Any) -> str | UnsetType:
    """A string exactly as recorded; a number as its digits; anything else is absent."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return UNSET


def mapping(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a list."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def number(value: Any) -> int | None:
    """A whole number that is no boolean, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first_text(row: dict[str, Any], *keys: str) -> str | UnsetType:
    """The first of these fields that is a string with something in it; else an empty one; else absent."""
    empty: str | UnsetType = UNSET
    for key in keys:
        value = row.get(key)
        if isinstance(value, str):
            if value.strip():
                return value
            empty = value if empty is UNSET else empty
    return empty


def source(url: Any, title: Any = None, snippet: Any = None, date: Any = None) -> WebSource | None:
    """A source as recorded, or None without a URL: a list of sources is a list of addresses."""
    if not isinstance(url, str) or not url.strip():
        return None
    return WebSource(url, recorded(title), recorded(snippet), recorded(date))


def text_blocks(content: Any) -> list[Any]:
    """Content as a list of blocks, whatever form it was recorded in."""
    match content:
        case None:
            return []
        case str():
            return [{"type": "text", "text": content}]
        case list():
            return [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]
        case _:
            return [content]
