"""ASGI middleware in front of the app: who may ask for the metrics, open a session and send files, and how cookies travel."""

from collections.abc import Awaitable, Callable, Collection, Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from webcards.serving.listening import host_of_header
from webcards.settings import SettingsError

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]
Networks = tuple[IPv4Network | IPv6Network, ...]

METRICS_END = "/metrics"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1"})
UPLOADS = "/_stcore/upload_file/"
# Whoever sends one of these speaks for somebody else, whose address cannot be believed.
_FORWARDED = frozenset(
    {b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip", b"via"}
)


def networks_of(entries: Iterable[str]) -> Networks:
    """The networks that a setting names. Raises SettingsError for one that is none."""
    try:
        return tuple(ip_network(entry, strict=False) for entry in entries)
    except ValueError as error:
        raise SettingsError(f"WEBCARDS_METRICS_FROM: {error}. Name networks such as 10.0.0.0/8.") from None


class MetricsGuard:
    """Lets only the networks that are named ask for metrics, ours and Streamlit's, and only without a proxy in between."""

    def __init__(self, app: Asgi, networks: Networks) -> None:
        self._app = app
        self._networks = networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(METRICS_END) and not self._may_ask(scope):
            await _refuse(
                send, 403, b"The metrics are not for you. WEBCARDS_METRICS_FROM names who may ask for them.\n"
            )
            return
        await self._app(scope, receive, send)

    def _may_ask(self, scope: Scope) -> bool:
        if any(name in _FORWARDED for name, _ in scope["headers"]) or not scope.get("client"):
            return False
        try:
            address = ip_address(scope["client"][0])
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._networks)


class OriginGuard:
    """Lets a page open a session only with the host that it came from, or from a host that is named.

    Streamlit has a check of its own; but for an origin that it does not know it first asks a public host which address
    this machine has, and that is nobody's business.
    """

    def __init__(self, app: Asgi, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not self._same(dict(scope["headers"])):
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)

    def _same(self, headers: dict[bytes, bytes]) -> bool:
        origin = headers.get(b"origin")
        if origin is None:
            return True
        asked = headers.get(b"host", b"").decode("latin-1")
        try:
            parts = urlsplit(origin.decode("latin-1"))
            host = parts.hostname
        except ValueError:
            return False
        # A port that was forwarded to another one of this machine is the same page.
        here = host in LOOPBACK_NAMES and host_of_header(asked) in LOOPBACK_NAMES
        return bool(host) and (parts.netloc == asked or host in self._hosts or here)


class UploadGuard:
    """Takes files only from who may enter: a session that waits on the sign-in page could send a gigabyte too."""

    def __init__(self, app: Asgi, may_enter: Callable[[Scope], bool]) -> None:
        self._app = app
        self._may_enter = may_enter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sends = scope["type"] == "http" and UPLOADS in scope["path"] and scope["method"] != "OPTIONS"
        if sends and not self._may_enter(scope):
            await _refuse(send, 403, b"Sign in before you send a file.\n")
            return
        await self._app(scope, receive, send)


class SecureCookies:
    """Marks every cookie as one for HTTPS only (RFC 6265 section 4.1.2.5), for an app that is reached over HTTPS."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_marked(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [_marked(*pair) for pair in message.get("headers", [])]}
            await send(message)

        await self._app(scope, receive, send_marked if scope["type"] == "http" else send)


def _marked(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    attributes = [part.strip().lower() for part in value.split(b";")[1:]]
    open_to_http = name.lower() == b"set-cookie" and b"secure" not in attributes
    return name, (value + b"; Secure" if open_to_http else value)


async def _refuse(send: Send, status: int, words: bytes) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(words)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words})
