"""Plays the `steps` of a fault case: answers by host and path, bodies too big or too slow to write down among them."""

from __future__ import annotations

import asyncio
import base64
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tests.fetch.loopback import Answering, Asked, Wire

MIB = 1024 * 1024

_STEP_KEYS = {
    "match", "status", "headers", "body", "body_base64", "body_gen", "headers_gen", "hang_seconds", "delay_seconds", "times",
    "close",
}  # fmt: skip
_MATCH_KEYS = {"path", "host", "scheme", "method"}

# What describes a body or headers is read by how it is named: `…_mib`, `…_kib` and `…_bytes` are sizes, and so on.
_SIZE = re.compile(r"(?P<what>.*?)_?(?P<unit>mib|kib|bytes|size|length|len)(?:_each)?")
_UNITS = {"mib": 1024 * 1024, "kib": 1024}
_PACKED = re.compile(r"(?P<encoding>gzip|deflate|br|brotli|zstd)_of_.*")
_COUNTS = {"times", "count", "n", "number", "paragraphs", "lines", "headers"}
_TEXTS = {"repeat", "text", "unit", "pattern", "prefix", "suffix", "name", "name_prefix", "value", "line"}
_FLAGS = {"chunked", "endless", "forever", "infinite", "never_ends"}
_TIMES = {"every_seconds", "for_seconds"}


class Generated:
    """A `body_gen` or `headers_gen` as read. Raises AssertionError for a key that cannot be understood."""

    def __init__(self, gen: Mapping[str, Any], where: str) -> None:
        self.given = gen
        self.encoding: str | None = None
        self.size: int | None = None
        self.drip: int | None = None
        self.declared: int | None = None
        self.stop_after: int | None = None
        self.count = next((int(gen[key]) for key in gen if key in _COUNTS), 1)
        self.endless = any(gen.get(key) for key in ("endless", "forever", "infinite", "never_ends"))
        self.unit = str(next((gen[key] for key in ("repeat", "text", "unit", "pattern", "line") if key in gen), ""))
        for key, value in gen.items():
            if key in _COUNTS | _TEXTS | _FLAGS | _TIMES:
                continue
            match = _SIZE.fullmatch(key)
            assert match is not None and isinstance(value, int | float), f"unknown key in {where}: {key}"
            self._take(match["what"], int(value * _UNITS.get(match["unit"], 1)), key)

    def _take(self, what: str, size: int, key: str) -> None:
        packed = _PACKED.fullmatch(key)
        if packed is not None:
            self.encoding, self.size = packed["encoding"], size
        elif what == "drip":
            self.drip = size
        elif "declared" in what or what == "content":
            self.declared = size
        elif "after" in what:
            self.stop_after = size
        else:
            self.size = size
            self.unit = self.unit or ("\0" if "zero" in what else " " if "space" in what else "")


def answering(steps: list[dict[str, Any]]) -> Answering:
    """The server's part of a case. Raises AssertionError for a key that is not known."""
    for step in steps:
        known(step, _STEP_KEYS, "step")
        known(step["match"], _MATCH_KEYS, "match")
        Generated(step.get("body_gen", {}), "body_gen")
        Generated(step.get("headers_gen", {}), "headers_gen")
    played: dict[int, int] = {}

    async def answer(asked: Asked, wire: Wire) -> None:
        for number, step in enumerate(steps):
            if _matches(step["match"], asked) and played.get(number, 0) < step.get("times", 1_000_000):
                played[number] = played.get(number, 0) + 1
                await _play(step, wire)
                return
        await wire.answer(404, b"No step of the case answers this.", Content_Type="text/plain")

    return answer


def known(given: Mapping[str, Any], keys: set[str], where: str) -> None:
    """A case that asks for what nobody checks must not pass."""
    unknown = set(given) - keys
    assert not unknown, f"unknown key in {where}: {', '.join(sorted(unknown))}"


def _matches(match: Mapping[str, Any], asked: Asked) -> bool:
    path = match.get("path")
    return (
        (path is None or path in (asked.target, urlsplit(asked.target).path))
        and match.get("host", asked.host).lower() == asked.host.lower()
        and match.get("scheme", asked.scheme) == asked.scheme
        and match.get("method", asked.method) == asked.method
    )


