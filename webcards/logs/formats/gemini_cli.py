"""Gemini CLI's recordings: rows `{method, response}`, in which a tool call is one response and its search another."""

from collections.abc import Iterator
from typing import Any

from webcards.logs.contents import found_in
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.gemini import grounding_sources, spoken
from webcards.logs.framing import Row
from webcards.logs.model import FoundPage, FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing
from webcards.logs.prose import first_url

NAME = "gemini-cli"


def recognises(row: Any) -> bool:
    """A row with the method that was called and its response."""
    return (
        isinstance(row, dict)
        and isinstance(row.get("method"), str)
        and row["method"].startswith(("generateContent", "countTokens", "embedContent"))
        and "response" in row
    )


class RecordingReader:
    """Reads a recording. The response that follows a call of the search tool, with grounding, is that search's own."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._open: list[Draft] = []

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one row."""
        response = mapping(row.value).get("response")
        for part in [response] if isinstance(response, dict) else list(mappings(response)):
            for candidate in mappings(part.get("candidates")):
                yield from self._candidate(row, candidate)
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """The calls whose own response is not in the recording."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls whose own response has not come."""
        return self._pairing.waiting()

    def _candidate(self, row: Row, candidate: dict[str, Any]) -> Iterator[LogItem]:
        for part in mappings(mapping(candidate.get("content")).get("parts")):
            if isinstance(part.get("functionCall"), dict):
                self._call(row, part["functionCall"])
            if isinstance(part.get("functionResponse"), dict):
                self._response(row, part["functionResponse"])
        words = "".join(spoken(candidate))
        grounding, context = mapping(candidate.get("groundingMetadata")), mapping(candidate.get("urlContextMetadata"))
        if grounding or context:
            self._grounded(row, words, grounding, context)
        elif words:
            yield LoggedAnswer(text=words, format=NAME, position=row.position)

    def _call(self, row: Row, call: dict[str, Any]) -> None:
        name = text(call.get("name")) or ""
        if (tool := web_tool(name)) is None:
            return
        draft = Draft(
            NAME,
            row.position,
            call_id=text(call.get("id")),
            tool=tool,
            tool_name=name,
            args=call.get("args"),
            raw=row.raw,
        )
        self._open.append(self._pairing.begin(draft))

    def _response(self, row: Row, response: dict[str, Any]) -> None:
        call_id, name = text(response.get("id")), text(response.get("name"))
        known = next((item for item in self._open if item.call_id == call_id and item.tool_name == name), None)
        if known is None:
            return
        self._open.remove(known)
        inner = mapping(response.get("response"))
        words, error = text(inner.get("output")) or "", text(inner.get("error"))
        known.add_record(row.position, row.raw)
        if error:
            known.error = LoggedError(message=error)
        else:
            known.found = asked_page(known) if known.tool != WEB_SEARCH else found_in(known.tool, known.args, words)
        self._pairing.settle(known, LoggedResult(content=text_blocks(error or words), is_error=bool(error)))

    def _grounded(self, row: Row, words: str, grounding: dict[str, Any], context: dict[str, Any]) -> None:
        wanted = WEB_SEARCH if grounding.get("webSearchQueries") or not context else None
        known = next((item for item in self._open if wanted is None or item.tool == wanted), None)
        known = known or next(iter(self._open), None)
        if known is None:
            queries = grounding.get("webSearchQueries")
            args = {"queries": queries} if queries else {}
            known = self._pairing.begin(Draft(NAME, row.position, tool=WEB_SEARCH, args=args, raw=row.raw))
        else:
            self._open.remove(known)
            known.add_record(row.position, row.raw)
        if known.tool == WEB_SEARCH:
            known.found = FoundSources(grounding_sources(grounding))
            known.answer(words)
        else:
            known.found = asked_page(known)
        self._pairing.settle(known, LoggedResult(content=text_blocks(words) if words else []))


def asked_page(draft: Draft) -> FoundPage | None:
    """The page that a fetch was asked for: its URL stands in the prompt."""
    args = mapping(draft.args)
    url = text(args.get("url")) or first_url(text(args.get("prompt")) or "")
    return FoundPage(url) if url else None


FORMAT = Format(NAME, recognises, RecordingReader)
