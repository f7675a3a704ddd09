"""How the app bears many people at once: sessions that search and open pages of the library, in one app process.

    python -m benchmarks.load [--sessions N] [--runs N] [--think SECONDS]

A browser a session would measure fifty browsers on this machine's cores. Each visitor here speaks what a browser speaks,
Streamlit's own messages over its WebSocket: it keeps the widgets' states, sends the reruns that a fragment asks for, and takes
large unchanged messages from its cache. It types a query, opens a page that was found, and reads for `--think` seconds or so
between. A run is timed from the click to the card; the tool's own time is the record's. The server's memory is its resident
set, after a first visitor has made it load what it needs, and again with all sessions open.
"""

import argparse
import asyncio
import html
import os
import random
import re
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.figures import machine, table
from benchmarks.ui import OURS, served
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.store import now_ms

AIM_SECONDS, AIM_MEGABYTES = 1.5, 10.0
PATIENCE = 120.0
WORDS = (
    "harbour",
    "dues",
    "tide",
    "table",
    "storm",
    "sea",
    "wall",
    "repair",
    "ferry",
    "lighthouse",
    "notice",
    "market",
)
_CARD = re.compile(r'<article class="wc(?: [^"]*)?" id="([^"]+)"')
_LINK = re.compile(r'href="(https?://[^"]+)"')


