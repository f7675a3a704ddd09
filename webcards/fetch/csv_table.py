"""Comma, semicolon or tab separated values as a Markdown table."""

from __future__ import annotations

import csv
import io

from webcards.fetch.markdown_inline import escape, visible

MAX_ROWS = 5_000
MAX_COLUMNS = 100
_DELIMITERS = ",;\t|"
_SAMPLE_CHARS = 16_384


def csv_table(text: str, *, tabs: bool = False) -> tuple[str, bool]:
    """The table, and whether rows were left out. A text that has no columns is given back as it is."""
    lines = text.lstrip("\ufeff")
    delimiter = "\t" if tabs else _delimiter(lines)
    rows: list[list[str]] = []
    cut = False
    try:
        for row in csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            if len(rows) == MAX_ROWS:
                cut = True
                break
            rows.append(row[:MAX_COLUMNS])
    except csv.Error:
        return text, False
    width = max((len(row) for row in rows), default=0)
    if width < 2:
        return text, False
    header, *body = rows
    table = [_line(header, width), "|" + " --- |" * width, *(_line(row, width) for row in body)]
    return "\n".join(table), cut


def _delimiter(text: str) -> str:
    """The delimiter that splits the first lines into the most columns, the same number on each."""
    sample = text[:_SAMPLE_CHARS].splitlines()[:20]
    if len(sample) > 1 and len(text) > _SAMPLE_CHARS:
        sample = sample[:-1]
    best, most = ",", 0
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            continue
        if widths and min(widths) > 1:
            even = min(widths) * (2 if min(widths) == max(widths) else 1)
            if even > most:
                best, most = delimiter, even
    return best


def _line(cells: list[str], width: int) -> str:
    written = [_cell(cell) for cell in cells]
    return "| " + " | ".join(written + [""] * (width - len(written))) + " |"


def _cell(value: str) -> str:
    lines = (escape(visible(line).strip()) for line in value.splitlines())
    return "<br>".join(line for line in lines if line).replace("|", "\\|")
