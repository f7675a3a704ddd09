"""From events to rows: what the dashboard asks about, read from a `tool/call` and a `tool/result` event.
Pure.

Takes any JSON and never raises on it: an imported log is anybody's. Secrets are masked here, before
anything is kept.
"""

import json
import re
import sys
import threading
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

import ada_url
import msgspec
import zstandard

from webcards.masking import mask_text, mask_value
from webcards.store.latency import bucket

_TEXT_LIMIT = 4_000
_SOURCES = 200
_UNSAFE = re.compile(r"[\x00\ud800-\udfff]")
# A URL whose host stands there as browsers have it: small ASCII letters, no punycode, no number at the end.
_PLAIN_URL = re.compile(r"https?://((?:(?!xn--)[a-z0-9-]+\.)+[a-z]{2,})(?::[0-9]{1,4})?(?![^/?#])")
_POSITION = re.compile(r"\[\d+\]")
_of_this_thread = threading.local()


def plain(event: object) -> dict[str, Any]:
    """An event as JSON objects: a Struct of the contract's, or a dict already."""
    built = event if isinstance(event, dict) else msgspec.to_builtins(event)
    return built if isinstance(built, dict) else {}


def call_row(event: Mapping[str, Any], *, source: str, started_at: int) -> dict[str, Any]:
    """The columns that are known when a call starts."""
    data = _object(event.get("data"))
    args = _arguments(data.get("arguments"))
    url = _shown(args.get("url"))
    return {
        "call_id": _text(data.get("callId")) or "",
        "started_at": started_at,
        "source": source,
        "tool": _text(data.get("name")) or "unknown",
        "query": _query(args),
        "url": url,
        "host": host_of(url),
        "outcome": "unfinished",
        "fell_back": False,
        "dead": False,
    }


