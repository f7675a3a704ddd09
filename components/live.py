"""Runs calls beside the page: one event loop in a thread of its own, which owns the registry and its connections.

A script starts a job, looks at it now and then, and cancels it; nothing here draws.
"""

import asyncio
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import streamlit as st

from components.access import call_log, permit_call
from webcards.contract import ToolCallEvent, args_of_event, present_fields
from webcards.search.provider import SearchProvider
from webcards.serving.metrics import metrics
from webcards.serving.watch import watched
from webcards.settings import Settings, load_settings
from webcards.store import Store
from webcards.store.recorder import Recorder, settle_recorded
from webcards.tools.opening import open_tools
from webcards.tools.registry import Execution, Registry
from webcards.tools.tool import Progress

T = TypeVar("T")


@dataclass(slots=True)
class Job:
    """A call that runs. `began` is on the monotonic clock, in seconds."""

    call: ToolCallEvent
    future: Future[Execution]
    registry: Registry
    began: float = field(default_factory=time.monotonic)
    progress: "SimpleQueue[Progress]" = field(default_factory=SimpleQueue)
    latest: Progress | None = None

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.began

    def look(self) -> Progress | None:
        """What it last said of its progress."""
        try:
            while True:
                self.latest = self.progress.get_nowait()
        except Empty:
            return self.latest

    def cancel(self) -> None:
        """Cancels the call, and with it the request that is on its way."""
        self.future.cancel()

    def settled(self) -> Execution | None:
        """The execution, once it is there; a cancelled call settles as aborted."""
        if not self.future.done():
            return None
        try:
            return self.future.result()
        except (CancelledError, asyncio.CancelledError):
            return self.registry.abort(self.call, elapsed_ms=self.seconds * 1000)


class Live:
    """The loop, its thread, and the registry that lives in it."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load_settings()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="webcards-live", daemon=True)
        self._thread.start()
        self._opened = open_tools(self.settings)
        try:
            opened = self.submit(self._opened.__aenter__()).result()
        except BaseException:
            self._stop()
            raise
        self.registry: Registry = opened.registry
        self.engines: list[SearchProvider] = opened.engines

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs a coroutine in the loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def ask(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs a coroutine that makes one call of whoever looks at the page.

        Raises `WebError` where they may not run anything, or not yet again.
        """
        try:
            permit_call()
        except BaseException:
            coroutine.close()
            raise
        return self.submit(coroutine)

    def start(self, tool: str, args: object, *, store: Store | None = None) -> Job:
        """Starts a call of whoever looks at the page; with a store, it is recorded from its start on.

        Raises `WebError` where they may not run anything, or not yet again.
        """
        email = permit_call()
        recorder = Recorder(store, source="app", user=email) if store else None
        call = self.registry.start(tool, args)
        said: SimpleQueue[Progress] = SimpleQueue()
        settle = partial(settle_recorded, self.registry, recorder, call, on_progress=said.put)
        future = self.submit(watched(call, settle, metrics=metrics(), log=call_log(), email=email))
        return Job(call, future, self.registry, progress=said)

    def close(self) -> None:
        """Closes the registry and ends the thread."""
        self.submit(self._opened.__aexit__(None, None, None)).result(timeout=5)
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)


@st.cache_resource(show_spinner=False, on_release=Live.close)
def live() -> Live:
    """The one `Live` of this process. Raises `SettingsError` or `WebError` for a setting that cannot be used."""
    return Live()


class Jobs(list[Job]):
    """The jobs of one session; they end with it."""

    def running(self, tool: str, args: object) -> bool:
        """Whether a call of that tool with those args is among them."""
        return any(job.call.data.name == tool and args_of_event(present_fields(job.call)) == args for job in self)

    def cancel_all(self) -> None:
        for job in self:
            job.cancel()


@st.cache_resource(show_spinner=False, scope="session", on_release=Jobs.cancel_all)
def session_jobs() -> Jobs:
    """This session's running calls, newest first; closing the tab cancels them."""
    return Jobs()
