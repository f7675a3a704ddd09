"""Gemini's responses with grounding or URL context, and its Interactions."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.contract.values import WebSource
from webcards.logs.fields import mapping, mappings, number, sequence, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import (
    FoundPage,
    FoundSources,
    LoggedAnswer,
    LoggedCall,
    LoggedError,
    LoggedResult,
    LogItem,
    LogProblem,
)
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH
from webcards.logs.pairing import Draft
from webcards.logs.turns import give_answer, url_citations

NAME = "gemini"
# Names of a candidate as the client in Python prints them.
_SNAKE = ("grounding_metadata", "url_context_metadata", "finish_reason")
_CAMEL = re.compile("(?<=[a-z])_([a-z])")
_FETCHED = (
    "URL_RETRIEVAL_STATUS_SUCCESS",
    "SUCCESS",
)


def recognises(row: Any) -> bool:
    """Candidates of a response, or steps of an interaction."""
    if not isinstance(row, dict):
        return False
    candidates = row.get("candidates")
    if any(key in item for item in mappings(candidates) for key in ("content", "groundingMetadata", _SNAKE[0])):
        return True
    return any(str(item.get("type", "")).startswith(("google_search_", "url_context_")) for item in _steps(row))


def _steps(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [*mappings(row.get("steps")), *mappings(row.get("outputs"))]


class GroundingReader:
    """Reads responses. The chunks of a streamed one are put together: its metadata comes with the last."""

    def __init__(self) -> None:
        self._rows: list[Row] = []

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one response, one chunk of a streamed one, or one interaction."""
        value = mapping(row.value)
        if "candidates" not in value:
            if steps := _steps(value):
                yield from _interaction(row, value, steps)
            return
        if self._rows and not _same_response(self._rows[-1].value, value):
            yield from self.finish()
        self._rows.append(row)
        if any(item.get("finishReason") for item in candidates_of(value)):
            yield from self.finish()

    def finish(self) -> Iterator[LogItem]:
        """The response as far as it came."""
        rows, self._rows = self._rows, []
        if rows:
            yield from read_response(NAME, rows)

    def waiting(self) -> list[LoggedCall]:
        """The calls of the response that is being streamed."""
        items = read_response(NAME, self._rows) if self._rows else iter(())
        return [item for item in items if isinstance(item, LoggedCall)]


def _same_response(before: Any, after: dict[str, Any]) -> bool:
    fields = mapping(before)
    return all(fields.get(key) == after.get(key) for key in ("responseId", "response_id"))


def candidates_of(response: dict[str, Any]) -> list[dict[str, Any]]:
    """The candidates of a response, with the names that the service gives; a client in Python prints others."""
    return [
        camel_case(item) if any(key in item for key in _SNAKE) else item
        for item in mappings(response.get("candidates"))
    ]


def camel_case(value: Any, depth: int = 12) -> Any:
    """The same JSON with `snake_case` names as `camelCase`."""
    if isinstance(value, dict) and depth:
        return {_CAMEL.sub(lambda at: at[1].upper(), key): camel_case(item, depth - 1) for key, item in value.items()}
    return [camel_case(item, depth - 1) for item in value] if isinstance(value, list) and depth else value


def read_response(format_name: str, rows: list[Row]) -> Iterator[LogItem]:
    """The calls of one response: one search for its grounding, one fetch for each URL of its context."""
    candidates: dict[int, dict[str, Any]] = {}
    for row in rows:
        for place, item in enumerate(candidates_of(mapping(row.value))):
            merged = candidates.setdefault(number(item.get("index")) or place, {"text": []})
            merged["text"].extend(spoken(item))
            for key in ("groundingMetadata", "urlContextMetadata"):
                if isinstance(item.get(key), dict):
                    merged[key] = {**merged.get(key, {}), **item[key]}
    any_call = False
    for place, merged in candidates.items():
        words = "".join(merged["text"])
        if "groundingMetadata" in merged or "urlContextMetadata" in merged:
            any_call = True
            for draft in _candidate(format_name, rows, place, merged, words):
                yield draft.freeze()
        if words:
            yield LoggedAnswer(text=words, format=format_name, position=rows[-1].position)
    if not any_call and not any(_calls_tools(row) for row in rows):
        place_ = rows[0].position
        message = "a response without grounding metadata: it records no web call"
        yield LogProblem(place_.line, 1, message, place_.member)


def _calls_tools(row: Row) -> bool:
    parts = [
        part
        for item in mappings(mapping(row.value).get("candidates"))
        for part in mappings(mapping(item.get("content")).get("parts"))
    ]
    return any(key in part for part in parts for key in ("functionCall", "functionResponse", "function_call"))


def spoken(candidate: dict[str, Any]) -> list[str]:
    """The texts that a candidate says, without its thoughts."""
    parts = mappings(mapping(candidate.get("content")).get("parts"))
    return [part["text"] for part in parts if isinstance(part.get("text"), str) and part.get("thought") is not True]


