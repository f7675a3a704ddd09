"""Chat completions that searched by themselves: Groq's executed tools, Perplexity's results, URL citations in the message."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import UNSET

from webcards.contract.values import WebSource
from webcards.logs.contents import found_in
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, number, sequence, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft
from webcards.logs.turns import give_answer, url_citations


def chat_format(name: str, marks: Callable[[dict[str, Any]], bool]) -> Format:
    """A format of chat completions, whole or in chunks, told apart by what `marks` looks for in a row."""

    def recognises(row: Any) -> bool:
        return isinstance(row, dict) and isinstance(row.get("choices"), list) and marks(row)

    return Format(name, recognises, lambda: ChatReader(name))


def choices(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What each choice says: its message, or the piece of it that a chunk brings."""
    for choice in mappings(row.get("choices")):
        message, delta = mapping(choice.get("message")), mapping(choice.get("delta"))
        yield message or delta


class ChatReader:
    """Reads completions. The chunks of a streamed one, which have the same id, are put together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows: list[Row] = []

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one completion, or one chunk."""
        value = mapping(row.value)
        if "choices" not in value:
            return
        chunk = str(value.get("object", "")).endswith(".chunk") or any(
            "delta" in item for item in mappings(value["choices"])
        )
        if self._rows and not (chunk and mapping(self._rows[-1].value).get("id") == value.get("id")):
            yield from self.finish()
        self._rows.append(row)
        if not chunk:
            yield from self.finish()

    def finish(self) -> Iterator[LogItem]:
        """The completion as far as it came."""
        rows, self._rows = self._rows, []
        if rows:
            yield from _read(self._name, rows)

    def waiting(self) -> list[LoggedCall]:
        """The calls of the completion that is being streamed."""
        items = _read(self._name, self._rows) if self._rows else iter(())
        return [item for item in items if isinstance(item, LoggedCall)]


def _read(name: str, rows: list[Row]) -> Iterator[LogItem]:
    whole = _merged(rows)
    tools = [
        tool
        for tool in mappings(whole["executed_tools"])
        if web_tool(text(tool.get("type")) or "") or "search_results" in tool
    ]
    drafts = [_executed(name, rows, tool, place) for place, tool in enumerate(tools)]
    drafts += [_called(name, rows, call) for call in whole["tool_calls"] if web_tool(call["name"])]
    cited = url_citations(whole["annotations"])
    if not drafts and (whole["results"] or cited):
        draft = _draft(name, rows, WEB_SEARCH, UNSET)
        draft.result = LoggedResult(content=[])
        draft.found = FoundSources(whole["results"] or [item.source() for item in cited])
        drafts.append(draft)
    give_answer(drafts, whole["text"])
    yield from (draft.freeze() for draft in drafts)
    if whole["text"]:
        urls = tuple(item.url for item in cited)
        yield LoggedAnswer(text=whole["text"], cited=urls, format=name, position=rows[-1].position)


def _merged(rows: list[Row]) -> dict[str, Any]:
    """One completion out of its chunks: texts joined, lists as they were last written."""
    words: list[str] = []
    merged: dict[str, Any] = {"executed_tools": [], "annotations": [], "results": [], "citations": [], "tool_calls": []}
    for row in rows:
        value = mapping(row.value)
        merged["results"] = sequence(value.get("search_results")) or merged["results"]
        merged["citations"] = sequence(value.get("citations")) or merged["citations"]
        for place, message in enumerate(choices(value)):
            if place == 0:
                whole = _content(mapping(next(mappings(value.get("choices")), {}).get("message")))
                delta = _content(mapping(next(mappings(value.get("choices")), {}).get("delta")))
                # Some services repeat in each chunk, as `message`, the text so far.
                words = [whole] if whole and (not delta or len(whole) > len("".join(words))) else [*words, delta]
            _add(merged, message, whole="message" in mapping(next(mappings(value.get("choices")), {})))
    results = [_result(row) for row in mappings(merged["results"])] or [source(url) for url in merged["citations"]]
    return {**merged, "text": "".join(words), "results": [row for row in results if row is not None]}


