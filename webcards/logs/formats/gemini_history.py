"""Gemini CLI's sessions, whose messages list their tool calls, and histories of contents made of parts."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.logs.contents import found_in
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.gemini_cli import NAME, asked_page
from webcards.logs.framing import Row
from webcards.logs.model import LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft, Pairing

_LISTS = ("messages", "contents", "history")
_RUNNING = ("executing", "scheduled", "validating", "awaiting_approval")
_FAILED = ("error", "cancelled")


def recognises(row: Any) -> bool:
    """A session or a history with a web tool's call or answer, or one of its messages alone."""
    return any(_tells(message) for message, _ in _messages(row))


def _messages(row: Any) -> list[tuple[dict[str, Any], str]]:
    if isinstance(row, list):
        return [(message, f"[{place}]") for place, message in enumerate(row) if isinstance(message, dict)]
    fields = mapping(row)
    for key in _LISTS:
        if isinstance(fields.get(key), list):
            numbered = enumerate(fields[key])
            return [(message, f".{key}[{place}]") for place, message in numbered if isinstance(message, dict)]
    return [(fields, "")]


def _tells(message: dict[str, Any]) -> bool:
    names = [call.get("name") for call in mappings(message.get("toolCalls"))] if message.get("type") == "gemini" else []
    if "role" in message:
        names += [
            mapping(part.get(key)).get("name")
            for part in mappings(message.get("parts"))
            for key in ("functionCall", "functionResponse")
        ]
    return any(isinstance(name, str) and web_tool(name) is not None for name in names)


class HistoryReader:
    """Reads messages. A function's answer belongs to the oldest open call of its id, or else of its name."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._open: list[Draft] = []

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one session, one history, or one message."""
        for message, path in _messages(row.value):
            for place, call in enumerate(mappings(message.get("toolCalls"))):
                self._session_call(row, f"{path}.toolCalls[{place}]", call)
            for place, part in enumerate(mappings(message.get("parts"))):
                if isinstance(part.get("functionCall"), dict):
                    self._begin(row, f"{path}.parts[{place}]", part["functionCall"], None)
                if isinstance(part.get("functionResponse"), dict):
                    self._answer(row, f"{path}.parts[{place}]", part["functionResponse"])
            if words := _spoken(message):
                yield LoggedAnswer(text=words, format=NAME, position=_at(row, path))
        yield from self._pairing.ready()

    def finish(self) -> Iterator[LogItem]:
        """The calls that never got an answer."""
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """The calls that have no answer yet."""
        return self._pairing.waiting()

    def _begin(self, row: Row, path: str, call: dict[str, Any], time: Any) -> Draft | None:
        name = text(call.get("name")) or ""
        if (tool := web_tool(name)) is None:
            return None
        draft = Draft(
            NAME,
            _at(row, path),
            call_id=text(call.get("id")),
            tool=tool,
            tool_name=name,
            args=call.get("args", UNSET),
            time=time,
            raw=row.raw,
        )
        draft.notes.extend(row.notes)
        self._open.append(self._pairing.begin(draft))
        return draft

    def _session_call(self, row: Row, path: str, call: dict[str, Any]) -> None:
        draft = self._begin(row, path, call, text(call.get("timestamp")))
        if draft is None:
            return
        answers = [mapping(part.get("functionResponse")) for part in mappings(call.get("result"))]
        response = mapping(next((mapping(answer.get("response")) for answer in answers if answer), {}))
        status = call.get("status")
        if status in _RUNNING or (not response and status not in _FAILED and "result" not in call):
            return
        self._open.remove(draft)
        shown = text(call.get("resultDisplay"))
        self._settle(draft, response, failed=status in _FAILED, otherwise=shown or str(status))

    def _answer(self, row: Row, path: str, answer: dict[str, Any]) -> None:
        call_id, name = text(answer.get("id")), text(answer.get("name"))
        draft = next((item for item in self._open if call_id is not None and item.call_id == call_id), None)
        draft = draft or next((item for item in self._open if item.call_id is None and item.tool_name == name), None)
        if draft is None:
            return
        self._open.remove(draft)
        draft.add_record(_at(row, path), b"" if row.raw in draft.raw else row.raw)
        self._settle(draft, mapping(answer.get("response")), failed=False, otherwise="")

    def _settle(self, draft: Draft, response: dict[str, Any], *, failed: bool, otherwise: str) -> None:
        error = text(response.get("error"))
        recorded = response.get("output", response.get("result", response.get("content", response or None)))
        if failed or error:
            words = error or text(recorded) or otherwise
            draft.error = LoggedError(message=words)
            self._pairing.settle(draft, LoggedResult(content=text_blocks(words), is_error=True))
            return
        draft.found = found_in(draft.tool, draft.args, recorded) if draft.tool == WEB_SEARCH else asked_page(draft)
        self._pairing.settle(draft, LoggedResult(content=text_blocks(recorded)))


def _at(row: Row, path: str) -> Any:
    return replace(row.position, path=row.position.path + path) if path else row.position


def _spoken(message: dict[str, Any]) -> str:
    """The words of the model: a session's message, or the texts of a model's parts without its thoughts."""
    if message.get("type") == "gemini":
        return text(message.get("content")) or ""
    if message.get("role") != "model":
        return ""
    return "".join(
        text(part.get("text")) or "" for part in mappings(message.get("parts")) if part.get("thought") is not True
    )


FORMAT = Format(NAME, recognises, HistoryReader)
