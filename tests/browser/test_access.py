"""A team's app in a real Chromium, with a local OpenID provider (oidc-provider-mock): who enters, who does not, and what either leaves."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import CHROMIUM, FLAGS, PATIENCE, free_port, serve_app
from tests.serving.provider import running, secrets_toml
from tests.shared import ROOT
from webcards.store import Filter, Store
from webcards.store.calls import Call, list_calls
from webcards.store.store import now_ms

pytestmark = pytest.mark.browser

ACCOUNTS = {
    "ada": {"email": "Ada@Kittiwick.example", "email_verified": True},
    "rea": {"email": "rea@kittiwick.example", "email_verified": True},
    "eve": {"email": "eve@other.example", "email_verified": True},
    "una": {"email": "una@kittiwick.example", "email_verified": False},
}


@dataclass(frozen=True)
class Team:
    """A running app whose people sign in."""

    url: str
    provider_log: Path
    database: str
    log: Path

    def calls(self) -> list[Call]:
        with Store.open(self.database) as store, store.reading() as connection:
            return list_calls(connection, Filter(), now=now_ms() + 1).calls


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    database = f"sqlite:///{folder}/calls.db"
    (folder / ".streamlit").mkdir()
    provider_log = folder / "provider.log"
    with running(ACCOUNTS, provider_log) as metadata_url:
        (folder / ".streamlit" / "secrets.toml").write_text(secrets_toml(metadata_url))
        process, url = serve_app(
            folder / "log",
            HOME=str(folder),
            WEBCARDS_DATABASE_URL=database,
            WEBCARDS_SEARCH_PROVIDER="library",
            WEBCARDS_ALLOWED_DOMAINS="kittiwick.example",
            WEBCARDS_READERS="rea@kittiwick.example",
        )
        yield Team(url, provider_log, database, folder / "log")
        process.terminate()
        process.wait(timeout=20)
    refused = re.findall(
        r"^.*(?:invalid authorization request|token endpoint error).*$", provider_log.read_text(), re.MULTILINE
    )
    assert refused == []


def sign_in(page: Page, account: str) -> None:
    """Goes from the door to the provider and chooses an account there."""
    page.get_by_role("button", name="Sign in", exact=True).click()
    choose(page, account)


def choose(page: Page, account: str) -> None:
    """Chooses an account on the provider's page."""
    page.get_by_role("button", name=account, exact=True).click()


def cookies(context: BrowserContext) -> dict[str, dict[str, object]]:
    return {str(cookie["name"]): dict(cookie) for cookie in context.cookies()}


def test_who_is_allowed_signs_in_runs_and_is_recorded(page: Page, team: Team) -> None:
    page.goto(team.url)
    sign_in(page, "ada")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Signed in as ada@kittiwick.example (runner)")
    page.get_by_label("Query", exact=True).fill("harbour dues")
    page.get_by_role("button", name="Search", exact=True).last.click()
    expect(page.locator(".wc-list > li").first).to_be_visible()
    newest = team.calls()[0]
    assert (newest.person, newest.query, newest.source) == ("ada@kittiwick.example", "harbour dues", "app")


def test_who_is_of_another_domain_is_turned_away_in_words_and_runs_nothing(page: Page, team: Team) -> None:
    before = len(team.calls())
    page.goto(f"{team.url}/?tool=web_search&q=tide")
    sign_in(page, "eve")
    expect(page.get_by_role("heading", name="You cannot enter")).to_be_visible()
    door = page.locator(".st-key-door")
    expect(door).to_contain_text("eve@other.example")
    expect(door).to_contain_text("not among those that may enter")
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    assert len(team.calls()) == before
    page.get_by_role("button", name="Sign in with another account").click()
    choose(page, "ada")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("ada@kittiwick.example")


def test_an_address_that_nobody_verified_is_turned_away(page: Page, team: Team) -> None:
    page.goto(team.url)
    sign_in(page, "una")
    expect(page.locator(".st-key-door")).to_contain_text("does not vouch for this address")