def _candidate(format_name: str, rows: list[Row], place: int, merged: dict[str, Any], words: str) -> Iterator[Draft]:
    grounding = merged.get("groundingMetadata")
    if grounding:
        queries = [item for item in sequence(grounding.get("webSearchQueries")) if isinstance(item, str)]
        args: Any = {"queries": queries} if queries else UNSET
        draft = _draft(format_name, rows, f".candidates[{place}].groundingMetadata", WEB_SEARCH, args)
        draft.result = LoggedResult(content=[])
        draft.found = FoundSources(grounding_sources(grounding))
        give_answer([draft], words)
        yield draft
    for url in mappings(mapping(merged.get("urlContextMetadata")).get("urlMetadata")):
        retrieved = text(url.get("retrievedUrl")) or text(url.get("retrieved_url")) or ""
        status = text(url.get("urlRetrievalStatus")) or text(url.get("url_retrieval_status"))
        args = {"url": retrieved}
        draft = _draft(format_name, rows, f".candidates[{place}].urlContextMetadata", WEB_FETCH, args)
        failed = status is not None and status not in _FETCHED
        draft.result = LoggedResult(content=text_blocks(status) if failed else [], is_error=failed)
        if failed:
            draft.error = LoggedError(code=status)
        else:
            draft.found = FoundPage(retrieved)
        yield draft


def _draft(format_name: str, rows: list[Row], path: str, tool: str, args: Any) -> Draft:
    place = rows[-1].position
    draft = Draft(format_name, replace(place, path=place.path + path), tool=tool, args=args, raw=rows[-1].raw)
    for row in rows[:-1]:
        draft.add_record(row.position, row.raw)
    draft.notes.extend(note for row in rows for note in row.notes)
    return draft


def grounding_sources(grounding: dict[str, Any]) -> list[WebSource]:
    """The chunks in order; the snippet of each is what the answer rests on it."""
    quotes: dict[int, list[str]] = {}
    for support in mappings(grounding.get("groundingSupports")):
        quoted = text(mapping(support.get("segment")).get("text"))
        for index in sequence(support.get("groundingChunkIndices")):
            if quoted and isinstance(index, int) and quoted not in quotes.setdefault(index, []):
                quotes[index].append(quoted)
    sources = []
    for place, chunk in enumerate(mappings(grounding.get("groundingChunks"))):
        inner = mapping(chunk.get("web")) or mapping(chunk.get("retrievedContext")) or mapping(chunk.get("maps"))
        snippet = "\n".join(quotes[place]) if place in quotes else inner.get("text")
        if made := source(inner.get("uri"), inner.get("title"), snippet):
            sources.append(made)
    return sources


def _interaction(row: Row, value: dict[str, Any], steps: list[dict[str, Any]]) -> Iterator[LogItem]:
    """An interaction's steps: the results of its searches are only HTML chips, the sources are in the output's citations."""
    drafts: list[Draft] = []
    by_id: dict[str, Draft] = {}
    words: list[str] = []
    cited = []
    key = "steps" if "steps" in value else "outputs"
    for place, step in enumerate(steps):
        kind = str(step.get("type", ""))
        call_id = text(step.get("call_id")) or text(step.get("id"))
        if kind in ("google_search_call", "url_context_call"):
            tool = WEB_SEARCH if kind == "google_search_call" else WEB_FETCH
            draft = _draft(NAME, [row], f".{key}[{place}]", tool, step.get("arguments", UNSET))
            draft.call_id, draft.tool_name = call_id, kind.removesuffix("_call")
            drafts.append(draft)
            if call_id is not None:
                by_id[call_id] = draft
        elif kind in ("google_search_result", "url_context_result"):
            known = by_id.get(call_id or "") or next((item for item in drafts if item.result is None), None)
            if known is not None:
                _settle(known, step)
        elif kind in ("model_output", "text", "output_text"):
            for part in [step] if "text" in step else list(mappings(step.get("content"))):
                words.append(text(part.get("text")) or "")
                cited.extend(url_citations(part.get("annotations")))
    give_answer(drafts, "".join(words), cited)
    yield from (draft.freeze() for draft in drafts)
    if any(words):
        urls = tuple(item.url for item in cited)
        yield LoggedAnswer(text="".join(words), cited=urls, format=NAME, position=row.position)


def _settle(draft: Draft, step: dict[str, Any]) -> None:
    failed = step.get("is_error") is True
    draft.result = LoggedResult(content=[], is_error=failed)
    if failed:
        draft.error = LoggedError(message=text(step.get("error")))
    elif draft.tool == WEB_FETCH:
        urls = [item for item in sequence(mapping(draft.args).get("urls")) if isinstance(item, str)]
        draft.found = FoundPage(urls[0]) if urls else None


FORMAT = Format(NAME, recognises, GroundingReader)
