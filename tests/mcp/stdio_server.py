"""The server over stdio as its own process, as `python -m webcards mcp` starts it."""

import asyncio

from webcards.mcp_server import run

if __name__ == "__main__":
    asyncio.run(run(http=False, host="127.0.0.1", port=0))
