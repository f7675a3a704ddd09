"""The calls that a filter means as CSV or Parquet, streamed: a million calls need no more memory than a
thousand.
"""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from webcards.store.calls import Call, call_of, matching
from webcards.store.filters import Filter
from webcards.store.schema import calls

AT_ONCE = 5_000
TIMES = ("started_at", "settled_at")
FIELDS = Call.__struct_fields__
# A spreadsheet takes a cell that begins so for a formula; a page's address or a query may be anybody's.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_parts(engine: Engine, wanted: Filter, *, now: int) -> Iterator[bytes]:
    """CSV (RFC 4180, UTF-8), the head line first, newest call first. Times are ISO 8601 in UTC."""
    yield _line(FIELDS)
    for batch in _batches(engine, wanted, now):
        yield b"".join(_line([_cell(name, getattr(call, name)) for name in FIELDS]) for call in batch)


def write_parquet(engine: Engine, wanted: Filter, path: Path, *, now: int) -> int:
    """Writes a Parquet file; gives the number of calls in it. Times are timestamps in UTC."""
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    fields = []
    for name in FIELDS:
        kind = pa.timestamp("ms", tz="UTC") if name in TIMES else kinds[calls.c[name].type.python_type]
        fields.append(pa.field(name, kind))
    schema = pa.schema(fields)
    written = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(engine, wanted, now):
            rows = [{name: getattr(call, name) for name in FIELDS} for call in batch]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            written += len(batch)
    return written


def _batches(engine: Engine, wanted: Filter, now: int) -> Iterator[list[Call]]:
    query = matching(wanted, now).order_by(calls.c.started_at.desc(), calls.c.id.desc())
    options = {"isolation_level": "AUTOCOMMIT"} if engine.dialect.name == "sqlite" else {}
    with engine.connect().execution_options(**options, yield_per=AT_ONCE) as connection:
        for part in connection.execute(query).partitions(AT_ONCE):
            yield [call_of(row) for row in part]


def _line(cells: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode("utf-8", "replace")


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return ""
    if name in TIMES:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
