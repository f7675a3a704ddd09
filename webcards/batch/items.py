"""Reads what a batch is made of: a list of queries and URLs, a CSV, JSON Lines, or anybody's log. Pure but
for reading.

What cannot be used is left out and told, with its line; the same call twice is made once.
"""

import csv
import io
import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from webcards.store.recording import host_of

TOOLS = ("web_search", "web_fetch")
SEARCHES = "(search)"
MOST_ITEMS = 1_000_000
_ARGUMENTS = frozenset(
    {"query", "queries", "url", "max_results", "time_range", "site", "region", "safe", "start", "raw"}
)
_NUMBERS = frozenset({"max_results", "start"})


class Item(Struct, frozen=True):
    """One call to make. `args` is canonical JSON; `host` is what the per-host limit counts by."""

    tool: str
    args: str
    host: str

    @property
    def key(self) -> int:
        """The same for the same call in every batch: what two runs are compared by."""
        digest = blake2b(f"{self.tool} {self.args}".encode("utf-8", "replace"), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


class Left(Struct, frozen=True):
    """A line that was left out, and why."""

    line: int
    reason: str


class Items(Struct, frozen=True):
    """What was read: the items, what was left out, and how many stood there before."""

    items: list[Item]
    left: list[Left]
    repeated: int


def read_items(data: bytes, *, name: str = "") -> Items:
    """Reads a list, CSV, JSON Lines or log; which of them it is, is seen from the content (a `.csv` name
    helps).
    """
    text = data.decode("utf-8-sig", "replace")
    first = text.lstrip()[:1]
    if data[:4] in {b"\x28\xb5\x2f\xfd", b"PK\x03\x04"} or data[:2] == b"\x1f\x8b":
        return _gathered(_from_log(data, name))
    if first in {"{", "["}:
        own = list(_from_json_lines(text))
        return _gathered(iter(own) if any(isinstance(item, Item) for item in own) else _from_log(data, name))
    if _is_csv(text, name):
        return _gathered(_from_csv(text))
    return _gathered(_from_list(text))


def item_of(tool: str, args: dict[str, Any]) -> Item:
    """The item of one call. Raises ValueError, in words, if no tool could make it."""
    if tool not in TOOLS:
        msg = f"there is no tool {tool!r}; it is web_search or web_fetch"
        raise ValueError(msg)
    kept = {key: value for key, value in args.items() if value not in (None, "", [])}
    if tool == "web_fetch":
        url = kept.get("url")
        if not isinstance(url, str) or not (host := host_of(url)):
            msg = f"no http(s) URL: {str(url)[:80]!r}"
            raise ValueError(msg)
    else:
        host = SEARCHES
        queries = kept.get("queries", [kept.get("query")])
        if not isinstance(queries, list) or not all(isinstance(query, str) and query.strip() for query in queries):
            msg = "no query"
            raise ValueError(msg)
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if any(0xD800 <= ord(character) < 0xE000 or character == "\0" for character in text):
        msg = "it holds characters that are no text"
        raise ValueError(msg)
    return Item(tool, text, host)


def _gathered(found: Iterator[Item | Left]) -> Items:
    items: dict[tuple[str, str], Item] = {}
    left: list[Left] = []
    repeated = 0
    for item in found:
        if isinstance(item, Left):
            left.append(item)
        elif (item.tool, item.args) in items:
            repeated += 1
        elif len(items) >= MOST_ITEMS:
            left.append(Left(0, f"a batch holds at most {MOST_ITEMS:,} calls; the rest was left out"))
            break
        else:
            items[item.tool, item.args] = item
    return Items(list(items.values()), left, repeated)


def _made(line: int, tool: str, args: dict[str, Any]) -> Item | Left:
    try:
        return item_of(tool, args)
    except ValueError as error:
        return Left(line, str(error))


def _from_list(text: str) -> Iterator[Item | Left]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words:
            continue
        if "://" in words.split()[0]:
            yield _made(number, "web_fetch", {"url": words})
        else:
            yield _made(number, "web_search", {"query": words})


def _is_csv(text: str, name: str) -> bool:
    head = _columns(text)
    named = name.lower().endswith((".csv", ".tsv"))
    return bool({"url", "query"} & set(head)) and (len(head) > 1 or named or head in (["url"], ["query"]))


def _columns(text: str) -> list[str]:
    line = text.lstrip().split("\n", 1)[0].strip()
    return [cell.strip().strip('"').lower() for cell in line.split(_separator(line))]


def _separator(line: str) -> str:
    return max(",;\t", key=line.count)


def _from_csv(text: str) -> Iterator[Item | Left]:
    text = text.lstrip()
    columns = _columns(text)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text.split("\n", 1)[0]))
    try:
        next(rows, None)
        for cells in rows:
            if not any(cell.strip() for cell in cells):
                continue
            row = {column: cell.strip() for column, cell in zip(columns, cells, strict=False)}
            tool = row.pop("tool", "") or ("web_fetch" if row.get("url") else "web_search")
            yield _made(rows.line_num, tool, _arguments(row))
    except csv.Error as error:
        yield Left(rows.line_num, f"no CSV from here on: {error}")


def _arguments(row: dict[str, str]) -> dict[str, Any]:
    """The columns that are arguments, as the tools take them; other columns are the list's own."""
    made: dict[str, Any] = {}
    for name, value in row.items():
        if name not in _ARGUMENTS or not value:
            continue
        if name in _NUMBERS and value.isdecimal():
            made[name] = int(value)
        elif name == "raw":
            made[name] = value.lower() in {"true", "yes", "1"}
        elif name == "queries":
            made[name] = [part.strip() for part in value.split("|") if part.strip()]
        else:
            made[name] = value
    return made


def _from_json_lines(text: str) -> Iterator[Item | Left]:
    """`{"tool", "args"}`, or the args alone, a line; or one array of them."""
    for number, row in _json_rows(text):
        if isinstance(row, Left):
            yield row
        elif isinstance(row, str):
            yield from (_renumbered(item, number) for item in _from_list(row))
        elif not isinstance(row, dict):
            yield Left(number, "no JSON object")
        elif isinstance(row.get("args"), dict):
            yield _made(
                number, str(row.get("tool", "web_fetch" if "url" in row["args"] else "web_search")), row["args"]
            )
        elif isinstance(row.get("url"), str) or isinstance(row.get("query"), str) or "queries" in row:
            tool = row.get("tool", "web_fetch" if "url" in row else "web_search")
            yield _made(number, str(tool), {key: row[key] for key in row if key in _ARGUMENTS})
        else:
            yield Left(number, "neither a url nor a query")


def _renumbered(item: Item | Left, line: int) -> Item | Left:
    return Left(line, item.reason) if isinstance(item, Left) else item


def _json_rows(text: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield 1, Left(1, f"no JSON: {error}")
            return
        yield from enumerate(rows, start=1)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, Left(number, f"no JSON: {error}")


def _from_log(data: bytes, name: str) -> Iterator[Item | Left]:
    from webcards.logs import LoggedCall, LogProblem, read_log

    for found in read_log(data, name=name):
        match found:
            case LoggedCall(tool=tool, args=dict() as args, position=position):
                yield _made(position.line, tool, args)
            case LoggedCall(position=position):
                yield Left(position.line, "a call whose arguments the log lost")
            case LogProblem(line=line, message=message):
                yield Left(line, message)
            case _:
                pass
