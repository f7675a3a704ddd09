"""From the start of the app to its first paint, and from a key press in the meta editor to the new card.

Beside the second stands the least that Streamlit takes for the same on this machine: a bare page whose one field is echoed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.figures import machine, table
from tests.browser.conftest import CHROMIUM, FLAGS, free_port

ROOT = Path(__file__).resolve().parent.parent
PRESSES = 30
STARTS = 3
# Over this many milliseconds a reader notices the wait between a key and its effect.
AIM = 150

BARE = '''
import streamlit as st
field = st.components.v2.component("bare", html="<textarea></textarea>", js="""
export default function ({ data, parentElement, setStateValue }) {
  const field = parentElement.querySelector("textarea")
  if (!field.value) field.value = data.text
  field.oninput = () => setStateValue("text", field.value)
}""")

@st.fragment
def echo():
    said = (st.session_state.get("field") or {}).get("text", "part 1")
    st.html(f"<div id='card'>{said}</div>")
    field(key="field", data={"text": "part 1"}, default={"text": "part 1"}, on_text_change=lambda: None)

echo()
'''

PRESS = """async ([text, want]) => {
  const roots = [...document.querySelectorAll('*')].map(element => element.shadowRoot).filter(Boolean)
  const field = roots.map(root => root.querySelector('textarea')).filter(Boolean)[0]
  const began = performance.now()
  field.value = text
  field.dispatchEvent(new Event('input'))
  return await new Promise((done, failed) => {
    const look = () => {
      const card = document.querySelector('#card')
      if (card && card.textContent.includes(want)) requestAnimationFrame(() => done(performance.now() - began))
      else if (performance.now() - began > 20000) failed(new Error('the card never followed'))
      else requestAnimationFrame(look)
    }
    look()
  })
}"""


@contextmanager
def served(command: list[str], folder: Path) -> Iterator[tuple[str, float]]:
    """Runs an app; gives its address and the moment of its start, on the clock of `time.perf_counter`."""
    port = free_port()
    env = {
        **os.environ,
        "WEBCARDS_DUCKDUCKGO_URL": "http://127.0.0.1:9/html/",
        "XDG_DATA_HOME": str(folder),
        "XDG_CACHE_HOME": str(folder),
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *(part.format(port=port) for part in command)],
        cwd=ROOT,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                httpx.get(f"{address}/_stcore/health", trust_env=False).raise_for_status()
                break
            except httpx.HTTPError:
                if process.poll() is not None or time.perf_counter() - began > 60:
                    raise
                time.sleep(0.02)
        yield address, began
    finally:
        process.terminate()
        process.wait(timeout=20)


OURS = ["webcards", "serve", "--port", "{port}"]


def first_paint(browser: Browser, folder: Path) -> tuple[float, float, float]:
    """Seconds from the start of the process until it answers, until a fresh browser paints, and until one can ask."""
    with served(OURS, folder) as (address, began):
        answers = time.perf_counter() - began
        context = browser.new_context()
        page = context.new_page()
        asked = time.perf_counter() - began
        page.goto(address)
        page.get_by_label("Query", exact=True).wait_for()
        usable = time.perf_counter() - began
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        context.close()
    return answers, asked + paint / 1000, usable


def presses(page: Page, address: str) -> list[float]:
    """Milliseconds from each key press in the first field of the page to the card that shows it."""
    page.goto(address)
    page.locator("textarea").first.wait_for()
    text = page.locator("textarea").first.input_value()
    took: list[float] = []
    for number in range(PRESSES + 3):
        took.append(page.evaluate(PRESS, [text.replace("part 1", f"part X{number}."), f"part X{number}."]))
        page.wait_for_timeout(150)
    return took[3:]


def main() -> None:
    """Prints both figures."""
    sys.stdout.write(f"{machine()}\n\n")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        starts = [first_paint(browser, folder) for _ in range(STARTS)]
        medians = [statistics.median(column) for column in zip(*starts, strict=True)]
        rows = [
            [words, f"{seconds:.2f}"]
            for words, seconds in zip(("answers", "first paint", "usable"), medians, strict=True)
        ]
        sys.stdout.write(table([f"from the start of the app (median of {STARTS})", "s"], rows) + "\n\n")

        bare = folder / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        with (
            served(OURS, folder) as (ours, _),
            served(["streamlit", "run", str(bare), "--server.port", "{port}", "--server.headless", "true"], folder) as (
                floor,
                _,
            ),
        ):
            pages = {
                "the meta editor, 3 sources": f"{ours}/gallery?state=sources-3",
                "the meta editor, 100 sources": f"{ours}/gallery?state=sources-100",
                "a bare page that echoes its field": floor,
            }
            rows = []
            for words, address in pages.items():
                took = presses(browser.new_page(viewport={"width": 1280, "height": 1000}), address)
                rows.append([words, f"{statistics.median(took):.0f}", f"{sorted(took)[int(len(took) * 0.9)]:.0f}"])
        browser.close()
    sys.stdout.write(
        table([f"from a key press to the new card (aim: under {AIM} ms)", "median ms", "90 %"], rows) + "\n"
    )


if __name__ == "__main__":
    main()
