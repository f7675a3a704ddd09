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

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        name = f"calls_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


@contextmanager
def cluster(*options: str) -> Iterator[Cluster]:
    """Starts a server in a folder of its own and stops it at the end. `options` are `name=value` settings."""
    programs = postgres_programs()
    assert programs is not None
    # PostgreSQL refuses to run as root.
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="webcards-pg-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
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
        run("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C")
        settings = " ".join(
            f"-c {option}"
            for option in (f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", *options)
        )
        run("pg_ctl", "start", "--wait", f"--options={settings}", f"--log={folder}/log")
        yield Cluster(port)
    finally:
        subprocess.run(
            [*as_postgres, str(programs / "pg_ctl"), "-D", str(data), "stop", "-m", "immediate"],
            check=False,
            capture_output=True,
            cwd=folder,
        )
        shutil.rmtree(folder, ignore_errors=True)
