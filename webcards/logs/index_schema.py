"""The tables of a log's index, and what one call becomes in them."""

import re
from typing import Any

from msgspec import UNSET, Struct

from webcards.contract.meta import Refusal
from webcards.contract.views import WebFetchResultView, WebResultView, WebSearchResultView
from webcards.logs.model import LoggedCall
from webcards.logs.times import milliseconds
from webcards.logs.view import explain, title_of

VERSION = 2
SCHEMA = """
CREATE TABLE IF NOT EXISTS log (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (id INTEGER PRIMARY KEY, name TEXT, path TEXT, base INTEGER);
CREATE TABLE IF NOT EXISTS calls (
    n INTEGER PRIMARY KEY, call_id TEXT, tool TEXT, tool_name TEXT, format TEXT, kind TEXT, title TEXT,
    time TEXT, ms INTEGER, status INTEGER, truncated INTEGER, is_error INTEGER, code TEXT, fallback_path TEXT,
    fallback_reason TEXT, unfinished INTEGER, sources INTEGER, host TEXT, problem INTEGER, settled INTEGER,
    member INTEGER, line INTEGER, offset INTEGER, path TEXT, reader TEXT);
CREATE TABLE IF NOT EXISTS records (n INTEGER, k INTEGER, member INTEGER, line INTEGER, offset INTEGER, length INTEGER,
    path TEXT, PRIMARY KEY (n, k)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (host TEXT, n INTEGER, PRIMARY KEY (host, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS problems (id INTEGER PRIMARY KEY, member TEXT, line INTEGER, col INTEGER, message TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', tokenize="unicode61 remove_diacritics 2");
CREATE INDEX IF NOT EXISTS problem_calls ON calls (n) WHERE problem = 1;
"""
COLUMNS = tuple(column.split()[0] for column in SCHEMA.split("calls (")[1].split(")")[0].replace("\n", " ").split(","))
# What of a call's text can be searched for; the whole of it stays in the log.
_TEXT_KEPT = 2_000
_SNIPPET_KEPT = 300


_HOST = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]{0,30}://(?:[^/?#@\s]*@)?(\[[0-9A-Fa-f:.]+\]|[^/?#:@\s]+)")


class Entry(Struct, frozen=True):
    """One call in the list: what a row of the page shows, without reading the log again."""

    n: int
    call_id: str | None
    tool: str
    tool_name: str | None
    format: str
    kind: str
    title: str | None
    time: str | int | float | None
    ms: int | None
    status: int | None
    truncated: bool
    is_error: bool
    code: str | None
    fallback: Refusal | None
    unfinished: bool
    sources: int
    host: str | None
    problem: bool
    member: str
    line: int


class Shown(Struct, frozen=True):
    """What of a call is drawn: its view, or why there is none; its title; the hosts that it names."""

    view: WebResultView | Refusal
    title: str | None
    hosts: list[str]

    @classmethod
    def of(cls, call: LoggedCall) -> "Shown":
        """What is drawn of a call."""
        view, title = explain(call), title_of(call)
        asked = title if isinstance(title, str) else None
        return cls(view, asked, _hosts(view, asked))


def call_row(n: int, call: LoggedCall, shown: Shown, member: int, reader: str, *, settled: bool) -> dict[str, Any]:
    """The columns of one call."""
    view, title, hosts = shown.view, shown.title, shown.hosts
    refused = view if isinstance(view, Refusal) else None
    status = view.status_code if isinstance(view, WebFetchResultView) else UNSET
    time = call.time
    return {
        "n": n,
        "call_id": call.call_id,
        "tool": call.tool,
        "tool_name": call.tool_name,
        "format": call.format,
        "kind": _kind(view, call),
        "title": title,
        "time": time if isinstance(time, str) or time is None else str(time),
        "ms": milliseconds(time),
        "status": status if isinstance(status, int) and abs(status) < 1 << 62 else None,
        "truncated": int(not isinstance(view, Refusal) and view.truncated),
        "is_error": int(call.is_error),
        "code": call.error.code if call.error is not None else None,
        "fallback_path": refused.path if refused else None,
        "fallback_reason": refused.reason if refused else None,
        "unfinished": int(call.unfinished),
        "sources": len(view.sources) if isinstance(view, WebSearchResultView) else 0,
        "host": hosts[0] if hosts else None,
        "problem": int(refused is not None or bool(call.problems)),
        "settled": int(settled),
        "member": member,
        "line": call.position.line,
        "offset": call.position.offset,
        "path": call.position.path,
        "reader": reader,
    }


def _hosts(view: WebResultView | Refusal, title: str | None) -> list[str]:
    """The hosts that a call names: the page's, or those of the sources, each once and in order."""
    match view:
        case WebSearchResultView():
            urls = [source.url for source in view.sources]
        case WebFetchResultView():
            urls = [view.url]
        case _:
            urls = [title] if title is not None and "://" in title else []
    return list(dict.fromkeys(host for url in urls if (host := host_of(url))))


def host_of(url: str) -> str | None:
    """The host of a URL in lower case, or None where there is none (RFC 3986, section 3.2.2, read loosely)."""
    found = _HOST.match(url)
    return found[1].lower() if found else None


def words_of(call: LoggedCall, shown: Shown) -> str:
    """The text of a call that can be searched for."""
    view = shown.view
    parts = [shown.title or "", call.tool_name or call.tool, call.call_id or ""]
    if isinstance(view, WebSearchResultView):
        parts.append(view.answer[:_TEXT_KEPT] if isinstance(view.answer, str) else "")
        for source in view.sources:
            fields = (source.url, source.title, source.snippet)
            parts.extend(field[:_SNIPPET_KEPT] for field in fields if isinstance(field, str))
    if call.result is not None:
        parts.append(call.result.text[:_TEXT_KEPT])
    if call.error is not None:
        parts.extend(part for part in (call.error.code, call.error.name) if part)
    return "\n".join(part for part in parts if part)


def _kind(view: object, call: LoggedCall) -> str:
    match view:
        case WebSearchResultView():
            return "search"
        case WebFetchResultView():
            return "fetch"
        case _:
            return "unfinished" if call.unfinished else "error" if call.is_error else "generic"
