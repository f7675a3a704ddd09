"""A running app and a real Chromium: the page fixture fails its test on any console error and any call to another host."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, expect, sync_playwright

from tests.shared import ROOT

CHROMIUM = "/usr/bin/chromium"
# A busy build machine draws slowly; what is waited for comes, or the test fails after this many milliseconds.
PATIENCE = 45_000
expect.set_options(timeout=PATIENCE)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def serve_app(log: Path, **env: str) -> tuple[subprocess.Popen[bytes], str]:
    """Starts the app as `make app` does and waits until it answers; gives the process and the address."""
    port = free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "webcards", "serve", "--port", str(port)],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **env},
        )
    address = f"http://127.0.0.1:{port}"
    wait_until_it_answers(process, address, log)
    return process, address


def wait_until_it_answers(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Gives an app that was started the time to listen; an app that does not answer fails the test with its log."""
    # Each retry waits a little longer: an app takes a second or two to listen.
    transport = httpx.HTTPTransport(retries=8)
    with httpx.Client(transport=transport, trust_env=False, timeout=60) as client:
        try:
            client.get(f"{address}/_stcore/health").raise_for_status()
        except httpx.HTTPError:
            process.kill()
            pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="package")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running app."""
    process, address = serve_app(tmp_path_factory.mktemp("app") / "log")
    yield address
    process.terminate()
    process.wait(timeout=20)


class _Running:
    """The one Chromium of this process, and how many packages of tests use it: two cannot be driven side by side."""

    users = 0
    playwright: Playwright
    chromium: Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all these tests. It ends with them: while it runs, no other event loop can in this thread."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"{CHROMIUM} is not there: install Debian's chromium to run the browser tests")
    if not _Running.users:
        _Running.playwright = sync_playwright().start()
        _Running.chromium = _Running.playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    _Running.users += 1
    yield _Running.chromium
    _Running.users -= 1
    if not _Running.users:
        _Running.chromium.close()
        _Running.playwright.stop()


def at_rest(page: Page) -> None:
    """Waits until the script has run and nothing on the page is about to be replaced: what is, is drawn pale."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    expect(page.locator("[data-stale=true]")).to_have_count(0)


class Watched:
    """What a page must not do: write errors to the console, or ask any host but the app's."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.strangers: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        # Opened at a page's own address, Streamlit first looks whether it is served from below there, and is not.
        looked_for = str(message.location.get("url", "")).endswith(("/_stcore/health", "/_stcore/host-config"))
        if message.type == "error" and not looked_for:
            self.errors.append(message.text)

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.strangers.append(request.url)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of 1280 × 900 in light colours and English; `@pytest.mark.parametrize("page", [{…}], indirect=True)` changes that."""
    options = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", "color_scheme": "light"}
    context = browser.new_context(**{**options, "reduced_motion": "reduce", **getattr(request, "param", {})})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    watched = Watched(page)
    yield page
    context.close()
    assert watched.errors == []
    assert watched.strangers == []
