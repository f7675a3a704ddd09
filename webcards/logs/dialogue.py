"""Conversations as lists of messages, in which the assistant calls tools and tools answer, in the shapes in use.

OpenAI's (`tool_calls`, role `tool`), LangChain's (type `ai`, type `tool`), and content blocks `tool_use`/`tool_result`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from webcards.logs.contents import found_in
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.framing import Row
from webcards.logs.model import FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import web_tool
from webcards.logs.pairing import Draft, Pairing
from webcards.logs.turns import only_search

_SHORTEST_ID = 8


class Call(Struct, frozen=True):
    """A call as a message words it."""

    call_id: str | None
    name: str
    args: Any


class Answered(Struct, frozen=True):
    """A tool's answer as a message words it."""

    call_id: str | None
    name: str | None
    content: Any
    failed: bool
    artifact: Any


def calls_of(message: dict[str, Any]) -> Iterator[Call]:
    """The calls in an assistant's message."""
    extra = mapping(message.get("additional_kwargs"))
    for call in mappings(message.get("tool_calls") or extra.get("tool_calls")):
        function = mapping(call.get("function"))
        arguments = function.get("arguments", call.get("args", call.get("arguments", UNSET)))
        yield Call(
            text(call.get("id")), text(function.get("name")) or text(call.get("name")) or "", decode_inner(arguments, 1)
        )
    if function := mapping(message.get("function_call") or extra.get("function_call")):
        name = text(function.get("name")) or ""
        yield Call(None, name, decode_inner(function.get("arguments", UNSET), 1))
    for block in mappings(message.get("content")):
        if block.get("type") == "tool_use":
            yield Call(text(block.get("id")), text(block.get("name")) or "", block.get("input", UNSET))
        elif block.get("type") == "tool-call":
            args = block.get("input", block.get("args", UNSET))
            yield Call(text(block.get("toolCallId")), text(block.get("toolName")) or "", decode_inner(args, 1))


def answers_of(message: dict[str, Any]) -> Iterator[Answered]:
    """The tools' answers in a message."""
    parts = any(block.get("type") == "tool-result" for block in mappings(message.get("content")))
    if (message.get("role") in ("tool", "function") and not parts) or message.get("type") in ("tool", "ToolMessage"):
        yield Answered(
            text(message.get("tool_call_id")),
            text(message.get("name")),
            message.get("content"),
            message.get("status") == "error" or message.get("is_error") is True,
            message.get("artifact"),
        )
    for block in mappings(message.get("content")):
        if block.get("type") == "tool_result":
            yield Answered(
                text(block.get("tool_use_id")), None, block.get("content"), block.get("is_error") is True, None
            )
        elif block.get("type") in ("tool-result", "tool-error"):
            yield _answered_part(block)


def _answered_part(part: dict[str, Any]) -> Answered:
    """The AI SDK's result: a value and what kind of value it is; in older versions the value alone."""
    output: Any = part.get("output", part.get("result", part.get("error")))
    kind = mapping(output).get("type")
    failed = part.get("type") == "tool-error" or part.get("isError") is True or kind in ("error-text", "error-json")
    if kind in ("text", "json", "content", "error-text", "error-json") and "value" in mapping(output):
        output = output["value"]
    return Answered(text(part.get("toolCallId")), text(part.get("toolName")), output, failed, None)


def spoken(message: dict[str, Any]) -> str:
    """The text of an assistant's message."""
    if message.get("role", message.get("type")) not in ("assistant", "ai", "AIMessage", "AIMessageChunk"):
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(
        text(part.get("text")) or "" for part in mappings(content) if part.get("type") in ("text", "output_text")
    )


def is_question(message: dict[str, Any]) -> bool:
    """Whether a person says something in this message: a new turn begins."""
    if message.get("role", message.get("type")) not in ("user", "human", "HumanMessage"):
        return False
    return not any(block.get("type") == "tool_result" for block in mappings(message.get("content")))


def has_web_calls(messages: Any) -> bool:
    """Whether any of these messages calls a web tool."""
    return any(web_tool(call.name) for message in mappings(messages) for call in calls_of(unpacked(message)))


def unpacked(message: dict[str, Any]) -> dict[str, Any]:
    """A message without the constructor that LangChain's own serialisation wraps around it."""
    if message.get("type") == "constructor" and isinstance(message.get("kwargs"), dict):
        kind = str((message.get("id") or [""])[-1]) if isinstance(message.get("id"), list) else ""
        return {"type": kind, **message["kwargs"]}
    data = message.get("data")
    if isinstance(data, dict) and "content" in data and isinstance(message.get("type"), str):
        return {"type": message["type"], **data}
    return message


