"""Stores to test with: each test that takes `store` or `url` runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.databases import Cluster, cluster, memory_folder, postgres_programs
from webcards.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with cluster("fsync=off", "max_connections=60", inside=memory_folder()) as running:
        yield running


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.database)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/calls.db"
    server: Cluster = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened
