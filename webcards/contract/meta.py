"""The meta that travels beside the content: projected from a value, and narrowed back from whatever a log holds."""

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from webcards.contract.content import render_fetch_output
from webcards.contract.values import WebFetchResult, WebSearchResult, WebSource, present_fields, text_or_unset


class WebSearchMeta(Struct, frozen=True, rename="camel"):
    """`presentationMeta` of a search."""

    sources: list[WebSource]
    truncated: bool
    answer: str | UnsetType = UNSET


class WebFetchMeta(Struct, frozen=True, rename="camel"):
    """`presentationMeta` of a fetch. `url` is the final one."""

    url: str
    status_code: int
    truncated: bool


class Refusal(Struct, frozen=True, rename="camel"):
    """Why a meta was refused: the JSON path of the first fault, and what is wrong there."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def search_meta_from_value(value: WebSearchResult) -> dict[str, object]:
    """`{sources, truncated, answer?}`; absent optional fields stay absent."""
    answer = value.content if isinstance(value.content, str) else None
    return present_fields(WebSearchMeta(value.sources, value.truncated, text_or_unset(answer)))


def fetch_meta_from_value(value: WebFetchResult, max_chars: int, start: int = 0) -> dict[str, object]:
    """`{url, statusCode, truncated}`; `truncated` is decided by `render_fetch_output` and nowhere else."""
    _, truncated = render_fetch_output(value, max_chars, start)
    return present_fields(WebFetchMeta(value.url, value.status_code, truncated))


def search_meta_from_result(meta: object) -> WebSearchMeta | None:
    """The meta of a search, or None where it is absent or malformed. Never raises."""
    narrowed = narrow_search_meta(meta)
    return narrowed if isinstance(narrowed, WebSearchMeta) else None


def fetch_meta_from_result(meta: object) -> WebFetchMeta | None:
    """The meta of a fetch, or None where it is absent or malformed. Never raises."""
    narrowed = narrow_fetch_meta(meta)
    return narrowed if isinstance(narrowed, WebFetchMeta) else None


def narrow_search_meta(meta: object) -> WebSearchMeta | Refusal:
    """The meta of a search, or why it is refused."""
    return _narrow(meta, WebSearchMeta)


def narrow_fetch_meta(meta: object) -> WebFetchMeta | Refusal:
    """The meta of a fetch, or why it is refused. A status written as 200.0 is the whole number 200."""
    if isinstance(meta, dict):
        status = meta.get("statusCode")
        if isinstance(status, float) and status.is_integer():
            meta = {**meta, "statusCode": int(status)}
    return _narrow(meta, WebFetchMeta)


M = TypeVar("M", WebSearchMeta, WebFetchMeta)


def _narrow(meta: object, shape: type[M]) -> M | Refusal:
    try:
        return msgspec.convert(meta, shape)
    except (msgspec.ValidationError, UnicodeEncodeError):
        pass
    # msgspec reads keys, and text where it wants none, as UTF-8; JSON may spell half a surrogate pair there, and an
    # in-process caller may have keys that are no text. None of that decides anything: it is left out and tried again.
    try:
        return msgspec.convert(_known(meta), shape)
    except msgspec.ValidationError as error:
        return _refusal(str(error))


_NO_TEXT = ("truncated", "statusCode")
_KNOWN_KEYS = ("sources", "truncated", "answer", "url", "title", "snippet", "publishedAt", "statusCode")


def _known(value: object) -> object:
    """The value with known keys only, and an empty text in place of one that stands where something else should."""
    if isinstance(value, str):
        return ""
    if not isinstance(value, Mapping):
        return value
    kept = {key: _known(value[key]) if key in _NO_TEXT else value[key] for key in _KNOWN_KEYS if key in value}
    if "sources" in kept:
        sources = kept["sources"]
        kept["sources"] = [_known(item) for item in sources] if isinstance(sources, list) else _known(sources)
    return kept


_PLACED = re.compile(r"(?s)(?P<what>.*) - at `(?P<path>\$.*)`")
_MISSING = re.compile(r"Object missing required field `(?P<field>.*)`")
_TYPE_NAMES = {"array": "list"}


def _refusal(message: str) -> Refusal:
    """msgspec's words as a path and a reason; a missing field is placed at the field, not at the object around it."""
    placed = _PLACED.fullmatch(message)
    what, path = (placed["what"], placed["path"]) if placed else (message, "$")
    missing = _MISSING.fullmatch(what)
    if missing:
        return Refusal(f"{path}.{missing['field']}", "required, but missing")
    reason = re.sub(r"`(\w+)`", lambda name: _TYPE_NAMES.get(name[1], name[1]), what)
    return Refusal(path, reason[:1].lower() + reason[1:])
