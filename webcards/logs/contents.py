"""Finds what a web tool's recorded output says: a search service's body, a list of rows, or a known layout of text."""

from typing import Any

from msgspec import UNSET

from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, sequence, source, text
from webcards.logs.model import Found, FoundPage, FoundSources
from webcards.logs.naming import WEB_FETCH
from webcards.logs.outcome import Outcome
from webcards.logs.prose import page_in_text, sources_in_text

_WRAPPERS = (
    "structuredContent",
    "structured_content",
    "output",
    "result",
    "results",
    "data",
    "content",
    "response",
    "artifact",
)


def found_in(tool: str, args: Any, output: Any) -> Found | None:
    """What the output of a call records, or None where it lists no sources and names no page. Never raises."""
    if tool == WEB_FETCH:
        return _page(args, output)
    return _sources(output, 3)


def _page(args: Any, output: Any) -> FoundPage | None:
    """The page: as the output names it, else the one that was asked for."""
    value = decode_inner(output)
    for words in _texts(value):
        if page := page_in_text(words):
            return page
    body = mapping(value)
    meta = mapping(body.get("metadata"))
    recorded = text(body.get("url")) or text(meta.get("sourceURL")) or text(meta.get("url"))
    status = body.get("statusCode", body.get("status_code", meta.get("statusCode")))
    asked = recorded or asked_url(args)
    if asked is None:
        return None
    if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
        return FoundPage(asked, status)
    return FoundPage(asked)


def asked_url(args: Any) -> str | None:
    """The URL among the args of a fetch."""
    if isinstance(args, str):
        return args if args.strip() else None
    fields = mapping(args)
    for key in ("url", "uri", "link", "href", "website_url", "page_url"):
        if value := text(fields.get(key)):
            return value
    urls = [item for item in sequence(fields.get("urls")) if isinstance(item, str)]
    return urls[0] if len(urls) == 1 else None


def _sources(output: Any, levels: int) -> FoundSources | None:
    value = decode_inner(output)
    if isinstance(value, str):
        return sources_in_text(value)
    if isinstance(value, dict | list) and (found := body_sources(value)):
        return found
    if levels == 0:
        return None
    if isinstance(value, list):
        if found := search_result_blocks(value):
            return found
        blocks = [_block_value(block) for block in value]
        found_in_blocks = [found for block in blocks if (found := _sources(block, levels - 1))]
        return _joined(found_in_blocks)
    if isinstance(value, dict):
        if value.get("type") == "text" and isinstance(value.get("text"), str):
            return _sources(value["text"], levels - 1)
        for key in _WRAPPERS:
            if value.get(key) and (found := _sources(value[key], levels - 1)):
                return found
    return None


def search_result_blocks(content: Any) -> FoundSources | None:
    """Content blocks of type `search_result`: a source each, with its words as blocks of text."""
    sources = []
    for block in mappings(content):
        if block.get("type") == "search_result":
            words = "\n".join(text(part.get("text")) or "" for part in mappings(block.get("content")))
            sources.append(source(block.get("source") or block.get("url"), block.get("title"), words or None))
    kept = [item for item in sources if item is not None]
    return FoundSources(kept) if kept else None


def _block_value(block: Any) -> Any:
    return block["text"] if isinstance(block, dict) and isinstance(block.get("text"), str) else block


def _joined(parts: list[FoundSources]) -> FoundSources | None:
    """The sources of several blocks of one result, in order."""
    if len(parts) < 2:
        return parts[0] if parts else None
    answers = [part.answer for part in parts if isinstance(part.answer, str)]
    return FoundSources(
        [source for part in parts for source in part.sources],
        "\n\n".join(answers) if answers else UNSET,
        any(part.truncated for part in parts),
    )


def body_sources(value: Any) -> FoundSources | None:
    """The sources of a search service's body, in any of the known shapes."""
    from webcards.logs.formats import all_formats

    for known in all_formats():
        if known.outcomes is not None and known.knows(value):
            outcomes: list[Outcome] = list(known.outcomes(value))
            return next((item.found for item in outcomes if isinstance(item.found, FoundSources)), None)
    return None


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [block["text"] for block in mappings(value) if isinstance(block.get("text"), str)]
    return [value["content"]] if isinstance(value, dict) and isinstance(value.get("content"), str) else []
