"""Langfuse's exported traces: a tool's call is an observation with its input and output."""

import ast
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from webcards.logs.contents import found_in
from webcards.logs.decode import decode_inner
from webcards.logs.dialogue import spoken, unpacked
from webcards.logs.fields import mapping, mappings, text, text_blocks
from webcards.logs.format import document_format
from webcards.logs.framing import Row
from webcards.logs.model import FoundSources, LoggedAnswer, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import web_tool
from webcards.logs.pairing import Draft
from webcards.logs.turns import only_search

NAME = "langfuse"
_SPANS = (
    "SPAN",
    "TOOL",
    "RETRIEVER",
    "EVENT",
)
_MAX_LITERAL = 100_000


def recognises(row: Any) -> bool:
    """A trace with observations, or one observation."""
    if not isinstance(row, dict):
        return False
    if any("traceId" in item for item in mappings(row.get("observations"))):
        return True
    return "traceId" in row and "startTime" in row and "type" in row and ("input" in row or "output" in row)


def _read(row: Row) -> Iterator[LogItem]:
    value = mapping(row.value)
    single = "observations" not in value
    numbered = list(enumerate([value] if single else mappings(value["observations"])))
    # An export lists observations in no order of time.
    if all(isinstance(item.get("startTime"), str) for _, item in numbered):
        numbered.sort(key=lambda pair: str(pair[1]["startTime"]))
    drafts: list[Draft] = []
    answer: tuple[str, Row] | None = None
    for place, item in numbered:
        path = "" if single else f".observations[{place}]"
        tool = web_tool(text(item.get("name")) or "")
        if item.get("type") in _SPANS and tool is not None:
            drafts.append(_observed(row, item, tool, path))
        elif item.get("type") == "GENERATION" and drafts and (words := _generated(item.get("output"))):
            answer = words, row
    search = only_search(drafts)
    if search is not None and answer is not None and isinstance(search.found, FoundSources):
        search.answer(answer[0])
    yield from (draft.freeze() for draft in drafts)
    if answer is not None:
        yield LoggedAnswer(text=answer[0], format=NAME, position=row.position)


def _observed(row: Row, item: dict[str, Any], tool: str, path: str) -> Draft:
    draft = Draft(
        NAME,
        replace(row.position, path=row.position.path + path),
        call_id=text(item.get("id")),
        tool=tool,
        tool_name=text(item.get("name")),
        args=_args(item.get("input")),
        time=text(item.get("startTime")),
        raw=row.raw,
    )
    draft.notes.extend(row.notes)
    output = decode_inner(item.get("output"))
    if item.get("level") == "ERROR":
        words = text(item.get("statusMessage")) or text(item.get("output")) or "the log names no reason"
        draft.error = LoggedError(message=words)
        draft.result = LoggedResult(content=text_blocks(words), is_error=True)
    elif item.get("output") is not None:
        message = unpacked(mapping(output))
        content = message["content"] if message.get("type") == "tool" and "content" in message else item["output"]
        failed = message.get("status") == "error"
        draft.result = LoggedResult(content=text_blocks(content), is_error=failed)
        if failed:
            draft.error = LoggedError(message=draft.result.text)
        else:
            draft.found = found_in(tool, draft.args, content)
    return draft


def _args(recorded: Any) -> Any:
    """The input; a dict that Python printed is read as one."""
    if recorded is None:
        return UNSET
    value = decode_inner(recorded)
    if isinstance(value, str) and value.startswith("{") and len(value) < _MAX_LITERAL:
        try:
            literal = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return value
        return literal if isinstance(literal, dict) else value
    return value


def _generated(output: Any) -> str:
    """The words that a model wrote, in any of the shapes that exporters keep them in."""
    value = decode_inner(output)
    if isinstance(value, str):
        return "" if value == "None" else value
    if isinstance(value, list):
        return next((words for item in mappings(value) if (words := _generated(item))), "")
    fields = unpacked(mapping(value))
    if isinstance(fields.get("choices"), list):
        choice = next(mappings(fields["choices"]), {})
        return spoken({"role": "assistant", **mapping(choice.get("message"))})
    return spoken({"role": "assistant", **fields}) if "content" in fields else ""


FORMAT = document_format(NAME, recognises, _read)
