"""The addresses that machines ask, on real databases that answer, are away, come back, or hang."""

import asyncio
import contextlib
import threading
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.store.databases import cluster, postgres_programs
from webcards.serving.metrics import Metrics
from webcards.serving.readiness import Readiness
from webcards.serving.routes import machine_routes, page_routes
from webcards.store import Store


def asking(readiness: Readiness) -> TestClient:
    return TestClient(Starlette(routes=machine_routes(readiness, Metrics())))


def test_an_app_whose_database_answers_is_ready(url: str) -> None:
    readiness = Readiness(lambda: Store.open(url))
    with asking(readiness) as client:
        answer = client.get("/readyz")
    readiness.close()
    assert (answer.status_code, answer.text) == (200, "ready\n")
    assert answer.headers["cache-control"] == "no-store"


def test_an_app_without_its_database_lives_and_is_not_ready_until_it_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "calls"
    folder.write_text("a file in the place of the folder")
    readiness = Readiness(lambda: Store.open(f"sqlite:///{folder}/calls.db"), fresh=0)
    with asking(readiness) as client:
        assert client.get("/healthz").text == "ok\n"
        answer = client.get("/readyz")
        assert (answer.status_code, answer.text) == (503, "not ready: the database does not answer\n")
        folder.unlink()
        assert client.get("/readyz").status_code == 200
    readiness.close()


@pytest.mark.database
def test_a_database_server_that_goes_away_is_noticed() -> None:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with cluster("fsync=off") as server:
        readiness = Readiness(lambda: Store.open(server.url("postgres")), fresh=0)
        portal = contextlib.ExitStack()
        client = portal.enter_context(asking(readiness))
        assert client.get("/readyz").status_code == 200
    with portal:
        answer = client.get("/readyz")
    readiness.close()
    assert answer.status_code == 503
    assert str(server.port) not in answer.text


async def test_a_database_that_hangs_counts_as_one_that_does_not_answer(tmp_path: Path) -> None:
    free = threading.Event()

    def hang() -> Store:
        free.wait()
        return Store.open(f"sqlite:///{tmp_path}/calls.db")

    readiness = Readiness(hang, patience=0.01)
    assert await readiness.ready() is False
    free.set()
    patient = Readiness(hang)
    assert await patient.ready() is True
    patient.close()


async def test_many_who_ask_at_once_are_answered_by_one_look(tmp_path: Path) -> None:
    opened: list[int] = []

    def open_store() -> Store:
        opened.append(1)
        return Store.open(f"sqlite:///{tmp_path}/calls.db")

    readiness = Readiness(open_store)
    assert set(await asyncio.gather(*(readiness.ready() for _ in range(50)))) == {True}
    assert len(opened) == 1
    readiness.close()


def test_the_metrics_are_in_the_form_that_prometheus_reads() -> None:
    with asking(Readiness(Store.open)) as client:
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE webcards_call_seconds histogram" in answer.text
    assert "# TYPE webcards_calls_running gauge" in answer.text
    assert "process_resident_memory_bytes" in answer.text


@pytest.mark.parametrize("base", ["", "/tools"])
def test_the_first_page_is_found_by_its_name_with_all_that_was_asked(base: str) -> None:
    app = Starlette(routes=[Mount(base, routes=page_routes())])
    with TestClient(app, follow_redirects=False) as client:
        answer = client.get(f"{base}/run?tool=web_search&q=a%20b&q=%2F%2Fc")
    assert answer.status_code == 307
    assert str(answer.next_request and answer.next_request.url) == (
        f"http://testserver{base}/?tool=web_search&q=a%20b&q=%2F%2Fc"
    )


def test_what_a_page_looks_for_below_its_own_address_is_no_success_and_no_error() -> None:
    with TestClient(Starlette(routes=page_routes()), follow_redirects=False) as client:
        for name in ("health", "host-config"):
            answer = client.get(f"/compare/_stcore/{name}")
            assert (answer.status_code, answer.content, "location" in answer.headers) == (300, b"", False)
        assert client.get("/_stcore/health").status_code == 404, "that is Streamlit's own to answer"