def _add(merged: dict[str, Any], message: dict[str, Any], *, whole: bool) -> None:
    """Takes in what a message lists: all of it, or what a chunk adds to it. A tool is told again as it goes on."""
    for call in mappings(message.get("tool_calls")):
        _add_call(merged["tool_calls"], call)
    annotations, tools = sequence(message.get("annotations")), sequence(message.get("executed_tools"))
    if whole:
        merged["annotations"] = annotations or merged["annotations"]
        merged["executed_tools"] = tools or merged["executed_tools"]
        return
    merged["annotations"] = [*merged["annotations"], *annotations]
    known = {
        tool.get("index"): tool for tool in mappings(merged["executed_tools"]) if isinstance(tool.get("index"), int)
    }
    for tool in mappings(tools):
        before = known.get(tool.get("index")) if isinstance(tool.get("index"), int) else None
        if before is None:
            merged["executed_tools"] = [*merged["executed_tools"], tool]
        else:
            place = merged["executed_tools"].index(before)
            merged["executed_tools"] = [*merged["executed_tools"]]
            merged["executed_tools"][place] = {**before, **tool}


def _add_call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Takes in a piece of a call: the first has its id and name, the others go on with its arguments."""
    function = mapping(piece.get("function"))
    call_id, name = text(piece.get("id")), text(function.get("name"))
    known = next((call for call in calls if call["index"] == piece.get("index")), None)
    if known is None or (call_id and known["id"] and call_id != known["id"]):
        known = {"index": piece.get("index"), "id": None, "name": "", "arguments": ""}
        calls.append(known)
    known["id"], known["name"] = known["id"] or call_id, known["name"] or name or ""
    known["arguments"] += text(function.get("arguments")) or ""


def _called(name: str, rows: list[Row], call: dict[str, Any]) -> Draft:
    """A call that the client is to make: its result is not in the stream."""
    args = decode_inner(call["arguments"], 1) if call["arguments"] else UNSET
    draft = _draft(name, rows, web_tool(call["name"]) or WEB_SEARCH, args)
    draft.call_id, draft.tool_name = call["id"], call["name"]
    return draft


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(text(part.get("text")) or "" for part in mappings(content))


def _result(row: dict[str, Any]) -> WebSource | None:
    return source(row.get("url"), row.get("title"), row.get("snippet"), row.get("date"))


def _executed(name: str, rows: list[Row], item: dict[str, Any], place: int) -> Draft:
    tool = web_tool(text(item.get("type")) or "") or WEB_SEARCH
    args = decode_inner(item.get("arguments", UNSET), 1)
    draft = _draft(name, rows, tool, args)
    draft.tool_name = text(item.get("type"))
    index = number(item.get("index"))
    draft.call_id = str(index if index is not None else place)
    output = text(item.get("output"))
    failed = text(item.get("error"))
    if output is None and "search_results" not in item and failed is None:
        return draft
    draft.result = LoggedResult(content=text_blocks(failed or output or ""), is_error=failed is not None)
    if failed is not None:
        draft.error = LoggedError(message=failed)
        return draft
    listed = mapping(item.get("search_results")).get("results")
    if tool == WEB_FETCH:
        draft.found = found_in(tool, args, output)
    elif isinstance(listed, list):
        sources = [
            source(row.get("url"), row.get("title"), row.get("content"), row.get("date")) for row in mappings(listed)
        ]
        draft.found = FoundSources([row for row in sources if row is not None])
    else:
        draft.found = found_in(tool, args, output)
    return draft


def _draft(name: str, rows: list[Row], tool: str, args: Any) -> Draft:
    created = mapping(rows[0].value).get("created")
    time = created if isinstance(created, int | float) and not isinstance(created, bool) else None
    draft = Draft(name, rows[0].position, tool=tool, args=args, time=time, raw=rows[0].raw)
    for row in rows[1:]:
        draft.add_record(row.position, row.raw)
    draft.notes.extend(note for row in rows for note in row.notes)
    return draft
