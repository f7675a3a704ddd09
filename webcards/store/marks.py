"""The marks of a manual pass over the gallery: pass, fail or skip, with a note, for each state and version."""

from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select

from webcards.store.schema import marks

Verdict = Literal["pass", "fail", "skip"]


class Mark(Struct, frozen=True):
    """What a tester said of one state of the card in one version of the app. `marked_at` in milliseconds."""

    state: str
    version: str
    mark: Verdict
    note: str
    person: str | None
    marked_at: int


def set_mark(connection: Connection, mark: Mark) -> None:
    """Keeps a mark; the one that the state had in this version is replaced."""
    clear_mark(connection, mark.state, mark.version)
    connection.execute(insert(marks), {name: getattr(mark, name) for name in Mark.__struct_fields__})


def clear_mark(connection: Connection, state: str, version: str) -> bool:
    """Takes a mark back. False if there was none."""
    gone = connection.execute(delete(marks).where(marks.c.state == state, marks.c.version == version))
    return bool(gone.rowcount)


def list_marks(connection: Connection, version: str) -> dict[str, Mark]:
    """All marks of a version, by state."""
    rows = connection.execute(select(marks).where(marks.c.version == version).order_by(marks.c.state))
    return {row.state: Mark(**row._mapping) for row in rows}
