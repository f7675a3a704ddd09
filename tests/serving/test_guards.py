"""The guards in front of the app, each before a small application that says what reached it."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from webcards.serving.guards import MetricsGuard, OriginGuard, SecureCookies, UploadGuard, networks_of
from webcards.serving.wanted import LeadOn, Wanted, address_of
from webcards.settings import SettingsError


async def reached(request: Request) -> Response:
    return PlainTextResponse(f"reached {request.url.path}")


def behind(*middleware: Middleware, client: str = "127.0.0.1") -> TestClient:
    async def session(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text("reached")
        await websocket.close()

    methods = ["GET", "PUT", "DELETE", "OPTIONS"]
    routes = [WebSocketRoute("/_stcore/stream", session), Route("/{path:path}", reached, methods=methods)]
    return TestClient(Starlette(routes=routes, middleware=list(middleware)), client=(client, 5000))


LOCAL = Middleware(MetricsGuard, networks_of(["127.0.0.0/8", "::1"]))


@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "/_stcore/metrics"])
@pytest.mark.parametrize(
    ("client", "status"),
    [
        ("127.0.0.1", 200),
        ("::1", 200),
        ("::ffff:127.0.0.1", 200),
        ("10.1.2.3", 403),
        ("2001:db8::1", 403),
        ("a unix socket", 403),
    ],
)
def test_the_metrics_are_for_this_machine(path: str, client: str, status: int) -> None:
    assert behind(LOCAL, client=client).get(path).status_code == status


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via", "X-Forwarded-Proto"])
def test_a_proxy_on_this_machine_does_not_ask_for_itself(header: str) -> None:
    assert behind(LOCAL).get("/metrics", headers={header: "127.0.0.1"}).status_code == 403


def test_a_setting_lets_other_networks_ask() -> None:
    guard = Middleware(MetricsGuard, networks_of(["10.0.0.0/8"]))
    assert behind(guard, client="10.9.9.9").get("/metrics").status_code == 200
    assert behind(guard, client="11.0.0.1").get("/metrics").status_code == 403


def test_everything_else_may_be_asked_from_everywhere() -> None:
    assert behind(LOCAL, client="10.1.2.3").get("/healthz").text == "reached /healthz"


def test_what_is_no_network_is_named() -> None:
    with pytest.raises(SettingsError, match=r"WEBCARDS_METRICS_FROM.*nowhere"):
        networks_of(["nowhere"])


def opens(host: str, origin: str | None, *named: str) -> bool:
    headers = {"host": host, **({} if origin is None else {"origin": origin})}
    try:
        with behind(Middleware(OriginGuard, named)).websocket_connect("/_stcore/stream", headers=headers) as session:
            return session.receive_text() == "reached"
    except WebSocketDisconnect:
        return False


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8501", "http://127.0.0.1:8501"),
        ("localhost:8501", "http://127.0.0.1:9000"),
        ("[::1]:8501", "http://[::1]:8501"),
        ("cards.example", "https://cards.example"),
        ("127.0.0.1:8501", "https://team.example"),
        ("127.0.0.1:8501", None),
    ],
)
def test_a_page_opens_a_session_with_where_it_came_from(host: str, origin: str | None) -> None:
    assert opens(host, origin, "team.example")


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8501", "https://evil.example"),
        ("cards.example", "https://cards.example.evil.example"),
        ("cards.example", "http://localhost:3000"),
        ("cards.example:8443", "https://cards.example"),
        ("127.0.0.1:8501", "null"),
        ("127.0.0.1:8501", "http://[::1"),
        ("127.0.0.1:8501", ""),
    ],
)
def test_a_page_of_somebody_else_opens_none(host: str, origin: str) -> None:
    assert not opens(host, origin)


@pytest.mark.parametrize(("enters", "status"), [(True, 200), (False, 403)])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_files_are_taken_from_who_may_enter(method: str, enters: bool, status: int) -> None:
    client = behind(Middleware(UploadGuard, lambda _: enters))
    assert client.request(method, "/_stcore/upload_file/session/file").status_code == status
    assert client.get("/run").status_code == 200


def test_every_cookie_is_marked_for_https_once() -> None:
    async def cookies(_: Request) -> Response:
        response = PlainTextResponse("")
        response.set_cookie("plain", "1", httponly=True)
        response.set_cookie("marked", "1", secure=True)
        return response

    app = Starlette(routes=[Route("/", cookies)], middleware=[Middleware(SecureCookies)])
    set_cookies = TestClient(app).get("/").headers.get_list("set-cookie")
    assert [cookie.lower().count("; secure") for cookie in set_cookies] == [1, 1]
    assert "httponly" in set_cookies[0].lower()


def led_to(kept: Wanted, *, user: str | None) -> str:
    """Comes back from the sign-in service, as a browser with the token t."""

    async def signed_in(_: Request) -> Response:
        response = RedirectResponse("/", status_code=302)
        match user:
            case None:
                pass
            case "":
                response.delete_cookie("_streamlit_user")
            case _:
                response.set_cookie("_streamlit_user", user)
        return response

    app = Starlette(routes=[Route("/oauth2callback", signed_in)], middleware=[Middleware(LeadOn, kept)])
    client = TestClient(app, cookies={"_streamlit_xsrf": "t", "other": "x"}, follow_redirects=False)
    return str(client.get("/oauth2callback").headers["location"])


def test_who_has_signed_in_is_led_to_where_they_wanted_to_go_once() -> None:
    kept = Wanted()
    kept.keep("t", "/dashboard?span=7d")
    assert led_to(kept, user="signed") == "/dashboard?span=7d"
    assert led_to(kept, user="signed") == "/"


@pytest.mark.parametrize("user", [None, ""])
def test_who_has_not_is_led_to_the_door_and_may_try_again(user: str | None) -> None:
    kept = Wanted()
    kept.keep("t", "/dashboard")
    assert led_to(kept, user=user) == "/"
    assert led_to(kept, user="signed") == "/dashboard"


def test_a_browser_without_a_token_leaves_no_wish_for_another() -> None:
    kept = Wanted()
    kept.keep("", "/dashboard")
    assert kept.take("") is None


def test_only_the_newest_wishes_are_kept() -> None:
    kept = Wanted(most=2)
    for token in ("a", "b", "c"):
        kept.keep(token, f"/{token}")
    assert [kept.take(token) for token in ("a", "b", "c")] == [None, "/b", "/c"]


@pytest.mark.parametrize(
    ("url", "params", "address"),
    [
        ("http://127.0.0.1:8501/dashboard", {"span": ["7d"]}, "/dashboard?span=7d"),
        ("http://127.0.0.1:8501/", {"q": ["a b", "潮"]}, "/?q=a+b&q=%E6%BD%AE"),
        ("http://127.0.0.1:8501//evil.example/", {}, "/"),
        ("http://127.0.0.1:8501/\\evil.example", {}, "/"),
        ("http://127.0.0.1:8501/a\r\nSet-Cookie: x", {"q": ["\r\nx"]}, "/aSet-Cookie: x?q=%0D%0Ax"),
        (None, {}, "/"),
    ],
)
def test_a_wish_is_always_a_page_of_this_app(url: str | None, params: dict[str, Any], address: str) -> None:
    assert address_of(url, params) == address
