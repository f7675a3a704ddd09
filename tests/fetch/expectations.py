"""What a fault case expects of a tool's whole result: each key of `expect` as a check that says what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ada_url
import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webcards.tools.registry import Execution


@dataclass(frozen=True)
class Seen:
    """What a run brought: the settled call, and what the server and the resolver saw of it."""

    execution: Execution
    seconds: float = 0.0
    requests: tuple[str, ...] = ()
    dialled: tuple[str, ...] = ()
    rss_growth_mib: float | None = None
    exception: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content(self) -> str:
        return "\n".join(block["text"] for block in self._result["content"])

    @property
    def is_error(self) -> bool:
        return bool(self._result["isError"])

    @property
    def error_code(self) -> str | None:
        error = self.execution.result.data.error
        return None if isinstance(error, msgspec.UnsetType) or error is None else str(error.code)

    @property
    def meta(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self.execution.result.data)
        meta: dict[str, Any] = data.get("meta") or {}
        return meta

    @property
    def details(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self.execution.result.data)
        details: dict[str, Any] = data.get("details") or {}
        return details

    @property
    def _result(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self.execution.result)["data"]["message"]["content"][0]
        return found


Check = Callable[[Any, Seen], str | None]


def broken(expect: Mapping[str, Any], seen: Seen) -> list[str]:
    """The expectations that do not hold, each in words. Raises AssertionError for a key that nobody checks."""
    faults: list[str] = []
    for key, wanted in expect.items():
        if key in _SILENT:
            continue
        if key == "any_of":
            ways = [broken(way, seen) for way in wanted]
            if all(ways):
                faults.append(f"none of {len(ways)} ways holds: {ways}")
            continue
        assert key in CHECKS, f"unknown key in expect: {key}"
        fault = CHECKS[key](wanted, seen)
        if fault is not None:
            faults.append(f"{key}: {fault}")
    return faults


# What a judgement is worth, and words for the reader: nothing to check.
_SILENT = frozenset({"level", "level_of", "note"})


def _equal(wanted: Any, found: Any) -> str | None:
    return None if wanted == found else f"wanted {wanted!r}, found {found!r}"


def _listed(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _has(wanted: Any, text: str) -> str | None:
    missing = [part for part in _listed(wanted) if part not in text]
    return f"{missing} not in {text[:1500]!r}" if missing else None


def _lacks(wanted: Any, text: str) -> str | None:
    present = [part for part in _listed(wanted) if part in text]
    return f"{present} in {text[:1500]!r}" if present else None


def _matches(wanted: Any, text: str) -> str | None:
    unmet = [pattern for pattern in _listed(wanted) if not re.search(pattern, text)]
    return f"{unmet} does not match {text[:1500]!r}" if unmet else None


def _lacks_matches(wanted: Any, text: str) -> str | None:
    met = [pattern for pattern in _listed(wanted) if re.search(pattern, text)]
    return f"{met} matches {text[:1500]!r}" if met else None


def _message(seen: Seen) -> str:
    return seen.content if seen.is_error else ""


def _final_url(wanted: str, seen: Seen) -> str | None:
    return None if same_url(wanted, seen.meta.get("url", "")) else f"wanted {wanted}, found {seen.meta.get('url')}"


def _status(wanted: int, seen: Seen) -> str | None:
    return _equal(wanted, seen.meta.get("statusCode"))


def _truncated(wanted: bool, seen: Seen) -> str | None:
    return _equal(wanted, seen.meta.get("truncated"))


def _error_code(wanted: Any, seen: Seen) -> str | None:
    return (
        None
        if seen.error_code in _listed(wanted)
        else f"wanted one of {wanted}, found {seen.error_code}: {seen.content[:500]}"
    )


def _no_request_to(wanted: Any, seen: Seen) -> str | None:
    made = [
        url
        for url in seen.requests
        for part in _listed(wanted)
        if (same_url(url, part) if "://" in part else f"//{part}" in url.replace("[", "").replace("]", ""))
    ]
    return f"asked for {made}" if made else None


def _request_host(wanted: Any, seen: Seen) -> str | None:
    hosts = {ada_url.URL(url).hostname for url in seen.requests}
    return None if set(_listed(wanted)) <= hosts else f"wanted {wanted}, asked {hosts}"


def _no_connection_to(wanted: Any, seen: Seen) -> str | None:
    made = set(_listed(wanted)) & set(seen.dialled)
    return f"connected to {made}" if made else None


def _at_most(what: str) -> Check:
    def check(wanted: float, seen: Seen) -> str | None:
        found: float | None = {
            "seconds": seen.seconds,
            "requests": len(seen.requests),
            "len": len(seen.content),
            "rss": seen.rss_growth_mib,
        }[what]
        assert found is not None, f"{what} was not measured"
        return None if found <= wanted else f"at most {wanted}, found {found}"

    return check


def _no_exception(wanted: bool, seen: Seen) -> str | None:
    # A fault of our own ends in this code too: the registry lets nothing out.
    raised = seen.exception or ("WEB_INTERNAL_ERROR" if seen.error_code == "WEB_INTERNAL_ERROR" else None)
    return None if (raised is None) == wanted else f"raised {raised}"


def _utf8(wanted: bool, seen: Seen) -> str | None:
    try:
        seen.content.encode("utf-8")
    except UnicodeEncodeError as error:
        return str(error) if wanted else None
    return None if wanted else "it can be encoded"


def same_url(first: str, second: str) -> bool:
    """Whether two URLs are the same after WHATWG parsing."""
    try:
        return bool(ada_url.URL(first).href == ada_url.URL(second).href)
    except ValueError:
        return first == second


def tokens(markdown: str) -> list[Token]:
    """The content as CommonMark with tables."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)


