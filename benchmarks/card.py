"""A card of 1,000 sources beside the same list drawn with Streamlit's own elements: markup, server time, DOM nodes."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
from streamlit.testing.v1 import AppTest

from benchmarks.figures import machine, medians, table
from components.markup import card_html
from webcards.contract import WebSearchResultView, WebSource

COUNT = 1_000
CHROMIUM = "/usr/bin/chromium"
ROOT = Path(__file__).resolve().parent.parent


def view(count: int) -> WebSearchResultView:
    sources = [
        WebSource(
            f"https://host{n % 50}.example/page/{n}?q=1",
            f"Title number {n} of a long list",
            "Some words of the page that was found, about as long as snippets are. " * 3,
            "2026-04-30T10:00:00Z",
        )
        for n in range(count)
    ]
    return WebSearchResultView(title="harbour dues", sources=sources, truncated=False)


OURS = """
import time
import streamlit as st
from benchmarks.card import view
from components.web_card import use_stylesheet, web_card
from webcards.contract import ToolResult
use_stylesheet()
shown = view({count})
began = time.perf_counter()
web_card("web_search", {{}}, ToolResult([]), key="card", outcome=shown)
st.session_state["seconds"] = time.perf_counter() - began
st.html("<i id='drawn'></i>")
"""
NATIVE = """
import time
import streamlit as st
from benchmarks.card import view
shown = view({count})
began = time.perf_counter()
for number, source in enumerate(shown.sources, 1):
    with st.container():
        st.markdown(f"{{number}}. [{{source.title}}]({{source.url}})")
        st.caption(source.url.split("/")[2] + " · " + source.published_at)
        st.markdown(source.snippet)
st.session_state["seconds"] = time.perf_counter() - began
st.html("<i id='drawn'></i>")
"""


def server_ms(script: str, runs: int = 7) -> float:
    """The median milliseconds that drawing takes in the script."""
    test = AppTest.from_string(script.format(count=COUNT), default_timeout=120)
    seconds = sorted(float(test.run().session_state["seconds"]) for _ in range(runs))
    return seconds[len(seconds) // 2] * 1000


def nodes(script: str) -> int | None:
    """The DOM elements that a source takes in a browser; None where there is no Chromium."""
    if not Path(CHROMIUM).exists():
        return None
    counts = [_elements(script.format(count=count)) for count in (COUNT, 0)]
    return round((counts[0] - counts[1]) / COUNT)


def _elements(script: str) -> int:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        file = Path(folder) / "page.py"
        file.write_text(script, encoding="utf-8")
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(file), "--server.port", str(port)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with httpx.Client(transport=httpx.HTTPTransport(retries=8), trust_env=False) as client:
                client.get(f"http://127.0.0.1:{port}/_stcore/health")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
                page = browser.new_page()
                page.goto(f"http://127.0.0.1:{port}")
                page.locator("#drawn").wait_for(state="attached", timeout=120_000)
                count = int(page.evaluate("document.querySelectorAll('*').length"))
                browser.close()
                return count
        finally:
            server.kill()
            server.wait()


def main() -> None:
    shown = view(COUNT)
    markup = medians({"markup": lambda: card_html(shown, card_id="card", actions=True)}, rounds=25)["markup"] * 1000
    size = len(card_html(shown))
    ours, native = server_ms(OURS), server_ms(NATIVE)
    print(f"A card of {COUNT:,} sources ({machine()})\n")
    print(
        table(
            ["", "web card", "Streamlit's elements", "at most"],
            [
                ["markup, ms", f"{markup:.1f}", "–", "10"],
                ["in the server in all, ms", f"{ours:.1f}", f"{native:.0f}", "20"],
                ["DOM elements a source", nodes(OURS) or "no Chromium", nodes(NATIVE) or "no Chromium", "7"],
                ["markup, kB", f"{size / 1000:.0f}", "–", "–"],
            ],
        )
    )


if __name__ == "__main__":
    main()
