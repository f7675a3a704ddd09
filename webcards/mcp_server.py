"""The two tools for any agent, over the Model Context Protocol: the content as text, the meta as structured
content.

Each call is recorded, so that a team sees its agents' web calls as cards. Serves stdio, or HTTP at `/mcp`.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from webcards.contract import ToolResultEvent, WebFetchMeta, WebSearchMeta
from webcards.settings import load_settings
from webcards.store.opening import open_store
from webcards.store.recorder import Recorder, settle_recorded
from webcards.tools import Progress, Registry, Tool
from webcards.tools.opening import open_registry

PATH = "/mcp"
HEALTH = "/health"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_METAS: Mapping[str, type] = {"web_search": WebSearchMeta, "web_fetch": WebFetchMeta}
_Context = ServerRequestContext[Any]


class ListenError(Exception):
    """The server will not listen where it was told to; the message says what would permit it."""


def make_server(registry: Registry, recorder: Recorder | None) -> Server[Any]:
    """A server with the registry's tools; calls are recorded unless `recorder` is None."""

    async def list_tools(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in registry.tools])

    async def call_tool(context: _Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        def tell(progress: Progress) -> None:
            report = context.session.report_progress(progress.done or 0.0, 1.0, progress.words)
            task = asyncio.ensure_future(report)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())

        call = registry.start(asked.name, asked.arguments or {})
        execution = await settle_recorded(registry, recorder, call, on_progress=tell)
        return _result(execution.result)

    return Server(
        "webcards",
        title="Web Cards",
        instructions="web_search finds pages, web_fetch reads one. Cite the URLs that they give.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(registry: Registry, recorder: Recorder | None) -> None:
    """Serves the process that started this one, until it closes the pipe."""
    server = make_server(registry, recorder)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    registry: Registry, recorder: Recorder | None, *, host: str = "127.0.0.1", port: int = 8765, token: str = ""
) -> None:
    """Serves HTTP until it is told to end. Raises ListenError for an address beyond this machine without a
    token.
    """
    import uvicorn

    application = http_app(registry, recorder, host=host, token=token)
    config = uvicorn.Config(application, host=host, port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()


def http_app(registry: Registry, recorder: Recorder | None, *, host: str, token: str) -> Starlette:
    """The ASGI application: `/mcp`, and `/health` for a proxy. Raises ListenError as `serve_http` does."""
    if host not in LOOPBACK and not token:
        msg = (
            f"will not listen on {host}: anybody who reaches it could make this machine fetch pages. "
            "Set WEBCARDS_MCP_TOKEN, which clients then send as 'Authorization: Bearer …', or listen on 127.0.0.1."
        )
        raise ListenError(msg)

    async def health(_: object) -> PlainTextResponse:
        return PlainTextResponse("ok")

    application = make_server(registry, recorder).streamable_http_app(
        streamable_http_path=PATH, host=host, custom_starlette_routes=[Route(HEALTH, health)]
    )
    if token:
        application.user_middleware.insert(0, Middleware(_Bearer, token=token))
    return application


async def run(*, http: bool, host: str, port: int) -> None:
    """`python -m webcards mcp`: serves as the settings say until it is told to end.

    Raises ListenError, and DatabaseError or SettingsError for a setting that cannot be used.
    """
    settings = load_settings()
    with open_store(settings) as store:
        async with open_registry(settings) as registry:
            recorder = Recorder(store, source="mcp")
            if http:
                token = settings.mcp_token.get_secret_value()
                await serve_http(registry, recorder, host=host, port=port, token=token)
            else:
                await serve_stdio(registry, recorder)


def _described(tool: Tool[Any, Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.parameters),
        output_schema=_schema(_METAS[tool.name]) if tool.name in _METAS else None,
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=True),
    )


def _schema(meta: type) -> dict[str, Any]:
    """The JSON Schema of a meta, its root an object as older versions of the protocol want it."""
    _, components = msgspec.json.schema_components([meta], ref_template="#/$defs/{name}")
    root: dict[str, Any] = dict(components.pop(meta.__name__))
    return {**root, "$defs": components} if components else root


def _result(event: ToolResultEvent) -> types.CallToolResult:
    data: dict[str, Any] = msgspec.to_builtins(event.data)
    block = data["message"]["content"][0]
    return types.CallToolResult(
        content=[types.TextContent(text=part["text"]) for part in block["content"]],
        structured_content=data.get("meta"),
        is_error=block["isError"],
    )


_Scope = dict[str, Any]
_Receive = Callable[[], Awaitable[dict[str, Any]]]
_Send = Callable[[dict[str, Any]], Awaitable[None]]


class _Bearer:
    """ASGI middleware: refuses who does not bring the token; health may be asked by anybody."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]], token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http" and scope["path"] != HEALTH:
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                head = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": head})
                await send({"type": "http.response.body", "body": b"The token is missing or wrong."})
                return
        await self._app(scope, receive, send)
