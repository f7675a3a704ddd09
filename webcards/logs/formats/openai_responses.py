"""Responses, whole or as a stream of events: OpenAI's own, xAI's, and those of services with the same shape."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.logs.contents import asked_url, found_in
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.formats.openai_items import action_call, message_text
from webcards.logs.framing import Row
from webcards.logs.model import FoundPage, FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_FETCH, web_tool
from webcards.logs.pairing import Draft
from webcards.logs.turns import Citation, give_answer, only_search

NAME = "openai-responses"
_CALLS = (
    "web_search_call",
    "x_search_call",
    "web_search_preview_call",
    "search_results",
)
_ITEMS = (
    *_CALLS,
    "mcp_call",
    "custom_tool_call",
    "function_call",
    "function_call_output",
)
# What was put in, what came out, and the pages of a stored conversation.
_LISTS = (
    "input",
    "output",
    "items",
    "data",
)
_OUTPUTS = (
    "function_call_output",
    "custom_tool_call_output",
)
_RUNNING = (
    "in_progress",
    "searching",
    "queued",
)
_FAILED = (
    "failed",
    "incomplete",
    "cancelled",
)


def recognises(row: Any) -> bool:
    """A response, its output items, a list of such items, or an event of its stream."""
    if isinstance(row, list):
        return _has_items(row)
    if not isinstance(row, dict):
        return False
    kind = row.get("type")
    if isinstance(kind, str) and kind.startswith("response."):
        return True
    if row.get("object") == "response":
        return True
    return any(_has_items(row.get(key)) for key in _LISTS) or kind in _CALLS


def _has_items(items: Any) -> bool:
    return any(item.get("type") in _ITEMS for item in mappings(items)) if isinstance(items, list) else False


class ResponseReader:
    """Reads responses. A streamed one is put together from its items, each as it was last written."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, Any]] = {}
        self._rows: list[Row] = []
        self._response: dict[str, Any] = {}
        # The rows of arguments that are not whole yet; the whole item makes them needless.
        self._pieces: dict[str, list[Row]] = {}

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one response, or one event of a streamed one."""
        if isinstance(row.value, list):
            yield from _read({}, list(mappings(row.value)), [row], "")
            return
        event = mapping(row.value)
        kind = event.get("type")
        if not (isinstance(kind, str) and kind.startswith("response.")):
            lists = [key for key in _LISTS if isinstance(event.get(key), list)]
            yield from _read(event, _output(event), [row], f".{lists[0]}" if len(lists) == 1 else None)
            return
        if kind == "response.created":
            yield from self.finish()
        if isinstance(event.get("response"), dict):
            self._response = event["response"]
        self._event(row, kind, event)
        if kind in ("response.completed", "response.failed", "response.incomplete"):
            yield from self.finish()

    def finish(self) -> Iterator[LogItem]:
        """The streamed response as far as it came."""
        items, rows, response = self._assembled(), self._told(), self._response
        self._items, self._rows, self._response, self._pieces = {}, [], {}, {}
        if items and rows:
            yield from _read(response, items, rows, None)

    def waiting(self) -> list[LoggedCall]:
        """The calls of the response that is being streamed."""
        items, rows = self._assembled(), self._told()
        read = _read(self._response, items, rows, None) if items and rows else iter(())
        return [item for item in read if isinstance(item, LoggedCall)]

    def _told(self) -> list[Row]:
        pieces = [row for rows in self._pieces.values() for row in rows]
        return sorted([*self._rows, *pieces], key=lambda row: row.position.offset)

    def _assembled(self) -> list[dict[str, Any]]:
        whole = list(mappings(self._response.get("output")))
        return whole or list(self._items.values())

    def _event(self, row: Row, kind: str, event: dict[str, Any]) -> None:
        item = mapping(event.get("item"))
        key = text(item.get("id")) or text(event.get("item_id")) or str(event.get("output_index", len(self._items)))
        if kind in ("response.output_item.added", "response.output_item.done"):
            self._items[key] = item
            self._pieces.pop(key, None)
            self._rows.append(row)
        elif kind.endswith("_arguments.delta"):
            self._pieces.setdefault(key, []).append(row)
            before = self._items.get(key, {})
            self._items[key] = {
                **before,
                "arguments": (text(before.get("arguments")) or "") + (text(event.get("delta")) or ""),
            }
        elif kind.endswith("_arguments.done"):
            self._items[key] = {**self._items.get(key, {}), "arguments": event.get("arguments")}
        elif kind == "response.output_text.delta":
            part = _streamed_part(self._items, key)
            part["text"] = (text(part.get("text")) or "") + (text(event.get("delta")) or "")
        elif kind == "response.output_text.done":
            part = _streamed_part(self._items, key)
            part["text"] = text(event.get("text")) or part["text"]
        elif kind == "response.output_text.annotation.added":
            part = _streamed_part(self._items, key)
            part["annotations"] = [*part.get("annotations", []), event.get("annotation")]
            self._rows.append(row)
        elif kind in ("response.completed", "response.failed", "response.incomplete"):
            self._rows.append(row)


def _streamed_part(items: dict[str, dict[str, Any]], key: str) -> dict[str, Any]:
    item = items.setdefault(key, {"type": "message"})
    parts = list(mappings(item.get("content")))
    part = dict(parts[0]) if parts else {"type": "output_text", "text": ""}
    items[key] = {**item, "content": [part, *parts[1:]]}
    return part


def _output(event: dict[str, Any]) -> list[dict[str, Any]]:
    if event.get("type") in _CALLS:
        return [event]
    return [item for key in _LISTS for item in mappings(event.get(key))]


def _read(
    response: dict[str, Any], items: list[dict[str, Any]], rows: list[Row], above: str | None
) -> Iterator[LogItem]:
    drafts: list[Draft] = []
    turn: list[Draft] = []
    answers: list[LoggedAnswer] = []
    words: list[str] = []
    cited: list[Citation] = []
    outputs = {text(item.get("call_id")): item for item in items if item.get("type") in _OUTPUTS}
    for number, item in enumerate(items):
        kind = item.get("type")
        if kind in _CALLS or kind in ("mcp_call", "function_call", "custom_tool_call"):
            draft = _call(response, item, rows, "" if above is None else f"{above}[{number}]", outputs)
            if draft is not None:
                drafts.append(draft)
                turn.append(draft)
        elif kind == "message" and item.get("role", "assistant") == "assistant":
            said, named = message_text(item)
            if said:
                words.append(said)
                cited.extend(named)
                urls = tuple(citation.url for citation in named)
                answers.append(LoggedAnswer(text=said, cited=urls, format=NAME, position=rows[-1].position))
        elif kind == "message" or item.get("role") == "user":
            _end_turn(turn, words, cited)
            turn, words, cited = [], [], []
    _end_turn(turn, words, cited)
    yield from (draft.freeze() for draft in drafts)
    yield from answers


def _end_turn(turn: list[Draft], words: list[str], cited: list[Citation]) -> None:
    """The text goes to the only search of the turn; a search of another's tool keeps to the sources in its own output."""
    search = only_search(turn)
    if search is None or not words or search.result is None:
        return
    if search.found is not None or search.held:
        give_answer([search], "\n\n".join(words), cited)