class Dialogue:
    """The reading of one conversation. It may be given in pieces; a turn's answer goes to its only search."""

    def __init__(self, format_name: str) -> None:
        self._format = format_name
        self._pairing = Pairing()
        self._turn: list[Draft] = []
        self._said = ""
        self._said_at: tuple[Row, Any] | None = None

    def take(self, row: Row, message: dict[str, Any], path: str) -> Iterator[LogItem]:
        """Takes one message."""
        message = unpacked(message)
        if is_question(message):
            self.end_turn()
        place = replace(row.position, path=row.position.path + path)
        calls, answers = list(calls_of(message)), list(answers_of(message))
        # What the service itself ran stands in one message with its result.
        own = {call.call_id for call in calls if call.call_id is not None}
        for answer in answers:
            if answer.call_id not in own:
                self._answer(row, place, message, answer)
        for call in calls:
            self._call(row, place, message, call)
        for answer in answers:
            if answer.call_id in own:
                self._answer(row, place, message, answer)
        if words := spoken(message):
            # Words beside calls that wait for their results are no answer yet.
            answered = {answer.call_id for answer in answers}
            self._said = "" if any(call.call_id not in answered for call in calls) else words
            self._said_at = row, place
            yield LoggedAnswer(text=words, format=self._format, position=place)
        yield from self._pairing.ready()

    def end_turn(self) -> None:
        """Gives the turn's last words to its only search."""
        if (search := only_search(self._turn)) is not None:
            self._end(search)
        for draft in self._turn:
            draft.held = False
        self._turn, self._said = [], ""

    def _end(self, search: Draft) -> None:
        if self._said and isinstance(search.found, FoundSources):
            search.answer(self._said)
            if self._said_at is not None:
                _add(search, *self._said_at)

    def finish(self) -> Iterator[LogItem]:
        """What is left."""
        self.end_turn()
        yield from self._pairing.rest()

    def waiting(self) -> list[LoggedCall]:
        """What is not given out yet."""
        return self._pairing.waiting(only_search(self._turn), self._end)

    def open_ids(self) -> set[str]:
        """The ids of the calls that wait for their results."""
        return {draft.call_id for draft in self._turn if draft.result is None and draft.call_id is not None}

    def _call(self, row: Row, place: Any, message: dict[str, Any], call: Call) -> None:
        if (tool := web_tool(call.name)) is None:
            return
        draft = Draft(
            self._format,
            place,
            call_id=call.call_id,
            tool=tool,
            tool_name=call.name,
            args=call.args,
            time=_time(message),
            raw=row.raw,
        )
        draft.held = True
        draft.notes.extend(row.notes)
        self._turn.append(self._pairing.begin(draft))

    def _answer(self, row: Row, place: Any, message: dict[str, Any], answer: Answered) -> None:
        draft = self._pairing.find(answer.call_id) if answer.call_id is not None else self._unnamed(answer.name)
        if draft is None:
            tool = web_tool(answer.name or "")
            if tool is None:
                return
            draft = Draft(
                self._format,
                place,
                call_id=answer.call_id,
                tool=tool,
                tool_name=answer.name,
                time=_time(message),
                raw=row.raw,
            )
            draft.held = True
            draft.notes.append("the log has this result, but not its call")
            self._turn.append(self._pairing.begin(draft))
        else:
            _add(draft, row, place)
        result = LoggedResult(content=text_blocks(answer.content), is_error=answer.failed)
        if answer.failed:
            draft.error = LoggedError(message=result.text)
        else:
            draft.found = found_in(draft.tool, draft.args, answer.content)
            if draft.found is None and answer.artifact is not None:
                draft.found = found_in(draft.tool, draft.args, answer.artifact)
        self._pairing.settle(draft, result)

    def _unnamed(self, name: str | None) -> Draft | None:
        """The oldest open call without an id of this tool: older messages name the tool and nothing else."""
        open_ = (draft for draft in self._turn if draft.result is None and draft.call_id is None)
        return next((draft for draft in open_ if name is None or draft.tool_name == name), None)


class MessagesReader:
    """Reads lists of messages, each a conversation of its own; single messages, one a row, are one conversation.

    A list that goes on with the one before it, as streams of a graph's states and updates do, is the same conversation:
    it repeats messages by their ids, or answers calls that are still open.
    """

    def __init__(self, format_name: str, messages_of: Callable[[Any], tuple[list[dict[str, Any]], str]]) -> None:
        self._format, self._messages_of = format_name, messages_of
        self._loose = Dialogue(format_name)
        self._thread = Dialogue(format_name)
        self._seen: set[tuple[str, int]] = set()

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one list of messages, or one message."""
        messages, path = self._messages_of(row.value)
        if not path:
            for message in messages:
                yield from self._loose.take(row, message, "")
            return
        if not self._goes_on(messages):
            yield from self._end_thread()
        for place, message in enumerate(messages):
            if (known := _identity(message)) is not None:
                if known in self._seen:
                    continue
                self._seen.add(known)
            yield from self._thread.take(row, message, path.format(place))
        if not self._seen and not self._thread.open_ids():
            yield from self._end_thread()

    def finish(self) -> Iterator[LogItem]:
        """What the last list and the single messages left."""
        yield from self._end_thread()
        yield from self._loose.finish()

    def waiting(self) -> list[LoggedCall]:
        """What is not given out yet."""
        return [*self._thread.waiting(), *self._loose.waiting()]

    def _goes_on(self, messages: list[dict[str, Any]]) -> bool:
        if messages and _identity(messages[0]) in self._seen:
            return True
        plain = [unpacked(message) for message in messages]
        made = {call.call_id for message in plain for call in calls_of(message)}
        answered = {answer.call_id for message in plain for answer in answers_of(message)}
        return bool((answered - made) & self._thread.open_ids())

    def _end_thread(self) -> Iterator[LogItem]:
        yield from self._thread.finish()
        self._thread, self._seen = Dialogue(self._format), set()


def _identity(message: dict[str, Any]) -> tuple[str, int] | None:
    """A message's id with what it says; a short id is a number in its conversation, as others have it too."""
    plain = unpacked(message)
    name = text(plain.get("id"))
    said = [plain.get(key) for key in ("role", "type", "content", "tool_calls", "tool_call_id")]
    return None if name is None or len(name) < _SHORTEST_ID else (name, hash(repr(said)))


def _add(draft: Draft, row: Row, place: Any) -> None:
    """Notes one more place of the call; messages of one document share its bytes."""
    draft.add_record(place, b"" if row.raw in draft.raw else row.raw)


def _time(message: dict[str, Any]) -> str | int | float | None:
    for key in ("timestamp", "created_at", "createdAt", "time"):
        value = message.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return value
    return None
