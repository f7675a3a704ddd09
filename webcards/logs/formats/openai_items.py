"""The output items that OpenAI's Responses, and what is built on them, record: searches, calls, messages."""

from typing import Any

from msgspec import UNSET

from webcards.logs.decode import decode_inner
from webcards.logs.fields import mapping, mappings, sequence, text
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH
from webcards.logs.turns import Citation, url_citations

_PAGE_ACTIONS = (
    "open_page",
    "find_in_page",
    "find",
    "openPage",
    "findInPage",
)


def action_call(item: dict[str, Any]) -> tuple[str, Any]:
    """Tool and args of a search item: its action, without the sources; else its query or its arguments."""
    action = mapping(item.get("action"))
    args: Any = {key: value for key, value in action.items() if key not in ("type", "sources") and value is not None}
    tool = WEB_FETCH if action.get("type") in _PAGE_ACTIONS else WEB_SEARCH
    if not args and "arguments" in item:
        args = decode_inner(item["arguments"], 1)
    if not args and isinstance(item.get("queries"), list):
        args = {"queries": item["queries"]}
    if not args:
        args = {"query": item["query"]} if text(item.get("query")) else UNSET
    return tool, args


def message_text(item: dict[str, Any]) -> tuple[str, list[Citation]]:
    """The text of a message item, and its URL citations in order."""
    content = item.get("content")
    if isinstance(content, str):
        return content, []
    words, cited = [], []
    for part in mappings(content):
        words.append(text(part.get("text")) or "")
        cited.extend(url_citations(sequence(part.get("annotations"))))
    return "".join(words), cited