async def _play(step: Mapping[str, Any], wire: Wire) -> None:
    if "delay_seconds" in step:
        await asyncio.sleep(step["delay_seconds"])
    headers = [
        (name, value)
        for name, values in step.get("headers", {}).items()
        for value in (values if isinstance(values, list) else [values])
    ]
    if "hang_seconds" in step:
        await asyncio.sleep(step["hang_seconds"])
    if "headers_gen" in step:
        headers += list(_generated_headers(Generated(step["headers_gen"], "headers_gen")))
    if "body_gen" in step:
        await _play_generated(step, headers, wire)
        return
    body = base64.b64decode(step["body_base64"]) if "body_base64" in step else step.get("body", "").encode("utf-8")
    named = {name.lower(): value for name, value in headers}
    if named.get("transfer-encoding", "").lower() == "chunked":
        await wire.head(step["status"], headers)
        for part in (body, b"") if body else (b"",):
            await wire.chunk(part)
        return
    if "content-length" not in named:
        headers.append(("Content-Length", str(len(body))))
    await wire.head(step["status"], headers)
    await wire.send(body)
    if step.get("close") or named.get("content-length", str(len(body))) != str(len(body)):
        wire.close()  # a server that lies about the length ends the body with the connection


async def _play_generated(step: Mapping[str, Any], headers: list[tuple[str, str]], wire: Wire) -> None:
    gen = Generated(step["body_gen"], "body_gen")
    blocks = _body(gen)
    if gen.declared is not None:
        await wire.head(step["status"], [*headers, ("Content-Length", str(gen.declared))])
        await _send_all(blocks, gen.stop_after, wire.send)
        wire.abort()
        return
    # Whether it is chunked or ends with the connection comes to the same for the client.
    await wire.head(step["status"], [*headers, ("Transfer-Encoding", "chunked")])
    await _send_all(blocks, gen.stop_after, wire.chunk)
    if gen.stop_after is not None:
        wire.abort()
        return
    await wire.chunk(b"")


async def _send_all(blocks: AsyncIterator[bytes], limit: int | None, send: Callable[[bytes], Any]) -> None:
    sent = 0
    async for block in blocks:
        if limit is not None and sent + len(block) > limit:
            await send(block[: limit - sent])
            return
        sent += len(block)
        await send(block)


async def _body(gen: Generated) -> AsyncIterator[bytes]:
    if gen.drip is not None:
        every = gen.given.get("every_seconds", 0.5)
        for _ in range(int(gen.given.get("for_seconds", 3600) / every)):
            yield b"." * gen.drip
            await asyncio.sleep(every)
        return
    if "prefix" in gen.given:
        yield gen.given["prefix"].encode()
    for block in _blocks(gen):
        yield block
        await asyncio.sleep(0)
    if "suffix" in gen.given:
        yield gen.given["suffix"].encode()


def _blocks(gen: Generated) -> Iterator[bytes]:
    if gen.encoding is not None:
        yield from _COMPRESSORS[gen.encoding]((gen.size or 0) // MIB)
        return
    unit = (gen.unit or "words and more words, ").encode()
    size = len(unit) * gen.count if gen.size is None else gen.size
    block = unit * (65_536 // len(unit) + 1)
    while gen.endless or size > 0:
        yield block if gen.endless else block[:size]
        size -= len(block)


def _gzip(mib: int, wbits: int = 31) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    for _ in range(mib):
        yield from (part for part in (packer.compress(b"\0" * MIB),) if part)
    yield packer.flush()


def _brotli(mib: int) -> Iterator[bytes]:
    import brotli

    packer = brotli.Compressor(quality=5)
    for _ in range(mib):
        yield from (part for part in (packer.process(b"\0" * MIB),) if part)
    yield packer.finish()


def _zstd(mib: int) -> Iterator[bytes]:
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    for _ in range(mib):
        yield from (part for part in (packer.compress(b"\0" * MIB),) if part)
    yield packer.flush()


_COMPRESSORS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": lambda mib: _gzip(mib, 15),
    "br": _brotli,
    "brotli": _brotli,
    "zstd": _zstd,
}


def _generated_headers(gen: Generated) -> Iterator[tuple[str, str]]:
    name = str(gen.given.get("name", gen.given.get("name_prefix", "X-Filler")))
    count = 100_000 if gen.endless else gen.count
    value = str(gen.given.get("value", "x" * (gen.size or 1024)))
    for number in range(count):
        yield f"{name}-{number}" if count > 1 else name, value
