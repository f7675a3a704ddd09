"""Starts the command line as a shell would: with its streams as they are given, one of them closed perhaps."""

import os
import shlex
import subprocess
import sys

from tests.shared import ROOT

WEBCARDS = f"{shlex.quote(sys.executable)} -m webcards"


def shell(line: str, *, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs a line of bash, in which `webcards` is the command line. The exit code is that of the line's first command."""
    script = f'webcards() {{ {WEBCARDS} "$@"; }}\n{line}\nexit ${{PIPESTATUS[0]}}'
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, input=stdin, capture_output=True, env={**os.environ, **(env or {})}
    )
