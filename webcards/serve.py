"""Starts the app as an ASGI application, with the headers, guards and addresses that Streamlit does not have of itself."""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webcards.serving.guards import MetricsGuard, OriginGuard, SecureCookies, UploadGuard, networks_of
from webcards.serving.listening import is_loopback, listening_refused
from webcards.serving.people import Person, judge
from webcards.serving.wanted import LeadOn, wanted
from webcards.settings import Settings, SettingsError, load_settings

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


def sign_in_section() -> Mapping[str, Any] | None:
    """The `[auth]` section of the secrets, which makes people sign in; None where there is none.

    Raises SettingsError where the secrets cannot be read: Streamlit would take them for absent, and let everybody in.
    """
    import streamlit as st

    try:
        if st.secrets.load_if_toml_exists():
            section = st.secrets.get("auth") if "auth" in st.secrets else None
            return section if section is None or isinstance(section, Mapping) else {}
    except OSError as error:
        raise SettingsError(f"{error.filename} cannot be read: {error.strerror}.") from None
    for path in st.get_option("secrets.files"):
        if Path(path).exists():
            raise SettingsError(f"{path} is no TOML, so it cannot be known whether people have to sign in. Mend it.")
    return None


def serve(host: str, port: int, *, open_to_everyone: bool = False) -> None:
    """Runs the app until it is stopped.

    Raises SettingsError for an address that others can reach, unless people sign in or `open_to_everyone` says so.
    """
    from starlette.middleware import Middleware
    from streamlit.starlette import App
    from streamlit.web.bootstrap import load_config_options

    from webcards.batch.keeper import batches_kept_going
    from webcards.serving.metrics import metrics
    from webcards.serving.readiness import Readiness
    from webcards.serving.routes import machine_routes, page_routes
    from webcards.store.opening import open_store

    if not (ROOT / "app.py").is_file():
        raise SettingsError(
            "the installed package has the library and the card, not the app: start that by `make app` in a clone."
        )
    # Streamlit looks for .streamlit/config.toml where it is started, and a page imports `components` from there.
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    if open_to_everyone:
        # The pages ask the settings, and read them for themselves.
        os.environ["WEBCARDS_SERVE_OPEN"] = "1"
    config: dict[str, Any] = {"server.address": host, "server.port": port}
    # Before anything is asked of Streamlit's options: it complains of [server] options that change afterwards.
    load_config_options(config)
    settings = load_settings()
    section = sign_in_section()
    refused = listening_refused(host, signed_in=section is not None, opened=settings.serve_open)
    if refused:
        raise SettingsError(refused)
    for warning in _warnings(section, settings, host):
        sys.stderr.write(f"webcards: {warning}\n")
    redirect = urlsplit(str((section or {}).get("redirect_uri", "")))
    if redirect.hostname:
        # The name that people use: Streamlit then knows it for its own without asking the network.
        config["browser.serverAddress"] = redirect.hostname
    middleware = [
        Middleware(SecurityHeaders),
        Middleware(MetricsGuard, networks_of(settings.metrics_from)),
        Middleware(OriginGuard, [name for name in (redirect.hostname,) if name]),
    ]
    if section is not None:
        middleware += [Middleware(UploadGuard, _may_enter), Middleware(LeadOn, wanted())]
    if redirect.scheme == "https":
        middleware.append(Middleware(SecureCookies))
    readiness = Readiness(lambda: open_store(settings))
    application = App(
        str(ROOT / "app.py"), routes=[*machine_routes(readiness, metrics()), *page_routes()], middleware=middleware
    )
    try:
        with batches_kept_going(settings):
            application.run(config=config)
    finally:
        readiness.close()


def _warnings(section: Mapping[str, Any] | None, settings: Settings, host: str) -> Iterator[str]:
    """What is allowed and yet hardly meant."""
    if section is None:
        if not is_loopback(host):
            yield f"everybody who reaches {host} may use this app: nobody has to sign in."
        return
    if not settings.allowed_emails and not settings.allowed_domains:
        yield (
            "people have to sign in, and nobody may: name them in WEBCARDS_ALLOWED_EMAILS or WEBCARDS_ALLOWED_DOMAINS."
        )
    redirect = urlsplit(str(section.get("redirect_uri", "")))
    if redirect.scheme == "http" and not is_loopback(redirect.hostname):
        yield "redirect_uri begins with http://: whoever is on the way can take a sign-in over. Put HTTPS in front."


def _may_enter(scope: dict[str, Any]) -> bool:
    """Whether a request carries the cookie of somebody who may enter."""
    from starlette.requests import Request
    from streamlit.web.server.starlette import starlette_auth_routes as auth
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    try:
        claims = json.loads(auth._get_cookie_value_from_request(Request(scope), USER_COOKIE_NAME) or b"null")
    except ValueError:
        return False
    return isinstance(claims, dict) and isinstance(judge(claims, load_settings(), now=time.time()), Person)
