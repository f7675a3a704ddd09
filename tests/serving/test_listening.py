"""Where the app may be reached."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT
from webcards.serving.listening import host_of_header, is_loopback, listening_refused


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.8.8.8",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "cards.localhost",
        "::1",
        "[::1]",
        "::ffff:127.0.0.1",
    ],
)
def test_these_are_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "0.0.0.0",
        "::",
        "192.168.1.4",
        "::ffff:10.0.0.1",
        "cards.example",
        "notlocalhost",
        "localhost.example",
        "127.0.0.1.example",
    ],
)
def test_these_are_not(host: str | None) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("127.0.0.1:8501", "127.0.0.1"),
        ("[::1]:8501", "::1"),
        ("Cards.Example", "cards.example"),
        ("", ""),
        ("[::1", ""),
    ],
)
def test_the_host_is_read_from_a_header(header: str, host: str) -> None:
    assert host_of_header(header) == host


@pytest.mark.parametrize(("signed_in", "opened"), [(True, False), (False, True), (True, True)])
def test_another_address_is_listened_on_where_people_sign_in_or_all_are_let_in(signed_in: bool, opened: bool) -> None:
    assert listening_refused("0.0.0.0", signed_in=signed_in, opened=opened) is None


def serve(tmp_path: Path, *args: str, secrets: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A start that is refused ends by itself; one that is not would run until the test's time is over."""
    folder = tmp_path / ".streamlit"
    folder.mkdir(exist_ok=True)
    if secrets:
        (folder / "secrets.toml").write_text(secrets)
    return subprocess.run(
        [sys.executable, "-m", "webcards", "serve", "--port", "1", *args],
        cwd=ROOT, env={**os.environ, "HOME": str(tmp_path), **env}, capture_output=True, text=True, timeout=90,
    )  # fmt: skip


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_serve_refuses_another_address_and_says_what_would_permit_it(tmp_path: Path, host: str) -> None:
    run = serve(tmp_path, "--host", host)
    assert run.returncode == 2
    assert run.stderr.startswith(f"webcards: the app will not listen on {host}")
    for way in ("[auth]", "--open-to-everyone", "WEBCARDS_SERVE_OPEN=1", "127.0.0.1"):
        assert way in run.stderr
    assert "Traceback" not in run.stderr


def test_serve_refuses_secrets_that_cannot_be_read_rather_than_letting_everybody_in(tmp_path: Path) -> None:
    run = serve(tmp_path, secrets="[auth\nclient_id = 1")
    assert run.returncode == 2
    assert "secrets.toml is no TOML" in run.stderr
    assert "Traceback" not in run.stderr


def test_serve_names_a_network_that_is_none(tmp_path: Path) -> None:
    run = serve(tmp_path, WEBCARDS_METRICS_FROM="10.0.0.0/8, nowhere")
    assert run.returncode == 2
    assert "WEBCARDS_METRICS_FROM" in run.stderr
    assert "nowhere" in run.stderr
