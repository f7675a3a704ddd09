"""Where the recorded calls live: the database URL that is meant, and how to name it without its password."""

import os
from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

SETTING = "WEBCARDS_DATABASE_URL"


class DatabaseError(Exception):
    """The database cannot be used; the message says which, why, and what to do. Never holds a password."""


def default_path() -> Path:
    """The SQLite file in the user's data folder that is used where no URL is set."""
    return user_data_path("webcards", appauthor=False) / "calls.db"


def database_url(url: str | None = None) -> URL:
    """The URL to open: the one given, else the setting's, else the default SQLite file.

    `postgres://` and `postgresql://` mean the psycopg 3 driver. Raises DatabaseError on any other kind of
    database.
    """
    text = url or os.environ.get(SETTING) or ""
    if not text.strip():
        return URL.create("sqlite", database=str(default_path()))
    try:
        parsed = make_url(text.replace("postgres://", "postgresql://", 1))
    except (ArgumentError, ValueError):
        msg = f"{SETTING} is no database URL; give sqlite:///<path> or postgresql://<user>@<host>/<database>"
        raise DatabaseError(msg) from None
    match parsed.get_backend_name():
        case "sqlite":
            if parsed.database in {None, "", ":memory:"}:
                msg = f"{SETTING} names an SQLite database in memory, which would be lost; give sqlite:///<path>"
                raise DatabaseError(msg)
            return parsed.set(drivername="sqlite")
        case "postgresql":
            return parsed.set(drivername="postgresql+psycopg")
        case other:
            msg = f"{SETTING} names a {other} database; only sqlite and postgresql are known here"
            raise DatabaseError(msg)


def shown(url: URL) -> str:
    """The URL for people and logs, its password and query masked."""
    return url.set(query={}).render_as_string(hide_password=True)
