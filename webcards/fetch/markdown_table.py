"""Tables: which are data and which only lay out a page, and how the data ones read as Markdown."""

from __future__ import annotations

from typing import NamedTuple

from lxml.html import HtmlElement

MAX_COLUMNS = 100
MAX_ROW_SPAN = 1_000
_LAYOUT_TAGS = frozenset(["table", "h1", "h2", "h3", "h4", "article", "section", "main", "nav", "form", "iframe", "hr"])
_RICH_TAGS = frozenset(["ul", "ol", "pre", "blockquote", "dl", "figure"])
_LONG_CELL = 1_200


class Cell(NamedTuple):
    """One cell: its text on one line, whether it heads a row or column, and how far it spans."""

    text: str
    heads: bool
    columns: int
    rows: int


class Table:
    """A data table while it is read, row by row."""

    def __init__(self) -> None:
        self._rows: list[list[Cell]] = []
        self._heading_rows = 0

    def add_row(self, *, heads: bool) -> None:
        """Begin a row; `heads` says that it stands in the table's head."""
        self._rows.append([])
        if heads and self._heading_rows == len(self._rows) - 1:
            self._heading_rows = len(self._rows)

    def add_cell(self, cell: Cell) -> None:
        """Put a cell at the end of the row."""
        if not self._rows:
            self._rows.append([])
        self._rows[-1].append(cell)

    def write(self) -> str:
        """The table as Markdown; cells that others span are left empty."""
        rows = [row for row in self._rows if any(cell.text for cell in row)]
        grid = _grid(rows)
        if not grid:
            return ""
        width = max(len(row) for row in grid)
        first = next((row for row in self._rows if row), [])
        has_heads = any(cell.heads for row in rows for cell in row)
        headed = self._heading_rows > 0 or not has_heads or all(cell.heads for cell in first)
        header, body = (grid[0], grid[1:]) if headed else ([], grid)
        lines = [_line(header, width), "|" + " --- |" * width]
        lines += [_line(row, width) for row in body]
        return "\n".join(lines)


def is_data_table(table: HtmlElement) -> bool:
    """Whether a table holds data, not the boxes of a page's layout."""
    if (table.get("role") or "").lower() in ("presentation", "none"):
        return False
    rows = columns = widest = 0
    headed = rich = False
    for element in table.iter():
        tag = element.tag
        if tag == "tr":
            rows += 1
            columns = 0
        elif tag in ("td", "th"):
            columns += 1
            widest = max(widest, columns)
            headed = headed or tag == "th"
            if columns > MAX_COLUMNS:
                return False
        elif tag == "thead" or tag == "caption":
            headed = True
        elif tag in _LAYOUT_TAGS and element is not table:
            return False
        elif tag in _RICH_TAGS:
            rich = True
    if rows == 0 or widest == 0 or (rich and not headed):
        return False
    if widest == 1:
        return headed and rows > 1
    return headed or not _has_long_cell(table)


def span(element: HtmlElement, name: str, limit: int) -> int:
    """A cell's `colspan` or `rowspan`, between 1 and the limit (HTML §4.9.11 caps them too)."""
    value = (element.get(name) or "").strip()
    return min(max(int(value), 1), limit) if value.isascii() and value.isdigit() and len(value) < 12 else 1


def _has_long_cell(table: HtmlElement) -> bool:
    return any(sum(map(len, cell.itertext())) > _LONG_CELL for cell in table.iter("td"))


def _grid(rows: list[list[Cell]]) -> list[list[str]]:
    """Rows with every cell in its column, spans filled with empty cells."""
    grid: list[list[str]] = []
    taken: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        spans: dict[int, int] = {}
        for cell in row:
            while taken.get(len(line), 0) and len(line) < MAX_COLUMNS:
                line.append("")
            start = len(line)
            if start >= MAX_COLUMNS:
                line[-1] = f"{line[-1]} {cell.text}"
                continue
            line.append(cell.text)
            line.extend([""] * (min(cell.columns, MAX_COLUMNS - start) - 1))
            if cell.rows > 1:
                spans.update(dict.fromkeys(range(start, len(line)), cell.rows))
        taken = {column: left - 1 for column, left in taken.items() if left > 1}
        taken.update({column: left - 1 for column, left in spans.items() if left > 1})
        grid.append(line)
    # A span wider than any row has cells says nothing; its empty columns go.
    width = max((_used(line) for line in grid), default=0)
    return [line[:width] for line in grid]


def _used(line: list[str]) -> int:
    used = len(line)
    while used and not line[used - 1]:
        used -= 1
    return used


def _line(cells: list[str], width: int) -> str:
    padded = [*cells, *[""] * (width - len(cells))]
    return "| " + " | ".join(padded) + " |"
