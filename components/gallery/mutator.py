"""Malformed metas made from a good one: each field removed, null, of each wrong type, and the whole of it out of shape."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

from webcards.contract import Refusal, ToolResult
from webcards.tools.presenters import explain

How = Literal["removed", "null", "type", "extra", "deep", "huge", "whole"]

# One good source stands for all, but the last shows that a list is read to its end.
_SOURCES = 2
_FIELDS = 12
_DEEP = 2_000
_HUGE_TEXT = 1_000_000
_HUGE_LIST = 20_000

_OF_EACH_TYPE: dict[str, Any] = {
    "null": None,
    "bool": True,
    "int": 7,
    "float": 0.5,
    "str": "seven",
    "list": [],
    "object": {},
}


class Mutation(Struct, frozen=True):
    """A meta that was changed at one place. `path` is that place, `with_` what stands there now, in a word or two."""

    how: How
    path: str
    with_: str
    meta: Any


class Verdict(Struct, frozen=True):
    """What became of a mutation: `refusal` is why there is no card, None where the card is drawn."""

    mutation: Mutation
    refusal: Refusal | None


def mutations(meta: Any) -> Iterator[Mutation]:
    """The malformed metas around a meta, and some harmless ones, which must not be refused."""
    yield from _whole(meta)
    if not isinstance(meta, dict):
        return
    for path, place in _places(meta):
        holder = _at(meta, place[:-1])
        key = place[-1]
        if isinstance(holder, dict):
            yield Mutation("removed", path, "", _changed(meta, place, _REMOVED))
        for name, value in _OF_EACH_TYPE.items():
            if name != _type_name(_at(meta, place)):
                how: How = "null" if value is None else "type"
                yield Mutation(how, path, name, _changed(meta, place, value))
        yield Mutation("deep", path, f"{_DEEP} × []", _changed(meta, place, _nested(_DEEP)))
        if isinstance(_at(meta, place), str):
            yield Mutation("huge", path, f"{_HUGE_TEXT} × x", _changed(meta, place, "x" * _HUGE_TEXT))
        if isinstance(_at(meta, place), int) and not isinstance(_at(meta, place), bool):
            yield Mutation("huge", path, "10⁴⁰", _changed(meta, place, 10**40))
        if key == "sources" and isinstance(_at(meta, place), list) and _at(meta, place):
            many = [_at(meta, place)[0]] * _HUGE_LIST
            yield Mutation("huge", path, f"{_HUGE_LIST} ×", _changed(meta, place, many))
    yield from _extra_keys(meta)


def _whole(meta: Any) -> Iterator[Mutation]:
    for name, value in _OF_EACH_TYPE.items():
        if name != _type_name(meta) or value == {}:
            yield Mutation("whole", "$", name, value)
    yield Mutation("whole", "$", "[meta]", [meta])
    yield Mutation("deep", "$", f"{_DEEP} × []", _nested(_DEEP))


def _extra_keys(meta: dict[str, Any]) -> Iterator[Mutation]:
    for name, value in (
        ("int", 1),
        ("null", None),
        (f"{_DEEP} × []", _nested(_DEEP)),
        (f"{_HUGE_TEXT} × x", "x" * _HUGE_TEXT),
    ):
        yield Mutation("extra", "$.extra", name, {**meta, "extra": value})
    sources = meta.get("sources")
    if isinstance(sources, list) and sources and isinstance(sources[0], dict):
        spoilt = [{**sources[0], "extra": _nested(_DEEP)}, *sources[1:]]
        yield Mutation("extra", "$.sources[0].extra", f"{_DEEP} × []", {**meta, "sources": spoilt})


Place = tuple[str | int, ...]
_REMOVED = object()


def _places(meta: dict[str, Any]) -> Iterator[tuple[str, Place]]:
    """Each field of the meta, and of its first and last sources; of thousands of fields only the first."""
    for key, value in islice(meta.items(), _FIELDS):
        yield f"$.{key}", (key,)
        if key != "sources" or not isinstance(value, list):
            continue
        for index in sorted({*range(min(len(value), _SOURCES - 1)), len(value) - 1} - {-1}):
            yield f"$.sources[{index}]", (key, index)
            if isinstance(value[index], dict):
                for name in islice(value[index], _FIELDS):
                    yield f"$.sources[{index}].{name}", (key, index, name)


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _changed(value: Any, place: Place, new: Any) -> Any:
    """A copy of the value that has something else at a place, or nothing."""
    step, rest = place[0], place[1:]
    inner = _changed(value[step], rest, new) if rest else new
    if isinstance(value, dict):
        return {
            key: inner if key == step else kept for key, kept in value.items() if key != step or inner is not _REMOVED
        }
    return [inner if index == step else kept for index, kept in enumerate(value)]


def _type_name(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "str"
        case list():
            return "list"
        case _:
            return "object"


def _nested(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


def verdicts(tool: str, args: Any, result: Any) -> list[Verdict]:
    """What becomes of each mutation of a result's meta."""
    settled = ToolResult.from_json(result)
    out = []
    for mutation in mutations(settled.meta):
        drawn = explain(tool, args, ToolResult(settled.content, False, mutation.meta))
        out.append(Verdict(mutation, drawn if isinstance(drawn, Refusal) else None))
    return out


_REQUIRED = {
    "web_search": {"$.sources", "$.truncated", "$.sources[].url"},
    "web_fetch": {"$.url", "$.statusCode", "$.truncated"},
}
_OPTIONAL = {
    "web_search": {"$.answer", "$.sources[]", "$.sources[].title", "$.sources[].snippet", "$.sources[].publishedAt"},
    "web_fetch": set[str](),
}


def expected_to_fall_back(tool: str, mutation: Mutation) -> bool | None:
    """Whether the contract refuses this change; None where it leaves that open (a status beyond any sense)."""
    field = re.sub(r"\[\d+\]", "[]", mutation.path)
    required = field in _REQUIRED[tool]
    known = required or field in _OPTIONAL[tool]
    match mutation.how:
        case "whole":
            return True
        case "removed":
            return required
        case "type" if field == "$.statusCode" and mutation.with_ == "int":
            return False  # from 200.0 to a whole number
        case "null" | "type" | "deep":
            return known or field == "$"
        case "extra":
            return False
        case "huge":
            return None if field == "$.statusCode" else False
