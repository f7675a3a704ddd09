"""An OpenID provider on loopback: discovery, sign-in page, tokens signed with a key of its own, and the end of a session.

As strict as the specification lets one be: a code is good once, for the client, the redirect URI and the PKCE verifier that
asked for it (OpenID Connect Core 1.0 section 3.1, RFC 7636).
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import BaseWSGIServer, make_server
from werkzeug.wrappers import Request, Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

CLIENT_ID, CLIENT_SECRET = "webcards", "only-for-the-tests"
Claims = Mapping[str, object]


class Provider:
    """Knows some accounts by the name on their button; each is the claims that its ID token carries."""

    def __init__(self, accounts: Mapping[str, Claims]) -> None:
        self.accounts = dict(accounts)
        self.refusals: list[str] = []
        self._key = RSAKey.generate_key(2048, parameters={"kid": "key-1", "use": "sig"})
        self._codes: dict[str, tuple[str, dict[str, str]]] = {}
        self._server: BaseWSGIServer | None = None

    @property
    def issuer(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def metadata_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    @contextmanager
    def running(self) -> Iterator["Provider"]:
        self._server = make_server("127.0.0.1", 0, self._application, threaded=True)
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _application(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        match request.path:
            case "/.well-known/openid-configuration":
                return _json(self._metadata())
            case "/jwks":
                return _json(KeySet([self._key]).as_dict(private=False))
            case "/authorize" if request.method == "GET":
                return self._sign_in_page(request)
            case "/authorize":
                return self._signed_in(request)
            case "/token":
                return self._token(request)
            case "/end":
                return Response(status=302, headers={"Location": request.args["post_logout_redirect_uri"]})
            case _:
                return Response("there is nothing here", status=404)

    def _metadata(self) -> dict[str, object]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "end_session_endpoint": f"{self.issuer}/end",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def _sign_in_page(self, request: Request) -> Response:
        asked = request.args
        if asked.get("client_id") != CLIENT_ID or asked.get("response_type") != "code":
            return self._refuse("an unknown client")
        if "openid" not in asked.get("scope", "").split() or asked.get("code_challenge_method") != "S256":
            return self._refuse("no scope openid, or no PKCE")
        hidden = "".join(f'<input type="hidden" name="{escape(k)}" value="{escape(v)}">' for k, v in asked.items())
        buttons = "".join(
            f'<button name="account" value="{escape(name)}">{escape(name)}</button>' for name in self.accounts
        )
        page = f'<!doctype html><html lang="en"><title>Provider</title><form method="post">{hidden}{buttons}</form>'
        # A browser asks every site for an icon; one that is missing is an error on its console.
        return Response(page.replace("<form", '<link rel="icon" href="data:,"><form', 1), mimetype="text/html")

    def _signed_in(self, request: Request) -> Response:
        code = secrets.token_urlsafe(16)
        self._codes[code] = (request.form["account"], request.form.to_dict())
        back = urlencode({"code": code, "state": request.form["state"]})
        return Response(status=302, headers={"Location": f"{request.form['redirect_uri']}?{back}"})

    def _token(self, request: Request) -> Response:
        who = request.authorization
        if who is None or (who.username, who.password) != (CLIENT_ID, CLIENT_SECRET):
            return self._refuse("a client that is not who it says", status=401)
        account, asked = self._codes.pop(request.form["code"], ("", {}))
        digest = hashlib.sha256(request.form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if not account or asked["redirect_uri"] != request.form["redirect_uri"] or asked["code_challenge"] != challenge:
            return self._refuse("a code that is not good")
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": account,
            "iat": now,
            "exp": now + 600,
            "nonce": asked["nonce"],
            **self.accounts[account],
        }
        token = jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, self._key)
        return _json({"access_token": secrets.token_urlsafe(16), "token_type": "Bearer", "id_token": token})

    def _refuse(self, why: str, *, status: int = 400) -> Response:
        self.refusals.append(why)
        return Response(why, status=status)


def _json(value: object) -> Response:
    return Response(json.dumps(value), mimetype="application/json")


def secrets_toml(provider: Provider, *, cookie_secret: str = "a cookie secret for the tests alone") -> str:
    """The secrets of an app whose people sign in there. Streamlit fills in the port that it listens on."""
    return f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{cookie_secret}"
client_id = "{CLIENT_ID}"
client_secret = "{CLIENT_SECRET}"
server_metadata_url = "{provider.metadata_url}"
"""
