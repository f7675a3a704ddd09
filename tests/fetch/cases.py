"""Runs one fault case of the kinds `fetch-http` and `url` through the whole tool, against the web on loopback.

`python -m tests.fetch.cases FILE` runs one in a process of its own and prints what it saw: memory can be measured there.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from tests.fetch.expectations import Seen
from tests.fetch.loopback import Asked, Wire, running, text_page
from tests.fetch.steps import answering, known
from tests.shared import ROOT
from webcards.contract.events import ToolCallEvent, ToolResultEvent
from webcards.settings import read_settings
from webcards.tools.registry import Execution, Registry
from webcards.tools.web_fetch import web_fetch_tool

_CASE_KEYS = {"id", "kind", "theme", "source", "what_users_saw", "input", "expect"}
_INPUT_KEYS = {
    "url", "steps", "resolver", "timeout_seconds", "max_chars", "max_bytes", "max_redirects", "read_on_from", "raw", "settings",
}  # fmt: skip
_SETTING_OF = {
    "timeout_seconds": "fetch_timeout",
    "max_chars": "fetch_max_chars",
    "max_bytes": "fetch_max_bytes",
    "max_redirects": "fetch_max_redirects",
}


def read_case(path: Path) -> dict[str, Any]:
    """A case file, all of whose outer keys are known."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    known(case, _CASE_KEYS, path.name)
    known(case["input"], _INPUT_KEYS, f"{path.name}, input")
    return case


async def run_case(case: dict[str, Any]) -> Seen:
    """What the whole call brings, and what the network saw of it."""
    given = case["input"]
    settings = {_SETTING_OF[key]: value for key, value in given.items() if key in _SETTING_OF} | given.get(
        "settings", {}
    )
    args = {"url": given["url"]}
    if "read_on_from" in given:
        args["start"] = given["read_on_from"]
    if "raw" in given:
        args["raw"] = given["raw"]
    async with running(
        answering(given["steps"]) if "steps" in given else _any_page, names=given.get("resolver")
    ) as web:
        fetcher = web.fetcher(**settings)
        registry = Registry([web_fetch_tool(read_settings(**settings), fetcher)])
        began = time.perf_counter()
        execution = await registry.execute("web_fetch", args)
        seconds = time.perf_counter() - began
        return Seen(
            execution,
            seconds=seconds,
            requests=tuple(asked.url for asked in web.asked),
            dialled=tuple(host for host, _ in web.dialled),
        )


def run_case_apart(path: Path) -> Seen:
    """The same in a process of its own, with the growth of its memory."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fetch.cases", str(path)], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    execution = Execution(
        msgspec.convert(told["call"], ToolCallEvent),
        msgspec.convert(told["result"], ToolResultEvent),
        told["outcome"],
        told["seconds"] * 1000,
    )
    return Seen(
        execution,
        seconds=told["seconds"],
        requests=tuple(told["requests"]),
        dialled=tuple(told["dialled"]),
        rss_growth_mib=told["growth"],
    )


async def _any_page(asked: Asked, wire: Wire) -> None:
    await wire.answer(200, text_page(), Content_Type="text/html; charset=utf-8")


async def _told(path: Path) -> dict[str, Any]:
    # Once beforehand with a small page, so that what is imported on the way is no growth.
    await run_case({"input": {"url": "http://small.example/"}})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = await run_case(read_case(path))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "call": msgspec.to_builtins(seen.execution.call),
        "result": msgspec.to_builtins(seen.execution.result),
        "outcome": msgspec.to_builtins(seen.execution.outcome),
        "seconds": seen.seconds,
        "requests": seen.requests,
        "dialled": seen.dialled,
        "growth": (after - before) / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_told(Path(sys.argv[1])))))
