"""The sources of a log's searches as a table: one row a source, for CSV, Markdown and Parquet."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import UNSET

from webcards.contract.links import link_hostname, safe_link
from webcards.contract.meta import Refusal
from webcards.contract.views import WebFetchResultView, WebSearchResultView
from webcards.logs.model import LoggedCall
from webcards.logs.view import explain, title_of

COLUMNS = ("call", "callId", "time", "tool", "asked", "rank", "url", "title", "snippet", "publishedAt", "status")
# A cell that begins with one of these is a formula to a spreadsheet; OWASP's advice is to put a quote before it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def source_rows(calls: Iterable[LoggedCall]) -> Iterator[dict[str, Any]]:
    """One row for each source of a search and each fetched page, in order; what the log lacks is None."""
    for n, call in enumerate(calls, 1):
        asked = _given(title_of(call))
        head = {"call": n, "callId": call.call_id, "time": _text(call.time), "tool": call.tool, "asked": asked}
        match explain(call):
            case WebSearchResultView() as view:
                for rank, item in enumerate(view.sources, 1):
                    fields = {"title": _given(item.title), "snippet": _given(item.snippet)}
                    date = _given(item.published_at)
                    yield {**head, "rank": rank, "url": item.url, **fields, "publishedAt": date, "status": None}
            case WebFetchResultView() as view:
                empty = {"rank": None, "title": None, "snippet": None, "publishedAt": None}
                yield {**head, **empty, "url": view.url, "status": _given(view.status_code)}
            case Refusal():
                pass


def sources_csv(calls: Iterable[LoggedCall]) -> Iterator[str]:
    """The table as CSV (RFC 4180), a line at a time. What a spreadsheet would run is made text."""
    yield _csv_line(COLUMNS)
    for row in source_rows(calls):
        yield _csv_line([_cell(row[column]) for column in COLUMNS])


def sources_markdown(calls: Iterable[LoggedCall]) -> Iterator[str]:
    """The sources as Markdown lists, one below each question; an address that is not http(s) stays text."""
    last = None
    for row in source_rows(calls):
        if row["call"] != last:
            last = row["call"]
            yield f"\n## {last}. {_md(row['asked'] or row['tool'])}\n\n"
        label = _md(row["title"] or link_hostname(row["url"]) or row["url"])
        linked = f"[{label}](<{href}>)" if (href := safe_link(row["url"])) else f"{label} {_md(row['url'])}"
        tail = " ".join(
            part
            for part in (_md(row["snippet"] or ""), f"({_md(row['publishedAt'])})" if row["publishedAt"] else "")
            if part
        )
        status = f" (HTTP {row['status']})" if row["status"] is not None else ""
        yield f"{row['rank'] or '-'}{'.' if row['rank'] else ''} {linked}{status}{' — ' + tail if tail else ''}\n"


def write_sources_parquet(calls: Iterable[LoggedCall], path: Path) -> int:
    """Writes the table as a Parquet file, in groups of rows. Gives the number of rows."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"call": pa.int64(), "rank": pa.int64(), "status": pa.int64()}
    schema = pa.schema([(column, types.get(column, pa.string())) for column in COLUMNS])
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        group: list[dict[str, Any]] = []
        for row in source_rows(calls):
            group.append(row)
            if len(group) == 10_000:
                writer.write_table(pa.Table.from_pylist(group, schema))
                count, group = count + len(group), []
        writer.write_table(pa.Table.from_pylist(group, schema))
    return count + len(group)


def _given(value: Any) -> Any:
    return None if value is UNSET else value


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def _csv_line(cells: Iterable[str]) -> str:
    target = io.StringIO()
    csv.writer(target).writerow(cells)
    return target.getvalue()


def _md(text: str) -> str:
    """One line of text in which Markdown sees nothing."""
    line = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+!|~" else char for char in line)
