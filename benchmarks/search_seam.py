"""What the search seam costs: a provider's answer through `select_provider` and `search`, beside the same request to the
same server made by its own HTTP client and only decoded. Run: python -m benchmarks.search_seam
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import statistics
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

import httpx

ROUNDS = 60
WARM_UP = 8
RESULTS = 20
LIMIT_MS = 3.0
"""What the seam may add to a provider's own time."""

_WORDS = (
    "How the <strong>dues</strong> are worked&#x27;out for boats of any length &amp; what a night at the quay costs. "
    * 3
)


@dataclass(frozen=True)
class Contest:
    """One engine: its own way of asking, and ours."""

    name: str
    own: Callable[[], Awaitable[object]]
    seam: Callable[[], Awaitable[object]]


class _Answers(BaseHTTPRequestHandler):
    """The engines' answers, over connections that stay open, without Nagle's delay."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bodies: dict[str, tuple[str, bytes]]

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self._answer()

    def _answer(self) -> None:
        kind, body = self.bodies[self.path.partition("?")[0]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the standard library gives it
        """Nothing: the log would cost more than the answer."""


def _rows() -> list[dict[str, str]]:
    return [
        {
            "url": f"https://docs{number}.example/dues?utm_source=x&id={number}",
            "title": f"Quay <strong>dues</strong> explained, part {number}",
            "description": _WORDS,
            "content": _WORDS,
            "page_age": "2025-04-30T09:00:00",
        }
        for number in range(RESULTS)
    ]


def _page() -> bytes:
    blocks = "".join(
        f'<div class="result web-result"><div class="links_main result__body"><h2 class="result__title"><a class="result__a"'
        f' href="//duckduckgo.com/l/?uddg={quote(row["url"], safe="")}&amp;rut=0">{row["title"]}</a></h2>'
        f'<a class="result__snippet" href="//duckduckgo.com/l/?uddg={quote(row["url"], safe="")}&amp;rut=0">{_WORDS}</a>'
        "</div></div>"
        for row in _rows()
    )
    return f"<html><body><div id='links'>{blocks}</div></body></html>".encode()


@contextlib.contextmanager
def _serving() -> Iterator[str]:
    brave = {"type": "search", "web": {"results": _rows()}}
    _Answers.bodies = {
        "/res/v1/web/search": ("application/json", json.dumps(brave).encode()),
        "/search": ("application/json", json.dumps({"results": _rows()}).encode()),
        "/html/": ("text/html; charset=utf-8", _page()),
    }
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def _contests(url: str) -> list[Contest]:
    from webcards.search.brave import Brave
    from webcards.search.library import demo_index
    from webcards.search.provider import SearchRequest
    from webcards.search.seam import providers, select_provider
    from webcards.settings import read_settings

    request = SearchRequest(query="quay dues", max_results=8)
    tls = httpx.create_ssl_context(trust_env=False)

    async def http(path: str, headers: dict[str, str]) -> object:
        async with httpx.AsyncClient(verify=tls, trust_env=False, http2=True) as client:
            return (await client.get(url + path, params={"q": "quay dues"}, headers=headers)).json()

    def through(id_: str) -> Callable[[], Awaitable[object]]:
        settings = read_settings(
            search_provider=id_, duckduckgo_url=f"{url}/html/", searxng_url=url, brave_api_key="key"
        )
        # The app knows its engines once, and selects one a call.
        engines = [each for each in providers(settings, plug_ins=[]) if each.id != "brave"]
        engines.append(Brave(settings, base_url=url))

        async def search() -> object:
            return await select_provider(settings, engines).search(request)

        return search

    async def ddgs() -> object:
        return await asyncio.to_thread(_ddgs, f"{url}/html/")

    async def index() -> object:
        return await asyncio.to_thread(demo_index().search, "quay dues", limit=8)

    return [
        Contest("brave", lambda: http("/res/v1/web/search", {"X-Subscription-Token": "k"}), through("brave")),
        Contest("searxng", lambda: http("/search", {}), through("searxng")),
        Contest("duckduckgo", ddgs, through("duckduckgo")),
        Contest("library", index, through("library")),
    ]


def _ddgs(search_url: str) -> object:
    """ddgs as its documentation shows it, but for the address it asks."""
    from ddgs.ddgs import DDGS
    from ddgs.engines.duckduckgo import Duckduckgo

    Duckduckgo.search_url = search_url
    return DDGS().text("quay dues", backend="duckduckgo", max_results=8)


async def _timed(ask: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await ask()
    return (time.perf_counter() - began) * 1000


async def _run(url: str) -> float:
    print(f"{RESULTS} results an answer, {ROUNDS} rounds, own and seam in turn; milliseconds")
    print(f"{'engine':<12}{'own p50':>10}{'seam p50':>10}{'added p50':>11}{'own p95':>10}{'seam p95':>10}")
    worst = 0.0
    for contest in _contests(url):
        for _ in range(WARM_UP):
            await contest.own()
            await contest.seam()
        own, seam = [], []
        for _ in range(ROUNDS):
            gc.collect()
            own.append(await _timed(contest.own))
            seam.append(await _timed(contest.seam))
        added = statistics.median(seam) - statistics.median(own)
        worst = max(worst, added)
        cuts = [statistics.quantiles(times, n=20)[-1] for times in (own, seam)]
        print(
            f"{contest.name:<12}{statistics.median(own):>10.2f}{statistics.median(seam):>10.2f}{added:>11.2f}"
            f"{cuts[0]:>10.2f}{cuts[1]:>10.2f}"
        )
    return worst


def main() -> int:
    """Prints the figures; 1 if the seam adds more than it may."""
    logging.disable(logging.INFO)
    with _serving() as url:
        worst = asyncio.run(_run(url))
    print(f"the seam adds at most {worst:.2f} ms to an engine's own time (allowed: {LIMIT_MS:g} ms)")
    return int(worst > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
