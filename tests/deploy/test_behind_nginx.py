"""The deployment of docs/deploy.md on loopback: two app processes on one PostgreSQL, behind nginx with the shipped
file.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import trustme
import yaml
from playwright.sync_api import Browser, expect

from tests.browser.conftest import browser, free_port, serve_app
from tests.shared import ROOT
from tests.store.conftest import postgres
from tests.store.databases import Cluster
from webcards.store import Filter, Store
from webcards.store.calls import list_calls
from webcards.store.store import now_ms

__all__ = ["browser", "postgres"]

pytestmark = [pytest.mark.browser, pytest.mark.database, pytest.mark.timeout(300)]
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


class Site(NamedTuple):
    """The site as people reach it, the processes behind it, and the database that these share."""

    address: str
    apps: list[tuple[subprocess.Popen[bytes], str]]
    database: str


def configuration(folder: Path, ports: list[str], listen: int, redirect: int) -> Path:
    """The shipped file with this machine's ports and a certificate for 127.0.0.1."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(folder / "tls.key")
    for part in certificate.cert_chain_pems:
        part.write_to_path(folder / "tls.crt", append=True)
    text = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    for shipped, here in (
        ("app1:8501", ports[0]),
        ("app2:8501", ports[1]),
        ("listen 443 ssl", f"listen 127.0.0.1:{listen} ssl"),
        ("listen 80", f"listen 127.0.0.1:{redirect}"),
        ("server_name cards.example", "server_name 127.0.0.1"),
        ("/etc/webcards/tls", f"{folder}/tls"),
        ("/tmp/webcards-nginx.pid", f"{folder}/nginx.pid"),
    ):
        assert shipped in text
        text = text.replace(shipped, here)
    path = folder / "nginx.conf"
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def site(postgres: Cluster, tmp_path: Path) -> Iterator[Site]:
    if not Path(NGINX).exists():
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light)")
    database = postgres.new_database()
    settings = {"WEBCARDS_DATABASE_URL": database, "WEBCARDS_SEARCH_PROVIDER": "library"}
    apps = [serve_app(tmp_path / f"app{number}.log", **settings) for number in (1, 2)]
    listen, redirect = free_port(), free_port()
    path = configuration(tmp_path, [address.removeprefix("http://") for _, address in apps], listen, redirect)
    command = [NGINX, "-c", str(path), "-p", str(tmp_path), "-e", "stderr", "-g", "daemon off;"]
    proxy = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        address = f"https://127.0.0.1:{listen}"
        with httpx.Client(transport=httpx.HTTPTransport(retries=8, verify=False), trust_env=False) as client:
            client.get(f"{address}/healthz").raise_for_status()
        yield Site(address, apps, database)
    finally:
        proxy.terminate()
        proxy.wait(10)
        for process, _ in apps:
            process.terminate()
            process.wait(20)


def test_a_team_s_site_answers_keeps_sessions_together_and_outlives_a_process(site: Site, browser: Browser) -> None:
    web = httpx.Client(verify=False, trust_env=False, timeout=60)
    assert web.get(f"{site.address}/healthz").text == "ok\n"
    for hidden in ("metrics", "_stcore/metrics", "metrics/", "readyz"):
        assert web.get(f"{site.address}/{hidden}").status_code == 404
    for _, app in site.apps:
        assert httpx.get(f"{app}/readyz", trust_env=False).text == "ready\n"
        assert b"webcards_calls_total" in httpx.get(f"{app}/metrics", trust_env=False).content

    # Every visitor gets a way of their own and keeps it, and both processes have visitors.
    ways: Counter[str] = Counter()
    for _ in range(12):
        visitor = httpx.Client(verify=False, trust_env=False, timeout=60)
        first = visitor.get(site.address)
        cookie = first.headers["set-cookie"]
        assert re.search(r"webcards_way=\w{32}; Path=/; HttpOnly; Secure; SameSite=Lax", cookie)
        assert "webcards_way" not in str(visitor.get(site.address).headers.get("set-cookie", ""))
        ways[visitor.cookies["webcards_way"]] += 1
    assert len(ways) == 12

    # People search through the proxy; whichever process they are on, the record is one.
    for number in range(4):
        context = browser.new_context(ignore_https_errors=True, locale="en-GB")
        page = context.new_page()
        page.goto(f"{site.address}/?tool=web_search&q=harbour+{number}")
        expect(page.locator(".wc-list > li").first).to_be_visible(timeout=60_000)
        context.close()
    with Store.open(site.database) as store, store.reading() as connection:
        recorded = list_calls(connection, Filter(source="app"), now=now_ms() + 1).calls
    assert sorted(call.query or "" for call in recorded) == [f"harbour {number}" for number in range(4)]
    series = re.compile(r'webcards_calls_total{outcome="ok",tool="web_search"} (\S+)')
    counts = [float(series.findall(httpx.get(f"{app}/metrics", trust_env=False).text)[0]) for _, app in site.apps]
    assert sum(counts) == 4

    # One process is killed: the site goes on, on the other one.
    site.apps[0][0].kill()
    site.apps[0][0].wait(10)
    for number in range(3):
        context = browser.new_context(ignore_https_errors=True, locale="en-GB")
        page = context.new_page()
        page.goto(f"{site.address}/?tool=web_search&q=after+{number}")
        expect(page.locator(".wc-list > li").first).to_be_visible(timeout=60_000)
        context.close()


def test_the_compose_file_names_what_the_proxy_asks_and_starts_what_there_is() -> None:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
    nginx = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    services = compose["services"]
    assert set(re.findall(r"server (\w+):8501", nginx)) <= set(services)
    helped = subprocess.run(
        [sys.executable, "-m", "webcards", "--help"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    for service in services.values():
        command = service.get("command", [])
        assert not command or command[3] in helped
    assert set(services["proxy"]["depends_on"]) == {"app1", "app2"}
