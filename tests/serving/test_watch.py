"""What is told of calls: the metrics and the log of real ones, on the built-in library; and that neither tells too much."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from webcards.library.specimens import SPECIMENS
from webcards.serving.logs import CallLog
from webcards.serving.metrics import Metrics
from webcards.serving.watch import watched
from webcards.settings import read_settings
from webcards.store.recorder import settle_recorded
from webcards.tools.opening import open_registry
from webcards.tools.registry import Execution, Registry, no_progress
from webcards.tools.tool import OnProgress

ADA = "ada@kittiwick.example"
PRIVATE = "whisper"


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    async with open_registry(read_settings(search_provider="library")) as opened:
        yield opened


class Told:
    """A registry whose calls are watched, and what was told of them."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.metrics = Metrics()
        self.stream = io.StringIO()
        self.log = CallLog("a secret that all processes share", stream=self.stream)

    async def run(
        self, tool: str, args: dict[str, Any], email: str | None = ADA, *, on_progress: OnProgress = no_progress
    ) -> Execution:
        call = self.registry.start(tool, args)
        settle = partial(settle_recorded, self.registry, None, call, on_progress=on_progress)
        return await watched(call, settle, metrics=self.metrics, log=self.log, email=email)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def samples(self) -> dict[tuple[str, ...], float]:
        """The value of each sample, by its name and the values of its labels in order of their names."""
        families = text_string_to_metric_families(self.metrics.text().decode())
        return {
            (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
            for family in families
            for sample in family.samples
        }


@pytest.fixture
def told(registry: Registry) -> Told:
    return Told(registry)


async def test_calls_are_counted_by_tool_and_outcome_and_timed(told: Told) -> None:
    await told.run("web_search", {"query": "harbour dues"})
    await told.run("web_fetch", {"url": SPECIMENS["article"]})
    await told.run("web_fetch", {"url": "http://127.0.0.1/"})
    samples = told.samples()
    assert samples["webcards_calls_total", "ok", "web_search"] == 1
    assert samples["webcards_calls_total", "ok", "web_fetch"] == 1
    assert samples["webcards_calls_total", "error", "web_fetch"] == 1
    assert samples["webcards_call_errors_total", "WEB_BLOCKED_URL", "web_fetch"] == 1
    assert samples["webcards_call_seconds_count", "web_fetch"] == 2
    assert samples["webcards_call_seconds_bucket", "+Inf", "web_search"] == 1
    assert samples["webcards_calls_running", "web_fetch"] == 0


async def test_a_call_is_counted_as_running_and_a_cancelled_one_as_an_error(told: Told) -> None:
    began = asyncio.Event()
    task = asyncio.create_task(
        told.run("web_fetch", {"url": SPECIMENS["very-slow"]}, on_progress=lambda _: began.set())
    )
    await began.wait()
    assert told.samples()["webcards_calls_running", "web_fetch"] == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    samples = told.samples()
    assert samples["webcards_calls_running", "web_fetch"] == 0
    assert samples["webcards_call_errors_total", "WEB_ABORTED", "web_fetch"] == 1
    assert [(line["outcome"], line["code"]) for line in told.lines()] == [("error", "WEB_ABORTED")]


async def test_a_line_says_when_what_where_how_and_by_whom(told: Told) -> None:
    execution = await told.run("web_fetch", {"url": SPECIMENS["article"]})
    (line,) = told.lines()
    assert set(line) == {"time", "event", "call", "tool", "host", "outcome", "ms", "user"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    assert line["call"] == execution.call.data.call_id
    assert (line["event"], line["tool"], line["outcome"]) == ("call", "web_fetch", "ok")
    assert line["host"] == SPECIMENS["article"].split("/")[2]
    assert line["ms"] == round(execution.elapsed_ms, 1)


async def test_one_person_has_one_hash_which_needs_the_secret(told: Told) -> None:
    for email in (ADA, ADA, "bob@kittiwick.example", None):
        await told.run("web_search", {"query": "dues"}, email)
    ada, again, bob, nobody = (line.get("user") for line in told.lines())
    assert ada == again
    assert len({ada, bob, nobody}) == 3
    assert nobody is None
    assert CallLog("another secret").user_hash(ADA) != ada


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("web_search", {"query": PRIVATE}),
        ("web_search", {"queries": [PRIVATE, "dues"]}),
        ("web_fetch", {"url": f"https://office.kittiwick.example/{PRIVATE}?token={PRIVATE}#{PRIVATE}"}),
        ("web_fetch", {"url": f"https://{PRIVATE}:{PRIVATE}@office.kittiwick.example/"}),
        ("web_fetch", {"url": f"{PRIVATE} is no URL"}),
        (f"web_{PRIVATE}", {"url": PRIVATE}),
    ],
)
async def test_neither_tells_what_was_typed(told: Told, tool: str, args: dict[str, Any]) -> None:
    await told.run(tool, args, f"{PRIVATE}@kittiwick.example")
    assert PRIVATE not in told.stream.getvalue()
    assert PRIVATE not in told.metrics.text().decode()
    assert len(told.lines()) == 1


async def test_a_log_whose_reader_is_gone_stops_no_call(told: Told) -> None:
    told.stream.close()
    execution = await told.run("web_search", {"query": "dues"})
    assert execution.view is not None


def test_what_may_not_start_is_counted_by_reason() -> None:
    metrics = Metrics()
    metrics.refused("minute")
    metrics.refused("minute")
    metrics.refused("role")
    assert b'webcards_calls_refused_total{reason="minute"} 2.0' in metrics.text()
    assert b'webcards_calls_refused_total{reason="role"} 1.0' in metrics.text()
