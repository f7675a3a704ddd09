"""The tools over the Model Context Protocol, asked by the SDK's own client over real pipes and sockets."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from webcards.contract import narrow_fetch_meta, narrow_search_meta
from webcards.mcp_server import ListenError, http_app
from webcards.settings import read_settings
from webcards.store import Filter, Store
from webcards.store.calls import Call, list_calls
from webcards.store.recorder import Recorder
from webcards.store.store import now_ms
from webcards.tools.opening import open_registry

SERVER = Path(__file__).with_name("stdio_server.py")


def _recorded(path: Path) -> list[Call]:
    with Store.open(f"sqlite:///{path}") as store, store.reading() as connection:
        return list_calls(connection, Filter(source="mcp"), now=now_ms() + 1).calls


def _text(result: Any) -> str:
    assert isinstance(result, types.CallToolResult)
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@asynccontextmanager
async def _served(path: Path, *, host: str = "127.0.0.1", token: str = "") -> AsyncIterator[str]:
    """Serves HTTP on a free loopback port; gives its address."""
    with Store.open(f"sqlite:///{path}") as store:
        async with open_registry(read_settings(search_provider="library")) as registry:
            application = http_app(registry, Recorder(store, source="mcp"), host=host, token=token)
            server = uvicorn.Server(uvicorn.Config(application, host="127.0.0.1", port=0, log_level="error"))
            serving = asyncio.create_task(server.serve())
            while not server.started:  # noqa: ASYNC110 uvicorn has no event for it
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            try:
                yield f"http://127.0.0.1:{port}"
            finally:
                server.should_exit = True
                await serving


async def _use_both_tools(client: Client) -> None:
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == {"web_search", "web_fetch"}
    assert listed["web_fetch"].input_schema["required"] == ["url"]
    assert listed["web_search"].output_schema is not None
    searched = await client.call_tool("web_search", {"query": "tide"})
    assert not searched.is_error
    meta = searched.structured_content
    assert narrow_search_meta(meta).sources  # type: ignore[union-attr]
    url = meta["sources"][0]["url"]
    assert url in _text(searched)
    fetched = await client.call_tool("web_fetch", {"url": url})
    assert _text(fetched).startswith(f"Fetched {url} (HTTP 200)")
    assert narrow_fetch_meta(fetched.structured_content).status_code == 200  # type: ignore[union-attr]
    refused = await client.call_tool("web_fetch", {"url": "http://169.254.169.254/latest"})
    assert refused.is_error
    assert refused.structured_content is None
    assert _text(refused).startswith("Error: ")


async def test_an_agent_uses_both_tools_over_stdio_and_each_call_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.mcp.stdio_server"],
        env={"WEBCARDS_DATABASE_URL": f"sqlite:///{path}", "WEBCARDS_SEARCH_PROVIDER": "library"},
        cwd=Path(__file__).parents[2],
    )
    async with Client(stdio_client(parameters)) as client:
        await _use_both_tools(client)
    calls = _recorded(path)
    assert [(call.tool, call.outcome, call.error_code) for call in reversed(calls)] == [
        ("web_search", "ok", None),
        ("web_fetch", "ok", None),
        ("web_fetch", "error", "WEB_BLOCKED_URL"),
    ]
    assert calls[2].view_kind == "search"
    assert not any(call.fell_back for call in calls)


async def test_an_agent_uses_both_tools_over_http_and_each_call_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    async with _served(path) as address, Client(f"{address}/mcp") as client:
        await _use_both_tools(client)
    assert len(_recorded(path)) == 3


async def test_an_unknown_tool_or_argument_is_an_error_result_in_words(tmp_path: Path) -> None:
    async with _served(tmp_path / "calls.db") as address, Client(f"{address}/mcp") as client:
        unknown = await client.call_tool("web_fetch", {"address": "https://a.example/"})
        assert unknown.is_error
        assert "address" in _text(unknown)
        nothing = await client.call_tool("shell", {"command": "ls"})
        assert nothing.is_error
        assert "web_search" in _text(nothing)


async def test_several_calls_of_one_agent_run_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    async with _served(path) as address, Client(f"{address}/mcp") as client:
        results = await asyncio.gather(*(client.call_tool("web_search", {"query": f"harbour {n}"}) for n in range(8)))
    assert all(not result.is_error for result in results)
    assert len(_recorded(path)) == 8


async def test_beyond_this_machine_a_token_is_needed_and_then_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ListenError, match="WEBCARDS_MCP_TOKEN"):
        async with _served(tmp_path / "calls.db", host="0.0.0.0"):
            pass
    async with _served(tmp_path / "calls.db", host="0.0.0.0", token="s3cret") as address, httpx.AsyncClient() as web:
        assert (await web.get(f"{address}/health")).text == "ok"
        assert (await web.post(f"{address}/mcp")).status_code == 401
        wrong = {"Authorization": "Bearer other"}
        assert (await web.post(f"{address}/mcp", headers=wrong)).status_code == 401
        http = httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"})
        async with http, Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client:
            assert len((await client.list_tools()).tools) == 2


async def test_a_web_page_of_another_origin_cannot_drive_the_server(tmp_path: Path) -> None:
    async with _served(tmp_path / "calls.db") as address, httpx.AsyncClient() as web:
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream"}
            answer = await web.post(f"{address}/mcp", json=body, headers={**accept, **headers})
            assert answer.status_code in {403, 421}
