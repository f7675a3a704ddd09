"""Whether there are workers, asked of the database alone: Procrastinate itself need not be loaded for it."""

from sqlalchemy import text

from webcards.store import Store


def workers_seen(store: Store) -> int:
    """How many workers were alive in the last half minute; 0 on SQLite, or where no worker ever was."""
    if store.engine.dialect.name != "postgresql":
        return 0
    with store.reading() as connection:
        if connection.execute(text("SELECT to_regclass('procrastinate_workers')")).scalar() is None:
            return 0
        recent = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'"
        return int(connection.execute(text(recent)).scalar() or 0)
