"""Batches, their items, runs, and how far each item of a run is."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("daily_at", sa.Text(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "batch_items",
        sa.Column("batch", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batches.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("batch", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "batch_runs",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("batch", ID, nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("lanes", sa.SmallInteger(), nullable=False),
        sa.Column("on_workers", sa.Boolean(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["batch"], ["batches.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("batch_runs_batch", "batch_runs", ["batch", "id"])
    op.create_index("batch_runs_state", "batch_runs", ["state"])

    op.create_table(
        "run_items",
        sa.Column("run", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("lane", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("text_hash", sa.BigInteger(), nullable=True),
        sa.Column("elapsed_ms", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["run"], ["batch_runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "position"),
        sqlite_with_rowid=False,
    )
