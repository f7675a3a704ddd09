"""Starts the app as an ASGI application, with the headers that Streamlit does not send of itself."""

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Streamlit's page needs its inline bootstrap, inline styles and, for a component's script, blob: (all tried in a browser).
# Everything else stays on this origin, so that nothing a card shows can make the reader's browser call anybody.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "frame-ancestors 'self'; base-uri 'self'; form-action 'self'; object-src 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "SAMEORIGIN",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SecurityHeaders:
    """ASGI middleware: adds the headers to every HTTP answer."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in self._headers}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
                message = {**message, "headers": [*kept, *self._headers]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


def serve(host: str, port: int) -> None:
    """Runs the app until it is stopped. Anything but this machine's own address has to be asked for by name."""
    from starlette.middleware import Middleware
    from streamlit.starlette import App

    # Streamlit looks for .streamlit/config.toml where it is started, and a page imports `components` from there.
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    application = App(str(ROOT / "app.py"), middleware=[Middleware(SecurityHeaders)])
    application.run(config={"server.address": host, "server.port": port})
