"""Where somebody wanted to go before they had to sign in: a link that a colleague sent leads there still.

Streamlit leads everybody to the first page after a sign-in. What is kept here is made by the app itself, in memory, by the
random token that each browser has; a browser that comes back to another process lands on the first page.
"""

import threading
from collections import OrderedDict
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from webcards.serving.guards import Asgi, Receive, Scope, Send

XSRF_COOKIE: Final = "_streamlit_xsrf"
CALLBACK: Final = "/oauth2callback"
MOST: Final = 1_000


def address_of(url: str | None, params: dict[str, list[str]]) -> str:
    """The path and query of a page of this app; the first page for a URL that is odd."""
    path = urlsplit(url).path if url else "/"
    if (
        not path.startswith("/")
        or path.startswith("//")
        or "\\" in path
        or not path.isprintable()
        or not path.isascii()
    ):
        path = "/"
    query = urlencode(params, doseq=True)
    return f"{path}?{query}" if query else path


class Wanted:
    """The newest wishes, by token. Safe to share between threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, token: str, address: str) -> None:
        """Keeps where the browser with this token wants to go; nothing for one without a token."""
        if not token:
            return
        with self._lock:
            self._kept.pop(token, None)
            self._kept[token] = address
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def take(self, token: str) -> str | None:
        """Where it wanted to go, once."""
        with self._lock:
            return self._kept.pop(token, None)


@lru_cache(maxsize=1)
def wanted() -> Wanted:
    """The wishes of this process."""
    return Wanted()


class LeadOn:
    """ASGI middleware: leads who has just signed in to where they wanted to go."""

    def __init__(self, app: Asgi, kept: Wanted) -> None:
        self._app = app
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(CALLBACK):
            await self._app(scope, receive, send)
            return

        async def send_on(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start" and _signed_in(message):
                address = self._kept.take(_token(scope))
                if address is not None:
                    rest = [pair for pair in message["headers"] if pair[0].lower() != b"location"]
                    message = {**message, "headers": [*rest, (b"location", address.encode("ascii"))]}
            await send(message)

        await self._app(scope, receive, send_on)


def _signed_in(message: dict[str, Any]) -> bool:
    """Whether the answer sets the cookie of a person: a sign-in that failed sets none, or clears it."""
    cookies = [value for name, value in message["headers"] if name.lower() == b"set-cookie"]
    return message["status"] == 302 and any(
        value.startswith(b"_streamlit_user=") and not value.startswith((b'_streamlit_user="";', b"_streamlit_user=;"))
        for value in cookies
    )


def _token(scope: Scope) -> str:
    header = b"; ".join(value for name, value in scope["headers"] if name == b"cookie").decode("latin-1")
    try:
        morsel = SimpleCookie(header).get(XSRF_COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""
