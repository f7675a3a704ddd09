"""Brings a database to the newest schema, under a lock: of many processes that start at once, one migrates."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text

from webcards.store.location import DatabaseError, shown

# Any fixed number will do; it only has to be the same in every process (PostgreSQL, section 13.3.5).
LOCK = 0x7765626361726473 >> 1


def configuration() -> Config:
    """Alembic's configuration for the migrations beside this module."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def migrate(engine: Engine) -> None:
    """Upgrades to the newest revision. Raises DatabaseError if a newer program made the database."""
    config = configuration()
    newest = ScriptDirectory.from_config(config).get_current_head()
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    with engine.begin() as connection:
        _lock(connection)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            msg = f"{shown(engine.url)} was made by a newer version of this program; update it ({error})"
            raise DatabaseError(msg) from None


def _lock(connection: Connection) -> None:
    """SQLite's transaction has begun as a writer, which is a lock already; PostgreSQL's needs one, held to
    its end.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
