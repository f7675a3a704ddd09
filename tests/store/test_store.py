"""Recording calls: what is kept of them, when, and what never is."""

import json
import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.databases import Cluster
from tests.store.events import failed, fetch_call, fetched, found, search_call
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.location import DatabaseError, database_url, shown
from webcards.store.migrate import configuration
from webcards.store.schema import metadata
from webcards.store.store import now_ms


def test_a_call_that_never_settles_stays_as_unfinished(store: Store) -> None:
    record = store.start(search_call("tide tables"), source="cli", user="ada@harbour.example")
    kept = store.get(record)
    assert kept is not None
    assert kept.result_event is None
    assert (kept.call.outcome, kept.call.settled_at) == ("unfinished", None)
    assert (kept.call.tool, kept.call.query, kept.call.person) == ("web_search", "tide tables", "ada@harbour.example")


def test_a_settled_fetch_has_its_status_host_size_and_time(store: Store) -> None:
    record = store.start(fetch_call("http://old.example/a"), source="app")
    result = fetched("https://new.example/a", status=404, truncated=True, details={"bytes": 5120, "provider": "direct"})
    assert store.settle(record, result, elapsed_ms=123.5, view_kind="fetch")
    kept = store.get(record)
    assert kept is not None
    call = kept.call
    assert (call.outcome, call.status_code, call.truncated, call.bytes) == ("ok", 404, True, 5120)
    assert (call.url, call.host, call.provider) == ("http://old.example/a", "new.example", "direct")
    assert (call.elapsed_ms, call.view_kind, call.fell_back) == (123.5, "fetch", False)
    assert kept.result_event is not None
    assert kept.result_event["data"]["meta"]["url"] == "https://new.example/a"


def test_a_failed_call_keeps_its_code_and_the_host_that_was_asked(store: Store) -> None:
    record = store.start(fetch_call("https://slow.example/"), source="app")
    store.settle(record, failed("WEB_FETCH_TIMEOUT"), elapsed_ms=30_000)
    kept = store.get(record)
    assert kept is not None
    assert (kept.call.outcome, kept.call.error_code, kept.call.host) == ("error", "WEB_FETCH_TIMEOUT", "slow.example")


def test_a_fallback_keeps_its_exact_path_and_is_grouped_without_positions(store: Store) -> None:
    for position in (2, 7):
        record = store.start(search_call("rope"), source="app")
        store.settle(record, found(), elapsed_ms=1, fallback=(f"$.sources[{position}].title", "expected str, got int"))
    with store.reading() as connection:
        grouped = Filter(fallback="$.sources[].title: expected str, got int")
        calls = list_calls(connection, grouped, now=now_ms() + 1).calls
    assert [call.fallback_path for call in calls] == ["$.sources[7].title", "$.sources[2].title"]


def test_a_call_settles_once_and_a_second_result_changes_nothing(store: Store) -> None:
    record = store.start(fetch_call("https://a.example/"), source="app")
    assert store.settle(record, fetched("https://a.example/"), elapsed_ms=1)
    assert not store.settle(record, failed("WEB_ABORTED"), elapsed_ms=2)
    kept = store.get(record)
    assert kept is not None
    assert kept.call.outcome == "ok"


def test_dict_events_of_an_imported_log_are_taken_too(store: Store) -> None:
    event = {"type": "tool/call", "data": {"callId": "x", "name": "web_search", "arguments": {"queries": ["a", "b"]}}}
    record = store.start(event, source="import", started_at=1_700_000_000_000)
    kept = store.get(record)
    assert kept is not None
    assert (kept.call.query, kept.call.started_at, kept.call_event) == ("a, b", 1_700_000_000_000, event)


SECRET_URLS = [
    "https://ada:hunter2@a.example/x",
    "https://a.example/x?access_token=hunter2&page=2",
    "https://a.example/x?page=2#id_token=hunter2",
    "https://a.example/f?X-Amz-Signature=hunter2&X-Amz-Credential=hunter2",
    "https://a.example/f?sv=1&sig=hunter2%26hunter2",
    "https://a.example/f?x-oss-signature=hunter2&q-ak=hunter2&private_token=hunter2",
    "https://a.example/go?to=https%3A%2F%2Fada%3Ahunter2%40b.example%2F",
    "https://a.example/go?to=https%3A%2F%2Fb.example%2F%3Fapi_key%3Dhunter2",
    "https:\\\\ada:hunter2@a.example/x",
    "HTTPS://a.example/?API_KEY=hunter2",
]


