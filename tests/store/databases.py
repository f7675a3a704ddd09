"""Real databases for the tests: an SQLite file, and a private PostgreSQL cluster on a loopback port."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

_numbers = count(1)


def postgres_programs() -> Path | None:
    """The folder of initdb and pg_ctl, newest version first; None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: -int(path.parts[4]))
    if found:
        return found[0].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class Cluster:
    """A PostgreSQL server of the tests' own; `new_database` gives the URL of an empty database."""

    def __init__(self, port: int, data: Path) -> None:
        self.port = port
        self._data = data

    @property
    def process(self) -> int:
        """The id of the server's first process; each connection is served by a child of it."""
        return int((self._data / "postmaster.pid").read_text().split(maxsplit=1)[0])

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        return self.database(f"calls_{os.getpid()}_{next(_numbers)}")

    def database(self, name: str) -> str:
        """The URL of a database of that name, made if there is none."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        return self.url(name)


def memory_folder() -> str | None:
    """Where files live in memory, if there is room: making and deleting some hundred databases on a disk takes minutes."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 6 << 30 else None


@contextmanager
def cluster(*options: str, folder: Path | None = None, inside: str | None = None) -> Iterator[Cluster]:
    """Starts a server and stops it at the end. `options` are `name=value` settings.

    Its data lie in a folder of its own (`inside` another one, if named) that goes with it, or in `folder`, where they are
    kept and found again.
    """
    programs = postgres_programs()
    assert programs is not None
    # PostgreSQL refuses to run as root.
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    kept = folder is not None
    folder = folder or Path(tempfile.mkdtemp(prefix="webcards-pg-", dir=inside))
    data = folder / "data"
    new = not data.exists()
    data.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if as_postgres:
        shutil.chown(data, "postgres")
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*as_postgres, str(programs / program), "-D", str(data), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=60)

    try:
        if new:
            run("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C")
        settings = " ".join(
            f"-c {option}"
            for option in (f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", *options)
        )
        run("pg_ctl", "start", "--wait", f"--options={settings}", f"--log={folder}/log")
        yield Cluster(port, data)
    finally:
        subprocess.run(
            [*as_postgres, str(programs / "pg_ctl"), "-D", str(data), "stop", "-m", "fast" if kept else "immediate"],
            check=False,
            capture_output=True,
            cwd=folder,
        )
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