def result_row(
    event: Mapping[str, Any],
    *,
    settled_at: int,
    elapsed_ms: float | None,
    view_kind: str | None,
    fallback: tuple[str, str] | None,
    details: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns that are known when a call has settled. `details` goes before the event's own."""
    data = _object(event.get("data"))
    meta = _object(data.get("meta"))
    known = {**_object(data.get("details")), **(details or {})}
    block = _block(data)
    failed = block.get("isError") is True
    status = _status(meta.get("statusCode"))
    code = _error_code(data) if failed else None
    row: dict[str, Any] = {
        "settled_at": settled_at,
        "outcome": "error" if failed else "ok",
        "error_code": code,
        "status_code": status,
        "status_class": status // 100 if status is not None else None,
        "truncated": meta["truncated"] if isinstance(meta.get("truncated"), bool) else None,
        "provider": _provider(known),
        "bytes": _bytes(known) or _size(block),
        "sources": len(meta["sources"]) if isinstance(meta.get("sources"), list) else None,
        "view_kind": _text(view_kind),
        "elapsed_ms": elapsed_ms,
        "latency": None if elapsed_ms is None else bucket(elapsed_ms),
        "fell_back": fallback is not None,
        "dead": _dead(status, code),
        # Of the final URL, where there is one: that is the host that answered.
        "host": host_of(_shown(meta.get("url"))),
    }
    if fallback is not None:
        path, reason = _text(fallback[0]) or "$", _text(fallback[1]) or ""
        # Grouped by what is wrong, not by which of a hundred sources has it.
        grouped = f"{_POSITION.sub('[]', path)}: {reason}"[:_GROUP]
        row |= {"fallback_path": path, "fallback_reason": reason, "fallback": grouped}
    return row


_GROUP = 300


def source_rows(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a source of a search that has an http(s) URL, at most 200."""
    listed = _object(_object(event.get("data")).get("meta")).get("sources")
    rows = []
    for position, source in enumerate(listed[:_SOURCES] if isinstance(listed, list) else [], start=1):
        url = _shown(_object(source).get("url"))
        host = host_of(url)
        if url and host:
            rows.append({"position": position, "host": host, "url": url, "link": link_hash(url)})
    return rows


def pack_event(event: Mapping[str, Any]) -> bytes:
    """The event as compressed JSON, its secrets masked."""
    try:
        masked = mask_value(event, deepest=sys.maxsize)
    except RecursionError:
        # Nested deeper than we go: kept as the JSON text that it is.
        masked = {"type": event.get("type"), "data": {"unread": mask_text(_dump_deep(event))}}
    data = masked.get("data")
    if isinstance(data, dict) and isinstance(data.get("arguments"), str):
        data["arguments"] = _mask_arguments(data["arguments"])
    text = json.dumps(masked, ensure_ascii=False, separators=(",", ":"), default=str)
    return _compressor().compress(text.encode("utf-8", "surrogatepass"))


def _compressor() -> zstandard.ZstdCompressor:
    """This thread's: making one takes longer than an event does."""
    if not hasattr(_of_this_thread, "compressor"):
        _of_this_thread.compressor = zstandard.ZstdCompressor(level=3)
    made: zstandard.ZstdCompressor = _of_this_thread.compressor
    return made


def unpack_event(packed: bytes | None) -> dict[str, Any] | None:
    """The event again."""
    if packed is None:
        return None
    text = zstandard.ZstdDecompressor().decompress(packed).decode("utf-8", "surrogatepass")
    event: dict[str, Any] = json.loads(text)
    return event


def host_of(url: str | None) -> str | None:
    """The host of an http(s) URL, as the browser that follows the link has it; None for anything else."""
    if not url:
        return None
    if (plain_url := _PLAIN_URL.match(url)) is not None:
        return plain_url[1]
    try:
        parsed = ada_url.URL(url)
    except (ValueError, UnicodeError):
        return None
    return parsed.hostname or None if parsed.protocol in {"http:", "https:"} else None


def _dump_deep(event: Mapping[str, Any]) -> str:
    try:
        return json.dumps(event, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return ""


def link_hash(url: str) -> int:
    """A 64-bit hash of a URL, as a signed number that both databases hold."""
    digest = blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _mask_arguments(arguments: str) -> str:
    """A URL inside JSON text may hide behind escapes, so the text is read; it is kept as it was if nothing
    is masked.
    """
    try:
        read = json.loads(arguments)
        masked = mask_value(read, deepest=sys.maxsize)
    except (ValueError, RecursionError):
        return arguments
    return arguments if masked == read else json.dumps(masked, ensure_ascii=False)


def _arguments(arguments: object) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            return _object(json.loads(arguments))
        except (ValueError, RecursionError):
            return {}
    return _object(arguments)


def _query(args: Mapping[str, Any]) -> str | None:
    queries = args.get("queries")
    listed = queries if isinstance(queries, list) else [args.get("query")]
    joined = ", ".join(query for query in listed if isinstance(query, str))
    return _text(mask_text(joined)) if joined else None


def _shown(url: object) -> str | None:
    """A URL as it may be kept: secrets masked; userinfo is cut out even where the URL is otherwise odd."""
    if not isinstance(url, str):
        return None
    masked = mask_text(url)
    if "@" in masked:
        try:
            parts = urlsplit(masked)
            if parts.username is not None:
                masked = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        except ValueError:
            pass
    return _text(masked)


def _block(data: Mapping[str, Any]) -> dict[str, Any]:
    content = _object(data.get("message")).get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return next((block for block in blocks if block.get("type") == "tool-result"), {})


def _size(block: Mapping[str, Any]) -> int | None:
    content = block.get("content")
    texts = [_object(part).get("text") for part in content] if isinstance(content, list) else [content]
    sizes = [len(text.encode("utf-8", "replace")) for text in texts if isinstance(text, str)]
    return sum(sizes) if sizes else None


def _error_code(data: Mapping[str, Any]) -> str:
    return _text(_object(data.get("error")).get("code")) or "UNKNOWN"


def _dead(status: int | None, code: str | None) -> bool:
    """Whether a fetch shows that its link is dead: gone, or the server broken or not to be reached.

    A refusal (401, 403, 429, a blocked address) is no dead link.
    """
    if code is not None:
        return code in {"WEB_PROVIDER_ERROR", "WEB_FETCH_TIMEOUT"}
    return status in {404, 410} or (status is not None and status >= 500)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else None


def _provider(details: Mapping[str, Any]) -> str | None:
    """The engine that answered a search; of a fetch, whether the built-in demo web did."""
    named = _text(details.get("provider")) or _text(details.get("engine"))
    return named or ("library" if details.get("fromLibrary") is True else None)


def _bytes(details: Mapping[str, Any]) -> int | None:
    """What was read from the network, decoded."""
    counts = (_count(details.get(name)) for name in ("bytesDecoded", "bytesRead", "bytes"))
    return next((count for count in counts if count), None)


def _status(value: object) -> int | None:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 999
    return int(value) if whole and value == int(value) else None  # type: ignore[call-overload]


def _text(value: object) -> str | None:
    """A text that both databases take: no NUL, no lone surrogate, not without end."""
    if not isinstance(value, str):
        return None
    return _UNSAFE.sub("\ufffd", value[:_TEXT_LIMIT]) or None
