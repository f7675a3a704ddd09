"""An OpenID provider on loopback: oidc-provider-mock in a process of its own, whose accounts are the buttons of its page.

    python -m tests.serving.provider PORT ACCOUNTS

Its pages ask a public host for a style sheet, which nobody here does: they are served without.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.shared import ROOT

CLIENT_ID, CLIENT_SECRET = "webcards", "only-for-the-tests"
PATIENCE_SECONDS = 60
Claims = Mapping[str, object]


def serve(port: int, accounts: Mapping[str, Claims]) -> None:
    """Serves until the process ends."""
    import oidc_provider_mock
    from werkzeug.serving import run_simple

    users = [oidc_provider_mock.User(sub=name, claims=dict(claims)) for name, claims in accounts.items()]
    # A request without a nonce, or one that was used, is refused (OpenID Connect Core 1.0, section 3.1.2.1).
    app = oidc_provider_mock.app(require_nonce=True, user_claims=users)

    def without_strangers(response: Any) -> Any:
        if response.mimetype == "text/html":
            head, _, rest = response.get_data(as_text=True).partition("<link")
            # A browser asks every site for an icon; one that is missing is an error on its console.
            response.set_data(f'{head}<link rel="icon" href="data:,"{rest[rest.index("/>") :] if rest else ">"}')
        return response

    app.after_request(without_strangers)
    run_simple("127.0.0.1", port, app, threaded=True)


@contextmanager
def running(accounts: Mapping[str, Claims], log: Path) -> Iterator[str]:
    """Starts the provider and ends it after the block; gives the address of its metadata."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.serving.provider", str(port), json.dumps(accounts)],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            # Its library speaks to nobody without TLS unless told that this is meant.
            env={**os.environ, "AUTHLIB_INSECURE_TRANSPORT": "1"},
        )
    try:
        _wait_until_it_listens(process, port, log)
        yield f"http://127.0.0.1:{port}/.well-known/openid-configuration"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_it_listens(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, log.read_text(errors="replace")
        assert time.monotonic() < end, "the provider does not listen"
        time.sleep(0.1)


def secrets_toml(metadata_url: str, *, cookie_secret: str = "a cookie secret for the tests alone") -> str:
    """The secrets of an app whose people sign in there. Streamlit fills in the port that it listens on."""
    return f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{cookie_secret}"
client_id = "{CLIENT_ID}"
client_secret = "{CLIENT_SECRET}"
server_metadata_url = "{metadata_url}"
"""


if __name__ == "__main__":
    serve(int(sys.argv[1]), json.loads(sys.argv[2]))