@pytest.mark.parametrize("url", SECRET_URLS)
def test_no_secret_of_a_url_reaches_the_database_file(url: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    with Store.open(f"sqlite:///{path}") as store:
        record = store.start(fetch_call(url), source="app")
        result = fetched(url, text=f"Fetched {url} (HTTP 200)\n\n[link]({url})", details={"redirects": [url]})
        store.settle(record, result, elapsed_ms=1, details={"requested": url})
        other = store.start(search_call(f"what is {url}"), source="app")
        store.settle(other, found(url), elapsed_ms=1)
        kept = [store.get(record), store.get(other)]
        rows = [list(sqlite3.connect(path).execute(f"SELECT * FROM {table}")) for table in ("calls", "sources")]
    seen = json.dumps([[item.call_event, item.result_event] for item in kept if item]) + repr(rows)
    assert "hunter2" not in seen
    assert "a.example" in seen


def test_what_is_no_secret_stays_as_it_was(store: Store) -> None:
    url = "https://a.example/search?q=api+key+rotation&page=2&keyboard=qwerty&monkey=1#token-types"
    record = store.start(fetch_call(url), source="app")
    store.settle(record, fetched(url, text="Write to ada@harbour.example, or see /docs?x=1"), elapsed_ms=1)
    kept = store.get(record)
    assert kept is not None
    assert kept.result_event is not None
    assert kept.call.url == url
    assert kept.call_event["data"]["arguments"] == json.dumps({"url": url})
    block = kept.result_event["data"]["message"]["content"][0]
    assert block["content"][0]["text"] == "Write to ada@harbour.example, or see /docs?x=1"


@pytest.mark.database
def test_a_page_that_asks_after_the_server_was_restarted_gets_its_answer(
    postgres: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webcards.store.engine.RESTED_SECONDS", 0)
    with Store.open(postgres.new_database()) as store:
        record = store.start(search_call("before"), source="app")
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert store.get(record) is not None


@pytest.mark.database
def test_a_call_is_recorded_although_the_server_was_restarted_in_between(postgres: Cluster) -> None:
    with Store.open(postgres.new_database()) as store:
        store.start(search_call("before"), source="app")
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        record = store.start(search_call("after"), source="app")
        assert store.settle(record, found("https://a.example/"), elapsed_ms=1)
        kept = store.get(record)
        assert kept is not None
        assert (kept.call.query, kept.call.sources) == ("after", 1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "data", "callId", "name", "arguments", "message", "content", "isError", "error", "code", "meta",
         "sources", "url", "statusCode", "truncated", "details", "bytes", "provider", "text", "query", "queries"]),
        inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@given(call=json_values, result=json_values, details=st.none() | st.dictionaries(st.text(max_size=5), json_values))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_can_be_recorded_and_read_again(store: Store, call: Any, result: Any, details: Any) -> None:
    record = store.start(call if isinstance(call, dict) else {"data": call}, source="import")
    assert store.settle(record, result if isinstance(result, dict) else {"data": result}, elapsed_ms=1, details=details)
    kept = store.get(record)
    assert kept is not None
    assert kept.call.outcome in {"ok", "error"}


def test_json_nested_without_end_is_recorded(store: Store) -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"data": deep}
    record = store.start(deep, source="import")
    assert store.settle(record, deep, elapsed_ms=None)


def _open_and_record(url: str, start: Any, calls: int) -> None:
    start.wait()
    with Store.open(url) as store:
        for number in range(calls):
            record = store.start(fetch_call(f"https://a.example/{number}"), source="cli")
            store.settle(record, fetched(f"https://a.example/{number}"), elapsed_ms=1)


def test_processes_that_open_a_new_database_at_once_migrate_it_once_and_lose_nothing(url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(3)
    processes = [spawn.Process(target=_open_and_record, args=(url, start, 25)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with Store.open(url) as store, store.reading() as connection:
        page = list_calls(connection, Filter(outcome="ok"), now=now_ms() + 1, limit=500)
    assert len({call.id for call in page.calls}) == 75


def test_the_migrations_make_exactly_the_tables_that_the_code_uses(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    from webcards.batch.schema import metadata as batch_metadata

    with store.reading() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, [metadata, batch_metadata]) == []  # type: ignore[arg-type]


def test_a_database_of_a_newer_program_is_refused_in_plain_words(store: Store, url: str) -> None:
    from sqlalchemy import text

    with store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer version"):
        Store.open(url)


def test_each_migration_has_one_before_it_and_none_is_left_out() -> None:
    from alembic.script import ScriptDirectory

    revisions = [script.revision for script in ScriptDirectory.from_config(configuration()).walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)


def test_without_a_setting_the_calls_live_in_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBCARDS_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Store.open() as store:
        assert store.location == f"sqlite:///{tmp_path}/webcards/calls.db"
    assert (tmp_path / "webcards" / "calls.db").exists()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgres://ada:hunter2@db.example/calls", "postgresql+psycopg://ada:***@db.example/calls"),
        ("postgresql://ada@db.example/calls?sslpassword=hunter2", "postgresql+psycopg://ada@db.example/calls"),
        ("sqlite:////srv/calls.db", "sqlite:////srv/calls.db"),
    ],
)
def test_a_database_is_named_without_its_password(given: str, expected: str) -> None:
    assert shown(database_url(given)) == expected


@pytest.mark.parametrize("given", ["mysql://a/b", "nonsense", "sqlite://", "sqlite:///:memory:"])
def test_a_database_of_another_kind_is_refused_with_the_settings_name(given: str) -> None:
    with pytest.raises(DatabaseError, match="WEBCARDS_DATABASE_URL"):
        database_url(given)


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(DatabaseError) as caught:
        Store.open("postgresql://ada:hunter2@127.0.0.1:1/calls?connect_timeout=2")
    assert "127.0.0.1" in str(caught.value)
    assert "hunter2" not in str(caught.value)
