"""Messages with the server's own web tools, whole or as a stream of content blocks."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.contract.values import WebSource
from webcards.logs.contents import found_in
from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, sequence, source, text, text_blocks
from webcards.logs.format import Format
from webcards.logs.framing import Row
from webcards.logs.model import FoundPage, FoundSources, LoggedAnswer, LoggedCall, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH, web_tool
from webcards.logs.pairing import Draft
from webcards.logs.turns import only_search

NAME = "anthropic"
_BLOCKS = (
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
)
_STREAM = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_stop",
)
# The server's own tools, those of an MCP server that it asks, and in a stream the calls that the client is to make.
_USES = (
    "server_tool_use",
    "mcp_tool_use",
    "tool_use",
)
SERVER_RESULTS = {"web_search_tool_result": WEB_SEARCH, "web_fetch_tool_result": WEB_FETCH}


def recognises(row: Any) -> bool:
    """A message with one of the server's blocks, an event of its stream, or a conversation of such messages."""
    if not isinstance(row, dict):
        return False
    if row.get("type") in _STREAM:
        return "message" in row or "index" in row or row["type"] == "message_stop"
    return any(_has_server_blocks(message) for message in _messages(row))


def _messages(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [row, *mappings(row.get("messages"))]


def _has_server_blocks(message: dict[str, Any]) -> bool:
    return any(
        block.get("type") in _BLOCKS
        or (block.get("type") == "mcp_tool_use" and web_tool(text(block.get("name")) or ""))
        for block in mappings(message.get("content"))
    )


class MessageReader:
    """Reads messages. A streamed one is put together block by block, and read when it ends."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._partial: dict[int, list[str]] = {}
        self._rows: list[Row] = []
        self._places: dict[int, list[Row]] = {}

    def feed(self, row: Row) -> Iterator[LogItem]:
        """Takes one message, or one event of a streamed message."""
        event = mapping(row.value)
        if event.get("type") not in _STREAM:
            # What the client's own tools gave stands in the messages that follow.
            given = {
                text(block.get("tool_use_id")): block
                for message in _messages(event)
                for block in mappings(message.get("content"))
                if block.get("type") == "tool_result"
            }
            for message in _messages(event):
                if _has_server_blocks(message):
                    content = list(mappings(message.get("content")))
                    yield from _read(content, [[row]] * len(content), _paths(message, event), given)
            return
        if event["type"] == "message_start":
            yield from self.finish()
        self._event(row, event)
        if event["type"] == "message_stop":
            yield from self.finish()

    def finish(self) -> Iterator[LogItem]:
        """The streamed message as far as it came."""
        blocks, rows = self._assembled()
        self._blocks, self._partial, self._places = {}, {}, {}
        if blocks:
            yield from _read(blocks, rows, [""] * len(blocks))

    def waiting(self) -> list[LoggedCall]:
        """The calls of the message that is being streamed."""
        blocks, rows = self._assembled()
        items = _read(blocks, rows, [""] * len(blocks)) if blocks else iter(())
        return [item for item in items if isinstance(item, LoggedCall)]

    def _event(self, row: Row, event: dict[str, Any]) -> None:
        index = event.get("index")
        if not isinstance(index, int):
            return
        self._places.setdefault(index, []).append(row)
        if event["type"] == "content_block_start":
            self._blocks[index] = dict(mapping(event.get("content_block")))
            return
        block, delta = self._blocks.setdefault(index, {"type": "text", "text": ""}), mapping(event.get("delta"))
        match delta.get("type"):
            case "input_json_delta":
                self._partial.setdefault(index, []).append(text(delta.get("partial_json")) or "")
            case "text_delta":
                block["text"] = (text(block.get("text")) or "") + (text(delta.get("text")) or "")
            case "citations_delta":
                block["citations"] = [*sequence(block.get("citations")), delta.get("citation")]
            case _:
                pass  # thinking and signatures are no part of a card

    def _assembled(self) -> tuple[list[dict[str, Any]], list[list[Row]]]:
        blocks = []
        for index, block in sorted(self._blocks.items()):
            whole = dict(block)
            words = "".join(self._partial.get(index, []))
            if words:
                whole["input"] = decode_inner(words, 1)
            blocks.append(whole)
        return blocks, [self._places.get(index, []) for index in sorted(self._blocks)]


def _paths(message: dict[str, Any], event: dict[str, Any]) -> list[str]:
    count = len(list(mappings(message.get("content"))))
    above = "" if message is event else f".messages[{sequence(event.get('messages')).index(message)}]"
    return [f"{above}.content[{number}]" for number in range(count)]


def _read(
    blocks: list[dict[str, Any]],
    rows: list[list[Row]],
    paths: list[str],
    given: dict[str | None, dict[str, Any]] | None = None,
) -> Iterator[LogItem]:
    drafts: list[Draft] = []
    by_id: dict[str, Draft] = {}
    after: list[dict[str, Any]] = []
    said: list[tuple[list[Row], str]] = []
    for block, places, path in zip(blocks, rows, paths, strict=True):
        kind = block.get("type")
        if kind in _USES and (tool := web_tool(text(block.get("name")) or "")):
            draft = _draft(places, path, text(block.get("id")), tool, text(block.get("name")), block.get("input"))
            drafts.append(draft)
            if draft.call_id is not None:
                by_id[draft.call_id] = draft
            if kind == "tool_use" and given and draft.call_id in given:
                settle_block(draft, given[draft.call_id])
        elif isinstance(kind, str) and (kind in SERVER_RESULTS or kind == "mcp_tool_result"):
            call_id = text(block.get("tool_use_id"))
            known = by_id.pop(call_id, None) if call_id is not None else None
            if known is None and kind == "mcp_tool_result":
                continue
            if known is None:
                known = _draft(places, path, call_id, SERVER_RESULTS[kind], None, UNSET)
                known.notes.append("the log has this result, but not its call")
                drafts.append(known)
            else:
                _add(known, places, path)
            settle_block(known, block)
        elif kind == "text" and drafts:
            after.append(block)
            said.append((places, path))
    _quote(drafts, after)
    words = "".join(text(block.get("text")) or "" for block in after)
    search = only_search(drafts)
    if search is not None and isinstance(search.found, FoundSources) and words:
        search.found = FoundSources(search.found.sources, words)
    for draft in drafts:
        if isinstance(draft.found, FoundSources):
            for places, path in said:
                _add(draft, places, path)
        yield draft.freeze()
    if words:
        cited = tuple(url for block in after for url in _cited(block))
        yield LoggedAnswer(text=words, cited=cited, format=NAME, position=drafts[-1].position)


def _draft(places: list[Row], path: str, call_id: str | None, tool: str, name: str | None, args: Any) -> Draft:
    first = places[0]
    draft = Draft(NAME, _at(first, path), call_id=call_id, tool=tool, tool_name=name, args=args, raw=first.raw)
    for row in places[1:]:
        draft.add_record(row.position, row.raw)
    draft.notes.extend(first.notes)
    return draft


def _add(draft: Draft, places: list[Row], path: str) -> None:
    for row in places:
        draft.add_record(_at(row, path), b"" if row.raw in draft.raw else row.raw)


def _at(row: Row, path: str) -> Any:
    return replace(row.position, path=row.position.path + path) if path else row.position


def settle_block(draft: Draft, block: dict[str, Any]) -> None:
    content = block.get("content")
    if block.get("type") in ("mcp_tool_result", "tool_result"):
        draft.result = LoggedResult(content=text_blocks(content), is_error=block.get("is_error") is True)
        if draft.result.is_error:
            draft.error = LoggedError(message=draft.result.text)
        else:
            draft.found = found_in(draft.tool, draft.args, content)
        return
    code = text(mapping(content).get("error_code"))
    if isinstance(content, dict) and (code is not None or str(content.get("type", "")).endswith("_error")):
        draft.error = LoggedError(code=code, message=text(content.get("error_message")))
        draft.result = LoggedResult(content=text_blocks(code or "error"), is_error=True)
        return
    if draft.tool == WEB_FETCH:
        page = mapping(content)
        data = mapping(mapping(page.get("content")).get("source"))
        words, left_out = readable(text(data.get("data")))
        if left_out:
            draft.notes.append(left_out)
        draft.result = LoggedResult(content=text_blocks(words))
        if url := text(page.get("url")) or text(mapping(draft.args).get("url")):
            draft.found = FoundPage(url)
        draft.time = text(page.get("retrieved_at"))
        return
    rows = list(mappings(content))
    sources = [source(row.get("url"), row.get("title"), None, row.get("page_age")) for row in rows]
    readable_rows = [{key: value for key, value in row.items() if key != "encrypted_content"} for row in rows]
    draft.result = LoggedResult(content=readable_rows)
    draft.found = FoundSources([item for item in sources if item is not None])
    if any("encrypted_content" in row for row in rows):
        draft.notes.append("encrypted contents are left out")


def readable(words: str | None) -> tuple[str, str | None]:
    """The text of a document; binary data in Base64 (a PDF labelled as text, say) is left out, with a note."""
    if words is None:
        return "", None
    if words.startswith("JVBERi0"):
        note = f"{len(words)} characters of Base64 (a PDF) are left out of the text"
        return f"[{note}]", note
    return words, None


def _quote(drafts: list[Draft], after: list[dict[str, Any]]) -> None:
    """The snippet of a source is what the answer cites from it: the results themselves have none that can be read."""
    quotes: dict[str, list[str]] = {}
    for block in after:
        for citation in mappings(block.get("citations")):
            url, quoted = text(citation.get("url")), text(citation.get("cited_text"))
            if url is not None and quoted and quoted not in quotes.setdefault(url, []):
                quotes[url].append(quoted)
    for draft in drafts:
        if isinstance(draft.found, FoundSources):
            sources = [_quoted(item, quotes) for item in draft.found.sources]
            draft.found = FoundSources(sources, draft.found.answer)


def _quoted(item: WebSource, quotes: dict[str, list[str]]) -> WebSource:
    if item.url not in quotes:
        return item
    return WebSource(item.url, item.title, "\n".join(quotes[item.url]), item.published_at)


def _cited(block: dict[str, Any]) -> list[str]:
    return [url for citation in mappings(block.get("citations")) if (url := text(citation.get("url")))]


FORMAT = Format(NAME, recognises, MessageReader)