def links(markdown: str) -> list[tuple[str, str]]:
    """(text, href) of every link, in order."""
    found: list[tuple[str, str]] = []
    for inline in (token for token in tokens(markdown) if token.type == "inline"):
        href: str | None = None
        text = ""
        for child in inline.children or []:
            if child.type == "link_open":
                href, text = str(child.attrGet("href")), ""
            elif child.type == "link_close" and href is not None:
                found.append((text, href))
                href = None
            elif href is not None:
                text += child.content
    return found


def _markdown_links(wanted: list[dict[str, str]], seen: Seen) -> str | None:
    found = links(seen.content)
    missing = [
        link
        for link in wanted
        if not any(link.get("text", text) == text and same_url(link["href"], href) for text, href in found)
    ]
    return f"{missing} not among {found}" if missing else None


def _markdown_link_hrefs(wanted: list[str], seen: Seen) -> str | None:
    found = [href for _, href in links(seen.content)]
    missing = [href for href in wanted if not any(same_url(href, other) for other in found)]
    return f"{missing} not among {found}" if missing else None


def _inline_texts(markdown: str, opening: str) -> list[str]:
    read = tokens(markdown)
    return [
        _plain(read[position + 1])
        for position, token in enumerate(read)
        if token.type == opening and read[position + 1].type == "inline"
    ]


def _plain(inline: Token) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or []
    )


def _list_items(markdown: str) -> list[str]:
    read = tokens(markdown)
    items = []
    for position, token in enumerate(read):
        if token.type == "list_item_open":
            following = next((other for other in read[position:] if other.type == "inline"), None)
            items.append("" if following is None else _plain(following))
    return items


def _markdown_list_items(wanted: list[str], seen: Seen) -> str | None:
    found = _list_items(seen.content)
    missing = [item for item in wanted if not any(item in other for other in found)]
    return f"{missing} not among {found}" if missing else None


def _list_items_min(wanted: int, seen: Seen) -> str | None:
    found = len(_list_items(seen.content))
    return None if found >= wanted else f"wanted {wanted}, found {found}"


def _rows(markdown: str) -> tuple[list[str], list[list[str]]]:
    header: list[str] = []
    rows: list[list[str]] = []
    in_head = False
    for token, following in zip(read := tokens(markdown), [*read[1:], None], strict=True):
        if token.type in ("thead_open", "thead_close"):
            in_head = token.type == "thead_open"
        elif token.type == "tr_open" and not in_head:
            rows.append([])
        elif token.type in ("th_open", "td_open") and following is not None:
            (header if in_head else rows[-1]).append(_plain(following))
    return header, rows


def _markdown_table(wanted: dict[str, Any], seen: Seen) -> str | None:
    header, rows = _rows(seen.content)
    found = {"header": header, "rows": rows}
    return None if all(found[key] == value for key, value in wanted.items()) else f"found {found}"


