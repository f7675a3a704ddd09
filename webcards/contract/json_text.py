"""JSON that every reader takes: RFC 8259 has no NaN, and half of a surrogate pair cannot be written as UTF-8."""

import json
import math
from typing import Any

import msgspec

from webcards.contract.markdown import without_surrogates

# Far beyond any result, and within what Python can nest.
_DEEPEST = 300


def json_text(value: object) -> str:
    """The value as compact JSON on one line, made sound as `sound_json` says. Things that are no JSON are their text."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return json.dumps(sound_json(value), ensure_ascii=False, separators=(",", ":"), default=_text)


def sound_json(value: Any, levels: int = _DEEPEST) -> Any:
    """The same JSON, with U+FFFD for each half of a surrogate pair and null for NaN and the infinities.

    What is nested more than `levels` deep is null too.
    """
    match value:
        case str():
            return without_surrogates(value)
        case float():
            return value if math.isfinite(value) else None
        case dict() | list() | tuple() if levels == 0:
            return None
        case dict():
            return {_key(key): sound_json(item, levels - 1) for key, item in value.items()}
        case list() | tuple():
            return [sound_json(item, levels - 1) for item in value]
        case _:
            return value


def _key(key: object) -> str:
    return without_surrogates(key if isinstance(key, str) else str(key))


def _text(value: object) -> str:
    return without_surrogates(str(value))
