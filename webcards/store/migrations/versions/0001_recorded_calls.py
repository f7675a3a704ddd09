"""Recorded calls, their sums by hour and day, saved thresholds and the marks of a manual pass."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("measure", sa.Text(), nullable=False),
        sa.Column("above", sa.Float(), nullable=False),
        sa.Column("filter", sa.Text(), nullable=False),
        sa.Column("at_least", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "call_hours",
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("status_class", sa.SmallInteger(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("truncated", sa.Boolean(), nullable=True),
        sa.Column("fell_back", sa.Boolean(), nullable=False),
        sa.Column("fallback", sa.Text(), nullable=True),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("elapsed_ms", sa.Float(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("sources", sa.BigInteger(), nullable=False),
        sa.Column("latencies", sa.LargeBinary(), nullable=False),
    )
    op.create_index("call_hours_hour", "call_hours", ["hour"])

    op.create_table(
        "calls",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("query", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("status_class", sa.SmallInteger(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("truncated", sa.Boolean(), nullable=True),
        sa.Column("fell_back", sa.Boolean(), nullable=False),
        sa.Column("fallback", sa.Text(), nullable=True),
        sa.Column("fallback_path", sa.Text(), nullable=True),
        sa.Column("fallback_reason", sa.Text(), nullable=True),
        sa.Column("view_kind", sa.Text(), nullable=True),
        sa.Column("dead", sa.Boolean(), nullable=False),
        sa.Column("elapsed_ms", sa.Float(), nullable=True),
        sa.Column("latency", sa.SmallInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("sources", sa.Integer(), nullable=True),
        sa.Column("stored", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "calls_bytes",
        "calls",
        ["bytes"],
        sqlite_where=sa.text("bytes > 0"),
        postgresql_where=sa.text("bytes > 0"),
    )
    op.create_index(
        "calls_dead",
        "calls",
        ["started_at", "url"],
        sqlite_where=sa.text("dead IS 1"),
        postgresql_where=sa.text("dead IS true"),
    )
    op.create_index(
        "calls_elapsed",
        "calls",
        ["elapsed_ms"],
        sqlite_where=sa.text("elapsed_ms > 0"),
        postgresql_where=sa.text("elapsed_ms > 0"),
    )
    op.create_index(
        "calls_error_code",
        "calls",
        ["error_code", "started_at"],
        sqlite_where=sa.text("error_code IS NOT NULL"),
        postgresql_where=sa.text("error_code IS NOT NULL"),
    )
    op.create_index(
        "calls_fell_back",
        "calls",
        ["started_at"],
        sqlite_where=sa.text("fell_back IS 1"),
        postgresql_where=sa.text("fell_back IS true"),
    )
    op.create_index("calls_host", "calls", ["host", "started_at"])
    op.create_index(
        "calls_person",
        "calls",
        ["person", "started_at"],
        sqlite_where=sa.text("person IS NOT NULL"),
        postgresql_where=sa.text("person IS NOT NULL"),
    )
    op.create_index(
        "calls_provider",
        "calls",
        ["provider", "started_at"],
        sqlite_where=sa.text("provider IS NOT NULL"),
        postgresql_where=sa.text("provider IS NOT NULL"),
    )
    op.create_index(
        "calls_run_id",
        "calls",
        ["run_id", "started_at"],
        sqlite_where=sa.text("run_id IS NOT NULL"),
        postgresql_where=sa.text("run_id IS NOT NULL"),
    )
    op.create_index(
        "calls_url",
        "calls",
        ["url", "started_at"],
        sqlite_where=sa.text("url IS NOT NULL"),
        postgresql_where=sa.text("url IS NOT NULL"),
    )
    op.create_index("calls_started", "calls", ["started_at"])
    op.create_index(
        "calls_status",
        "calls",
        ["status_class", "started_at"],
        sqlite_where=sa.text("status_class != 2"),
        postgresql_where=sa.text("status_class != 2"),
    )
    op.create_index(
        "calls_truncated",
        "calls",
        ["started_at"],
        sqlite_where=sa.text("truncated IS 1"),
        postgresql_where=sa.text("truncated IS true"),
    )
    op.create_index(
        "calls_unfinished",
        "calls",
        ["started_at"],
        sqlite_where=sa.text("settled_at IS NULL"),
        postgresql_where=sa.text("settled_at IS NULL"),
    )

    op.create_table(
        "hosts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("host"),
    )
    op.create_table(
        "host_days",
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("hosts", sa.LargeBinary(), nullable=False),
    )
    op.create_index("host_days_day", "host_days", ["day"])

    op.create_table(
        "marks",
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("marked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("state", "version"),
    )
    op.create_table(
        "sealed",
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("what"),
    )
    op.create_table(
        "stale_hours",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "payloads",
        sa.Column("call", ID, autoincrement=False, nullable=False),
        sa.Column("call_event", sa.LargeBinary(), nullable=False),
        sa.Column("result_event", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["call"], ["calls.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("call"),
    )
    op.create_table(
        "sources",
        sa.Column("call", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("link", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["call"], ["calls.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("call", "position"),
        sqlite_with_rowid=False,
    )
    op.create_index("sources_host", "sources", ["host", "call"])
    op.create_index("sources_link", "sources", ["link"])
