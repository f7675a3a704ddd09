"""Two runs compared, call by call: what is new, what is gone, and what answers differently than before."""

from collections import Counter
from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection, select

from webcards.batch.schema import batch_items, run_items, runs
from webcards.store import Store

Kind = Literal["new", "gone", "status", "title", "text", "same", "not settled"]
KINDS: tuple[Kind, ...] = ("new", "gone", "status", "title", "text", "same", "not settled")


class Side(Struct, frozen=True):
    """What one run has of a call; `record` is the id of the recorded call."""

    record: int | None
    outcome: str | None
    status_code: int | None
    error_code: str | None
    title: str | None
    text_hash: int | None
    settled: bool

    @property
    def status(self) -> str:
        """The HTTP status, the error's code, or that there is neither."""
        return self.error_code or (str(self.status_code) if self.status_code is not None else self.outcome or "")


class Change(Struct, frozen=True):
    """One call in both runs; `kinds` says all that differs. A side is None where the run lacks the call."""

    tool: str
    args: str
    before: Side | None
    after: Side | None
    kinds: tuple[Kind, ...]


def kinds_of(before: Side | None, after: Side | None) -> tuple[Kind, ...]:
    """What differs between two answers to one call."""
    if before is None:
        return ("new",)
    if after is None:
        return ("gone",)
    if not (before.settled and after.settled):
        return ("not settled",)
    found: list[Kind] = []
    if (before.outcome, before.status_code, before.error_code) != (after.outcome, after.status_code, after.error_code):
        found.append("status")
    if before.outcome == after.outcome == "ok":
        if before.title != after.title:
            found.append("title")
        if before.text_hash != after.text_hash:
            found.append("text")
    return tuple(found) or ("same",)


def compare(store: Store, earlier: int, later: int) -> list[Change]:
    """Every call of either run, in the later run's order, what is gone at the end."""
    with store.reading() as connection:
        old, new = _sides(connection, earlier), _sides(connection, later)
    changes = [_change(key, old, new) for key in new]
    return changes + [_change(key, old, new) for key in old if key not in new]


def counts(changes: list[Change]) -> dict[Kind, int]:
    """How many calls changed in each way; one that changed in two ways counts for both."""
    found = Counter(kind for change in changes for kind in change.kinds)
    return {kind: found[kind] for kind in KINDS}


def run_before(store: Store, run: int) -> int | None:
    """The latest earlier run of the same batch that is done; None if there is none."""
    batch = select(runs.c.batch).where(runs.c.id == run).scalar_subquery()
    query = (
        select(runs.c.id)
        .where(runs.c.batch == batch, runs.c.id < run, runs.c.state == "done")
        .order_by(runs.c.id.desc())
        .limit(1)
    )
    with store.reading() as connection:
        found: int | None = connection.execute(query).scalar()
    return found


_Keyed = dict[int, tuple[str, str, Side]]


def _sides(connection: Connection, run: int) -> _Keyed:
    columns = run_items.c
    query = (
        select(
            batch_items.c.key,
            batch_items.c.tool,
            batch_items.c.args,
            columns.record,
            columns.outcome,
            columns.status_code,
            columns.error_code,
            columns.title,
            columns.text_hash,
            columns.state == "settled",
        )
        .select_from(run_items)
        .join(runs, runs.c.id == columns.run)
        .join(batch_items, (batch_items.c.batch == runs.c.batch) & (batch_items.c.position == columns.position))
        .where(columns.run == run)
        .order_by(columns.position)
    )
    return {key: (tool, args, Side(*side)) for key, tool, args, *side in connection.execute(query)}


def _change(key: int, old: _Keyed, new: _Keyed) -> Change:
    tool, args, _ = new[key] if key in new else old[key]
    before = old[key][2] if key in old else None
    after = new[key][2] if key in new else None
    return Change(tool, args, before, after, kinds_of(before, after))