def _columns(wanted: int, seen: Seen) -> str | None:
    header, rows = _rows(seen.content)
    return _equal(wanted, len(header or (rows[0] if rows else [])))


def _table_data_rows(wanted: int, seen: Seen) -> str | None:
    return _equal(wanted, len(_rows(seen.content)[1]))


def _code_blocks(markdown: str) -> list[str]:
    return [token.content for token in tokens(markdown) if token.type in ("fence", "code_block")]


def _code_block_has(wanted: Any, seen: Seen) -> str | None:
    found = _code_blocks(seen.content)
    missing = [code for code in _listed(wanted) if not any(code in block for block in found)]
    return f"{missing} not in {found}" if missing else None


def _paragraph_has(wanted: Any, seen: Seen) -> str | None:
    found = _inline_texts(seen.content, "paragraph_open")
    missing = [words for words in _listed(wanted) if not any(words in paragraph for paragraph in found)]
    return f"{missing} not in {found}" if missing else None


def _fences_balanced(wanted: bool, seen: Seen) -> str | None:
    lines = seen.content.split("\n")
    fences = [token for token in tokens(seen.content) if token.type == "fence" and token.map]
    closed = all(
        token.map is not None and re.match(rf"[ >]*{re.escape(token.markup)}", lines[token.map[1] - 1].lstrip() or "")
        for token in fences
    )
    return None if closed == wanted else f"fences closed: {closed}"


def _footer_outside_code(wanted: bool, seen: Seen) -> str | None:
    footer = seen.content.rstrip().rsplit("\n\n", 1)[-1]
    inside = any(footer.strip() in block for block in _code_blocks(seen.content))
    return None if inside != wanted else f"the footer {footer!r} is {'inside' if inside else 'outside'} code"


def _no_half_link(wanted: bool, seen: Seen) -> str | None:
    half = re.search(r"\[[^\]\n]*(?:\]\([^)\n]*)?\Z", seen.content)
    return None if (half is None) == wanted else "a link is cut in two"


def _page_title(wanted: str, seen: Seen) -> str | None:
    return _equal(wanted, seen.details.get("title"))


CHECKS: dict[str, Check] = {
    "ok": lambda wanted, seen: _equal(wanted, not seen.is_error),
    "is_error": lambda wanted, seen: _equal(wanted, seen.is_error),
    "status": _status,
    "final_url": _final_url,
    "truncated": _truncated,
    "meta_truncated": _truncated,
    "error_code": _error_code,
    "message_has": lambda wanted, seen: _has(wanted, _message(seen)),
    "message_lacks": lambda wanted, seen: _lacks(wanted, _message(seen)),
    "message_matches": lambda wanted, seen: _matches(wanted, _message(seen)),
    "content_has": lambda wanted, seen: _has(wanted, seen.content),
    "content_lacks": lambda wanted, seen: _lacks(wanted, seen.content),
    "content_matches": lambda wanted, seen: _matches(wanted, seen.content),
    "content_lacks_matches": lambda wanted, seen: _lacks_matches(wanted, seen.content),
    "content_nonempty": lambda wanted, seen: _equal(wanted, bool(seen.content.strip())),
    "max_len": _at_most("len"),
    "max_seconds": _at_most("seconds"),
    "max_requests": _at_most("requests"),
    "max_rss_growth_mib": _at_most("rss"),
    "markdown_links": _markdown_links,
    "markdown_link_hrefs": _markdown_link_hrefs,
    "markdown_list_items": _markdown_list_items,
    "list_items_min": _list_items_min,
    "markdown_table": _markdown_table,
    "columns": _columns,
    "table_data_rows": _table_data_rows,
    "code_block_has": _code_block_has,
    "paragraph_has": _paragraph_has,
    "fences_balanced": _fences_balanced,
    "footer_outside_code": _footer_outside_code,
    "no_half_link": _no_half_link,
    "page_title": _page_title,
    "no_request_to": _no_request_to,
    "request_host": _request_host,
    "no_connection_to": _no_connection_to,
    "no_connection": lambda wanted, seen: _equal(wanted, not seen.dialled),
    "no_exception": _no_exception,
    "no_crash": _no_exception,
    "utf8_encodable": _utf8,
}