def test_a_reader_cannot_run_and_looks_at_the_rest(page: Page, team: Team) -> None:
    before = len(team.calls())
    page.goto(f"{team.url}/?tool=web_search&q=tide")
    sign_in(page, "rea")
    expect(page.get_by_test_id("stAlert")).to_contain_text("Your role is reader")
    expect(page.get_by_role("button", name="Search", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Gallery").click()
    expect(page.get_by_role("heading", name="Gallery")).to_be_visible()
    expect(page.get_by_text("Your role is reader")).to_have_count(0)
    assert len(team.calls()) == before


def test_a_link_leads_to_its_page_after_the_sign_in(page: Page, team: Team) -> None:
    page.goto(f"{team.url}/?tool=web_search&q=storm+sea+wall")
    sign_in(page, "ada")
    expect(page.locator(".wc-list > li").first).to_be_visible()
    assert "q=storm+sea+wall" in page.url
    assert team.calls()[0].query == "storm sea wall"


def test_no_cookie_of_a_session_can_be_read_by_a_script(page: Page, team: Team) -> None:
    page.goto(team.url)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("button", name="ada", exact=True)).to_be_visible()
    assert cookies(page.context)["_streamlit_session"]["httpOnly"] is True
    choose(page, "ada")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Signed in as")
    kept = cookies(page.context)
    assert {name for name, cookie in kept.items() if not cookie["httpOnly"]} == {"_streamlit_xsrf"}
    assert {"_streamlit_user", "_streamlit_user_tokens"} <= set(kept)
    assert {cookie["sameSite"] for cookie in kept.values()} == {"Lax"}
    assert "_streamlit_user" not in str(page.evaluate("document.cookie")).replace("_streamlit_xsrf", "")


def test_a_cookie_that_was_changed_opens_nothing(page: Page, team: Team) -> None:
    page.goto(team.url)
    sign_in(page, "rea")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("(reader)")
    kept = cookies(page.context)["_streamlit_user"]
    value = str(kept["value"])
    swapped = value.replace(value[20], "A" if value[20] != "A" else "B", 1)
    page.context.add_cookies([{"name": "_streamlit_user", "value": swapped, "url": team.url}])
    page.goto(team.url)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_who_signs_out_stands_before_the_door_and_the_cookies_are_gone(page: Page, team: Team) -> None:
    page.goto(team.url)
    sign_in(page, "ada")
    page.get_by_role("button", name="Sign out").click()
    # The provider is told too, and asks before it ends the session (OpenID Connect RP-Initiated Logout 1.0, section 2).
    page.get_by_role("button", name="End session").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    assert not {"_streamlit_user", "_streamlit_user_tokens"} & set(cookies(page.context))
    page.reload()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


@pytest.mark.parametrize(
    "page",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
    indirect=True,
    ids=["light", "dark", "narrow"],
)
def test_the_door_is_accessible_and_fits_the_page(page: Page, team: Team) -> None:
    response = page.goto(team.url)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}, context=".st-key-door")
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert response is not None
    assert "default-src 'self'" in response.headers["content-security-policy"]


def test_the_log_has_a_line_of_json_for_each_call_and_tells_neither_who_nor_what(page: Page, team: Team) -> None:
    page.goto(f"{team.url}/?tool=web_fetch&url=https://office.kittiwick.example/dues?token%3Dwhisper")
    sign_in(page, "ada")
    expect(page.locator(".wc").first).to_be_visible()
    expect(page.locator(".wc-pending")).to_have_count(0)
    text = team.log.read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    line = lines[-1]
    assert (line["tool"], line["host"]) == ("web_fetch", "office.kittiwick.example")
    assert re.fullmatch(r"[0-9a-f]{16}", line["user"])
    for private in (
        "ada@",
        "kittiwick.example/",
        "whisper",
        "token",
        "storm",
        "harbour dues",
        "only-for-the-tests",
        "cookie secret",
    ):
        assert private not in text


def test_prometheus_is_told_of_the_calls_and_a_proxy_is_not(page: Page, team: Team) -> None:
    page.goto(f"{team.url}/?tool=web_search&q=lighthouse")
    sign_in(page, "ada")
    expect(page.locator(".wc-list > li").first).to_be_visible()
    with httpx.Client(trust_env=False, timeout=60, base_url=team.url) as client:
        told = client.get("/metrics")
        counted = re.search(r'webcards_calls_total\{outcome="ok",tool="web_search"\} (\d+)', told.text)
        assert counted
        assert int(counted[1]) >= 1
        assert "kittiwick" not in told.text
        assert client.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 403
        assert client.get("/_stcore/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 403
        assert client.get("/readyz").text == "ready\n"
        for answer in (told, client.get("/healthz")):
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_files_are_not_taken_from_somebody_before_the_door(page: Page, team: Team) -> None:
    page.goto(team.url)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    answer = page.request.put(f"{team.url}/_stcore/upload_file/any/any", data=b"x")
    assert (answer.status, answer.text()) == (403, "Sign in before you send a file.\n")
    sign_in(page, "rea")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("(reader)")
    assert page.request.put(f"{team.url}/_stcore/upload_file/any/any", data=b"x").text() != answer.text()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """The app as `streamlit run` starts it, on every address of the machine."""
    port = free_port()
    command = ["-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.port", str(port)]
    with (tmp_path / "log").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "HOME": str(tmp_path)}
        )
    with httpx.Client(transport=httpx.HTTPTransport(retries=8), trust_env=False, timeout=60) as client:
        client.get(f"http://127.0.0.1:{port}/_stcore/health").raise_for_status()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(timeout=20)


def test_an_app_that_others_could_reach_without_sign_in_refuses_on_the_page(elsewhere: str, page: Page) -> None:
    # In this order: the page is closed before the server, which it would miss aloud.
    page.goto(f"{elsewhere}/?tool=web_search&q=tide")
    expect(page.get_by_role("heading", name="This app is for its own machine alone")).to_be_visible()
    door = page.locator(".st-key-door")
    expect(door).to_contain_text("0.0.0.0")
    expect(door).to_contain_text("WEBCARDS_SERVE_OPEN=1")
    expect(page.locator(".wc")).to_have_count(0)


def test_a_page_of_the_web_that_takes_this_machine_s_address_gets_nothing(browser: Browser, app_url: str) -> None:
    port = app_url.rpartition(":")[2]
    rebound = browser.browser_type.launch(
        executable_path=CHROMIUM, args=[*FLAGS, "--host-resolver-rules=MAP rebound.example 127.0.0.1"]
    )
    try:
        page = rebound.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"http://rebound.example:{port}/?tool=web_search&q=tide")
        expect(page.locator(".st-key-door")).to_contain_text(f"rebound.example:{port}")
        expect(page.locator(".wc")).to_have_count(0)
    finally:
        rebound.close()
