"""A real metasearch server on loopback, Debian's searx, as a SearXNG of one's own: over the library, and failing."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from webcards.contract import WebError
from webcards.search.auto import auto
from webcards.search.library import demo_index
from webcards.search.provider import SearchRequest
from webcards.search.seam import providers
from webcards.search.searxng import Searxng
from webcards.settings import read_settings

EXAMPLE = Path("/usr/share/doc/searx/examples/settings.yml")

# Searx's own Python has what reads its settings; JSON is YAML too.
_CONFIGURE = """
import json, sys, yaml
settings = yaml.safe_load(open(sys.argv[1]))
for name, value in json.loads(sys.argv[2]).items():
    settings[name] = {**settings[name], **value} if isinstance(value, dict) else value
json.dump(settings, sys.stdout)
"""


@dataclass(frozen=True)
class Searx:
    """The running server, and the API behind its only engine."""

    url: str
    api: HTTPServer


def _search(request: Request) -> Response:
    """What the engine behind searx knows: the demo library."""
    hits = demo_index().search(request.args["q"], limit=10)
    rows = [{"link": hit.url, "name": f"{hit.title} & co", "words": hit.snippet} for hit in hits]
    return Response(json.dumps({"rows": rows}), content_type="application/json")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="module")
def searx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searx]:
    """Searx with one engine: a JSON API of ours on loopback. Started once for these tests."""
    program = shutil.which("searx-run")
    if program is None or not EXAMPLE.exists():
        pytest.skip("searx is not installed (apt-get install searx): a real metasearch server is wanted here")
    with HTTPServer(host="127.0.0.1") as api:
        api.expect_request("/api").respond_with_handler(_search)
        port = _free_port()
        query = urlencode({"q": "{query}", "p": "{pageno}"}, safe="{}")
        engine = {
            "name": "harbour",
            "engine": "json_engine",
            "shortcut": "hb",
            "categories": "general",
            "search_url": f"{api.url_for('/api')}?{query}",
            "results_query": "rows",
            "url_query": "link",
            "title_query": "name",
            "content_query": "words",
            "paging": True,
            "enable_http": True,
            "timeout": 5.0,
        }
        changes = {
            "engines": [engine],
            "server": {"port": port, "bind_address": "127.0.0.1", "secret_key": "for tests on loopback only"},
            "checker": {"scheduling": False},
            "search": {"ban_time_on_fail": 0, "max_ban_time_on_fail": 0},
        }
        configured = subprocess.run(
            ["/usr/bin/python3", "-c", _CONFIGURE, str(EXAMPLE), json.dumps(changes)], capture_output=True, text=True
        )
        assert configured.returncode == 0, configured.stderr
        settings = tmp_path_factory.mktemp("searx") / "settings.yml"
        settings.write_text(configured.stdout)
        environment = {"PATH": os.environ["PATH"], "SEARX_SETTINGS_PATH": str(settings), "PYTHONUNBUFFERED": "1"}
        running = subprocess.Popen(
            [program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            assert running.stderr is not None
            said = []
            for line in running.stderr:
                said.append(line)
                if "Running on" in line:
                    break
            else:
                pytest.fail(f"searx did not start: {''.join(said[-20:])}")
            yield Searx(f"http://127.0.0.1:{port}", api)
        finally:
            running.kill()
            running.communicate()


def searxng(searx: Searx) -> Searxng:
    return Searxng(read_settings(searxng_url=searx.url))


async def test_a_real_metasearch_server_is_searched(searx: Searx) -> None:
    result = await searxng(searx).search(SearchRequest(query="quay dues", max_results=5))
    known = [hit.url for hit in demo_index().search("quay dues", limit=10)]
    assert [source.url for source in result.sources] == known[:5]
    assert all(str(source.title).endswith("& co") for source in result.sources)
    assert result.truncated


async def test_nothing_found_there_is_an_empty_list(searx: Searx) -> None:
    assert (await searxng(searx).search(SearchRequest(query="xylophonequark"))).sources == []


async def test_its_engine_failing_is_told_and_is_no_empty_list(searx: Searx) -> None:
    searx.api.clear()
    searx.api.expect_request("/api").respond_with_data("out of order", status=500)
    try:
        with pytest.raises(WebError, match="harbour") as caught:
            await searxng(searx).search(SearchRequest(query="moorings in winter"))
    finally:
        searx.api.clear()
        searx.api.expect_request("/api").respond_with_handler(_search)
    assert caught.value.code == "WEB_PROVIDER_ERROR"


async def test_with_its_address_in_the_settings_auto_uses_it(searx: Searx) -> None:
    settings = read_settings(searxng_url=f"{searx.url}/")
    result = await auto(settings, providers(settings, plug_ins=[])).search(SearchRequest(query="harbour", page=2))
    assert any("page=2" in log.url or "p=2" in log.url for log, _ in searx.api.log) and result.sources