def _call(
    response: dict[str, Any],
    item: dict[str, Any],
    rows: list[Row],
    path: str,
    outputs: dict[str | None, dict[str, Any]],
) -> Draft | None:
    kind = str(item["type"])
    name = text(item.get("name")) or (kind.removesuffix("_call") if kind in _CALLS else "")
    if kind in _CALLS:
        tool, args = action_call(item)
    else:
        tool, args = web_tool(name) or "", decode_inner(item.get("arguments", item.get("input", UNSET)), 1)
        if not tool:
            return None
    place = rows[0].position
    draft = Draft(
        NAME,
        replace(place, path=place.path + path) if path else place,
        call_id=text(item.get("call_id")) or text(item.get("id")),
        tool=tool,
        tool_name=name,
        args=args,
        time=response.get("created_at"),
        raw=rows[0].raw,
    )
    for row in rows[1:]:
        draft.add_record(row.position, row.raw)
    draft.notes.extend(rows[0].notes)
    _settle(draft, response, item, outputs)
    return draft


def _settle(
    draft: Draft, response: dict[str, Any], item: dict[str, Any], outputs: dict[str | None, dict[str, Any]]
) -> None:
    kind, status, error = item["type"], text(item.get("status")), item.get("error")
    # Searches of the service's own: only its citations tell of their sources.
    hosted = kind in _CALLS or (kind == "custom_tool_call" and (draft.tool_name or "").startswith("x_"))
    draft.held = hosted
    if status in _RUNNING and response.get("status") in _RUNNING:
        return
    if status is not None and status != "completed":
        draft.notes.append(f"the recorded status is {status!r}")
    if error or status in _FAILED:
        words = text(error) or text(mapping(error).get("message")) or status or "the log names no reason"
        code = text(mapping(error).get("code")) or text(mapping(error).get("type"))
        draft.error = LoggedError(code=code, message=words)
        draft.result = LoggedResult(content=text_blocks(words), is_error=True)
    elif hosted:
        draft.result = LoggedResult(content=[])
        if draft.tool == WEB_FETCH:
            url = asked_url(draft.args)
            draft.found = FoundPage(url) if url else None
        else:
            draft.found = _recorded_sources(item)
    else:
        output = item.get("output") if kind == "mcp_call" else outputs.get(draft.call_id, {}).get("output")
        if output is None:
            return
        draft.result = LoggedResult(content=text_blocks(output))
        draft.found = found_in(draft.tool, draft.args, output)


def _recorded_sources(item: dict[str, Any]) -> FoundSources | None:
    """The sources that the action lists, where the request asked for them; entries without a URL are other services."""
    action = mapping(item.get("action"))
    listed = action.get("sources", item.get("sources", item.get("results")))
    if not isinstance(listed, list):
        return None
    rows = [source(row.get("url"), row.get("title"), row.get("snippet"), row.get("date")) for row in mappings(listed)]
    return FoundSources([row for row in rows if row is not None])


FORMAT = Format(NAME, recognises, ResponseReader)
