"""The tables of batches, in the same database as the recorded calls; the migrations are the store's."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
)

metadata = MetaData()

_Id = BigInteger().with_variant(Integer(), "sqlite")

batches = Table(
    "batches",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("person", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("options", Text, nullable=False),
    Column("items", Integer, nullable=False),
    Column("daily_at", Text),
    Column("zone", Text),
    Column("next_at", BigInteger),
)

batch_items = Table(
    "batch_items",
    metadata,
    Column("batch", _Id, ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("tool", Text, nullable=False),
    Column("args", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("key", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

runs = Table(
    "batch_runs",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("batch", _Id, ForeignKey("batches.id", ondelete="CASCADE"), nullable=False),
    Column("person", Text),
    Column("options", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("lanes", SmallInteger, nullable=False),
    Column("on_workers", Boolean, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
Index("batch_runs_batch", runs.c.batch, runs.c.id)
Index("batch_runs_state", runs.c.state)

run_items = Table(
    "run_items",
    metadata,
    Column("run", _Id, ForeignKey("batch_runs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("lane", SmallInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("record", BigInteger),
    Column("settled_at", BigInteger),
    Column("outcome", Text),
    Column("status_code", Integer),
    Column("error_code", Text),
    Column("title", Text),
    Column("text_hash", BigInteger),
    Column("elapsed_ms", Float),
    sqlite_with_rowid=False,
)
