"""The server over stdio as its own process, as `python -m webcards mcp` starts it."""

import asyncio

from webcards.mcp_server import serve_stdio
from webcards.store import Store
from webcards.store.recorder import Recorder
from webcards.tools.opening import open_registry


async def main() -> None:
    with Store.open() as store:
        async with open_registry() as registry:
            await serve_stdio(registry, Recorder(store, source="mcp"))


if __name__ == "__main__":
    asyncio.run(main())