class Visitor:
    """One browser session: what it was shown, and what it does next."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: Any = None
        self._states: dict[str, WidgetState] = {}
        self._ids: dict[tuple[str, str], str] = {}
        self._kept: dict[str, ForwardMsg] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._cards: dict[str, str] = {}
        self._changed = asyncio.Event()
        self._finished = 0
        self._query = ""
        self._last: deque[str] = deque(maxlen=12)
        self.faults: list[str] = []

    async def enter(self) -> None:
        """Opens the page and waits until it stands."""
        address = self._address.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await websockets.connect(
            address,
            origin=websockets.Origin(self._address),
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=None,
            compression=None,
            proxy=None,
        )
        self._listening = asyncio.create_task(self._listen())
        await self._send()
        await self._until(lambda: ("text_input", "Query") in self._ids and self._finished > 0)

    async def leave(self) -> None:
        """Closes the page."""
        for timer in self._timers.values():
            timer.cancel()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        await self._socket.close()

    async def search(self, query: str) -> tuple[str, float, str]:
        """Asks the library; gives the card's id, the seconds until it stood there, and its markup."""
        await self._choose("Search", "Query")
        self._state("text_input", "Query").string_value = query
        return await self._run("Search")

    async def open_page(self, url: str) -> tuple[str, float, str]:
        """Fetches a page; gives the same."""
        await self._choose("Fetch a page", "URL")
        self._state("text_input", "URL").string_value = url
        return await self._run("Fetch")

    async def _choose(self, tool: str, field: str) -> None:
        self._ids.pop(("text_input", field), None)
        finished = self._finished
        chosen = self._state("button_group", "Tool").string_array_value.data
        chosen[:] = [tool]
        await self._send()
        await self._until(lambda: self._finished > finished and ("text_input", field) in self._ids)

    async def _run(self, button: str) -> tuple[str, float, str]:
        known = set(self._cards)
        self._state("button", button).trigger_value = True
        began = time.perf_counter()
        await self._send()
        await self._until(lambda: bool(self._cards.keys() - known))
        (card,) = self._cards.keys() - known
        return card, time.perf_counter() - began, self._cards[card]

    def _state(self, kind: str, label: str) -> WidgetState:
        name = self._ids[(kind, label)]
        return self._states.setdefault(name, WidgetState(id=name))

    async def _send(self, fragment: str = "") -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.fragment_id, rerun.is_auto_rerun, rerun.query_string = fragment, bool(fragment), self._query
        rerun.context_info.url = f"{self._address}/{'?' if self._query else ''}{self._query}"
        rerun.context_info.timezone, rerun.context_info.locale = "UTC", "en-GB"
        rerun.cached_message_hashes.extend(self._kept)
        rerun.widget_states.widgets.extend(self._states.values())
        # A click is told of once.
        self._states = {name: state for name, state in self._states.items() if not state.HasField("trigger_value")}
        await self._socket.send(message.SerializeToString())

    async def _until(self, holds: Any) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            self.faults.append(f"nothing came for {PATIENCE:g} s; the last was: {' | '.join(self._last)}")
            raise

    async def _listen(self) -> None:
        try:
            await self._take_all()
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")
            raise

    async def _take_all(self) -> None:
        async for data in self._socket:
            message = ForwardMsg.FromString(data)
            self._last.append(f"{message.WhichOneof('type')} {str(message.delta.new_element)[:60]}")
            if message.WhichOneof("type") == "ref_hash":
                message.delta.CopyFrom(self._kept[message.ref_hash].delta)
            elif message.metadata.cacheable:
                self._kept[message.hash] = message
            self._take(message)
            self._changed.set()

    def _take(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "new_session" if not message.metadata.run.fragment_ids:
                for timer in self._timers.values():
                    timer.cancel()
                self._timers.clear()
            case "delta":
                self._draw(message.delta.new_element)
            case "auto_rerun":
                self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            case "stop_auto_rerun":
                self._stop(message.stop_auto_rerun.fragment_id)
            case "page_info_changed":
                self._query = message.page_info_changed.query_string
            case "script_finished":
                self._finished += 1
            case _:
                pass

    def _draw(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind in {"text_input", "button", "button_group"}:
            widget = getattr(element, kind)
            self._ids[(kind, widget.label)] = widget.id
        elif kind == "exception":
            self.faults.append(element.exception.message)
        elif kind == "html":
            body = element.html.body
            for found in _CARD.finditer(body):
                if "wc-pending" in found[0]:
                    continue
                self._cards.setdefault(found[1], body)
                if "wc-error" in found[0]:
                    self.faults.append(body[:200])

    def _repeat(self, fragment: str, interval: float) -> None:
        async def again() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._send(fragment)

        self._stop(fragment)
        self._timers[fragment] = asyncio.create_task(again())

    def _stop(self, fragment: str) -> None:
        if fragment in self._timers:
            self._timers.pop(fragment).cancel()


async def visit(visitor: Visitor, number: int, runs: int, think: float, took: dict[str, float]) -> None:
    """What one person does: searches, and opens a page of what was found, `runs` times over."""
    pick = random.Random(number)
    await asyncio.sleep(pick.uniform(0, think))
    for _ in range(runs):
        query = " ".join(pick.sample(WORDS, 2))
        card, seconds, body = await visitor.search(query)
        took[card] = seconds
        await asyncio.sleep(think * pick.uniform(0.5, 1.5))
        links = [html.unescape(link) for link in _LINK.findall(body) if ".example/" in link]
        if links:
            card, seconds, _ = await visitor.open_page(pick.choice(links))
            took[card] = seconds
            await asyncio.sleep(think * pick.uniform(0.5, 1.5))


async def measure(address: str, server: psutil.Process, sessions: int, runs: int, think: float) -> dict[str, Any]:
    """All of it; gives the seconds of each run by its card, the faults, and the server's bytes before and with all open."""
    first = Visitor(address)
    await first.enter()
    await visit(first, 0, 2, 0.1, {})
    before = _bytes(server)
    visitors = [Visitor(address) for _ in range(sessions)]
    took: dict[str, float] = {}
    began, cpu = time.perf_counter(), _cpu(server)
    await asyncio.gather(*(visitor.enter() for visitor in visitors))
    entered = time.perf_counter() - began
    answers = await asyncio.gather(
        *(visit(visitor, number, runs, think, took) for number, visitor in enumerate(visitors, 1)),
        return_exceptions=True,
    )
    seconds, used = time.perf_counter() - began, _cpu(server) - cpu
    after = _bytes(server)
    faults = [fault for visitor in [first, *visitors] for fault in visitor.faults]
    faults += [repr(answer) for answer in answers if answer is not None]
    for visitor in [first, *visitors]:
        await visitor.leave()
    return {
        "took": took,
        "faults": faults,
        "bytes": (before, after),
        "entered": entered,
        "busy": used / seconds,
        "cpu": used,
    }


def _bytes(server: psutil.Process) -> int:
    return int(server.memory_info().rss)


def _cpu(server: psutil.Process) -> float:
    times = server.cpu_times()
    return float(times.user + times.system)


def server_of(address: str) -> psutil.Process:
    """The process that listens there."""
    port = int(address.rpartition(":")[2])
    for child in psutil.Process().children(recursive=True):
        if any(line.laddr.port == port for line in child.net_connections() if line.status == psutil.CONN_LISTEN):
            return child
    raise LookupError(address)


def tools_own(database: str) -> Iterator[tuple[str, float]]:
    """The id of each recorded call, and the seconds that its tool took."""
    with Store.open(database) as store, store.reading() as connection:
        for call in list_calls(connection, Filter(), now=now_ms() + 1, limit=100_000).calls:
            yield call.call_id, (call.elapsed_ms or 0) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3, help="searches of a session, each with a page that is opened")
    parser.add_argument("--think", type=float, default=10.0, help="seconds that somebody reads, half to one and a half")
    arguments = parser.parse_args()
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/calls.db"
        os.environ |= {"WEBCARDS_DATABASE_URL": database, "WEBCARDS_SEARCH_PROVIDER": "library"}
        with served(OURS, Path(folder)) as (address, _):
            found = asyncio.run(
                measure(address, server_of(address), arguments.sessions, arguments.runs, arguments.think)
            )
        own = dict(tools_own(database))
    above = sorted(seconds - own.get(_call_id(card), 0.0) for card, seconds in found["took"].items())
    unknown = sum(_call_id(card) not in own for card in found["took"])
    before, after = (value / 1e6 for value in found["bytes"])
    a_session = (after - before) / arguments.sessions
    p95 = above[int(len(above) * 0.95)]
    rows: list[list[object]] = [
        ["runs", len(above), f"{unknown} not found in the record" if unknown else ""],
        ["errors", len(found["faults"]), "aim: none"],
        ["above the tool's own time, median", f"{statistics.median(above):.2f} s", ""],
        ["above the tool's own time, p95", f"{p95:.2f} s", f"aim: under {AIM_SECONDS} s"],
        ["the tool's own time, median", f"{statistics.median(own.values()):.2f} s", ""],
        ["memory", f"{before:.0f} → {after:.0f} MB", ""],
        ["memory a session", f"{a_session:.2f} MB", f"aim: under {AIM_MEGABYTES:g} MB"],
        [f"all {arguments.sessions} at once: the page stands after", f"{found['entered']:.1f} s", ""],
        [
            "the server's processor",
            f"{found['busy']:.2f} cores",
            f"{1000 * found['cpu'] / max(len(above), 1):.0f} ms a run",
        ],
    ]
    print(table([f"{arguments.sessions} sessions at once", "", ""], rows))
    for fault in found["faults"][:5]:
        print(f"error: {fault}")
    print(f"\nload {os.getloadavg()[0]:.1f}")


def _call_id(card: str) -> str:
    return card


if __name__ == "__main__":
    main()
