"""Bodies that are small on the wire and huge once decoded, and a process of its own to measure what one costs.

`python -m tests.fetch.bombs ENCODING FILE` serves and fetches the file in one process, without reading the page, and
prints what came of it and by how many MiB the process grew.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.fetch.loopback import Asked, Wire, running
from tests.shared import ROOT
from webcards.fetch.page import Page

MIB = 1024 * 1024
HUGE = 160
"""MiB of zeros in a bomb."""


def gzip(blocks: Iterator[bytes], wbits: int = 31) -> Iterator[bytes]:
    packer = zlib.compressobj(6, zlib.DEFLATED, wbits)
    for block in blocks:
        yield packer.compress(block)
    yield packer.flush()


def brotli(blocks: Iterator[bytes]) -> Iterator[bytes]:
    import brotli as br

    packer = br.Compressor(quality=5, lgwin=24)
    for block in blocks:
        yield packer.process(block)
    yield packer.finish()


def zstd(blocks: Iterator[bytes]) -> Iterator[bytes]:
    import zstandard

    packer = zstandard.ZstdCompressor(level=3).compressobj()
    for block in blocks:
        yield packer.compress(block)
    yield packer.flush()


PACKERS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "gzip": gzip,
    "deflate": lambda blocks: gzip(blocks, 15),
    "br": brotli,
    "zstd": zstd,
}


@lru_cache(maxsize=4)
def bomb(encoding: str) -> bytes:
    """Zeros in an encoding, or in several ("gzip, br": first gzip, then br)."""
    blocks: Iterator[bytes] = (bytes(MIB) for _ in range(HUGE))
    for token in encoding.split(", "):
        blocks = PACKERS[token](blocks)
    return b"".join(blocks)


class NoReader:
    """Takes the body as it is: what is measured is the network half."""

    async def read(
        self, body: bytes, *, url: str, content_type: str | None, source_truncated: bool, raw: bool, deadline: float
    ) -> Page:
        return Page(kind="text", markdown="", text="", content_type="text/plain", cut=source_truncated)


async def fetch_bomb(encoding: str, body: bytes) -> dict[str, Any]:
    """What a fetch of the bomb brings, and the growth of this process in MiB."""

    async def answer(asked: Asked, wire: Wire) -> None:
        if asked.target == "/bomb":
            await wire.answer(200, body, Content_Type="text/html", Content_Encoding=encoding)
        else:
            await wire.answer(200, b"small", Content_Type="text/html")

    async with running(answer) as web:
        fetcher = web.fetcher(reader=NoReader())
        await fetcher.fetch("http://bomb.example/small")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        fetched = await fetcher.fetch("http://bomb.example/bomb")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "truncated": fetched.value.truncated,
        "decoded": fetched.details.bytes_decoded,
        "read": fetched.details.bytes_read,
        "growth_mib": (after - before) / 1024,
    }


def in_own_process(encoding: str, folder: Path) -> dict[str, Any]:
    """`fetch_bomb` where nothing has grown before: the bomb itself is made here."""
    file = folder / "bomb"
    file.write_bytes(bomb(encoding))
    command = [sys.executable, "-m", "tests.fetch.bombs", encoding, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    print(json.dumps(asyncio.run(fetch_bomb(sys.argv[1], Path(sys.argv[2]).read_bytes()))))
