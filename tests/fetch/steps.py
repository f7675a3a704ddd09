"""Plays the `steps` of a fault case: answers by host and path, bodies too big or too slow to write down among them."""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tests.fetch.loopback import Answering, Asked, Wire

MIB = 1024 * 1024

_STEP_KEYS = {
    "match",
    "status",
    "headers",
    "body",
    "body_base64",
    "body_gen",
    "headers_gen",
    "hang_seconds",
    "delay_seconds",
    "times",
}
_MATCH_KEYS = {"path", "host", "scheme", "method"}
_BODY_KEYS = {
    "gzip_of_zeros_mib", "deflate_of_zeros_mib", "br_of_zeros_mib", "brotli_of_zeros_mib", "zstd_of_zeros_mib",
    "zeros_mib", "mib", "bytes", "size_bytes", "size_mib", "repeat", "text", "times", "count", "prefix", "suffix",
    "drip_bytes", "every_seconds", "for_seconds", "endless", "chunked", "declared_length", "stop_after_bytes",
}  # fmt: skip
_HEADER_KEYS = {"count", "name", "value_bytes", "bytes", "size_bytes", "kib", "total_kib", "mib", "endless"}


def answering(steps: list[dict[str, Any]]) -> Answering:
    """The server's part of a case. Raises AssertionError for a key that is not known."""
    for step in steps:
        known(step, _STEP_KEYS, "step")
        known(step["match"], _MATCH_KEYS, "match")
        known(step.get("body_gen", {}), _BODY_KEYS, "body_gen")
        known(step.get("headers_gen", {}), _HEADER_KEYS, "headers_gen")
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
    headers += list(_generated_headers(step.get("headers_gen", {})))
    if "body_gen" in step:
        await _play_generated(step, headers, wire)
        return
    body = base64.b64decode(step["body_base64"]) if "body_base64" in step else step.get("body", "").encode("utf-8")
    if not any(name.lower() == "content-length" for name, _ in headers):
        headers.append(("Content-Length", str(len(body))))
    await wire.head(step["status"], headers)
    await wire.send(body)


async def _play_generated(step: Mapping[str, Any], headers: list[tuple[str, str]], wire: Wire) -> None:
    asked_for = step["body_gen"]
    blocks = _body(asked_for)
    limit = asked_for.get("stop_after_bytes")
    if "declared_length" in asked_for:
        await wire.head(step["status"], [*headers, ("Content-Length", str(asked_for["declared_length"]))])
        await _send_all(blocks, limit, wire.send)
        wire.abort()
        return
    # Without a length, and unless the case says so, the body is chunked all the same: it comes to the same for the client.
    await wire.head(step["status"], [*headers, ("Transfer-Encoding", "chunked")])
    await _send_all(blocks, limit, wire.chunk)
    if limit is not None:
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


async def _body(gen: Mapping[str, Any]) -> AsyncIterator[bytes]:
    if "prefix" in gen:
        yield gen["prefix"].encode()
    if "drip_bytes" in gen:
        for _ in range(int(gen["for_seconds"] / gen["every_seconds"])):
            yield b"." * gen["drip_bytes"]
            await asyncio.sleep(gen["every_seconds"])
        return
    for block in _blocks(gen):
        yield block
        await asyncio.sleep(0)
    if "suffix" in gen:
        yield gen["suffix"].encode()


def _blocks(gen: Mapping[str, Any]) -> Iterator[bytes]:
    for key, compress in _COMPRESSORS.items():
        if key in gen:
            yield from compress(gen[key])
            return
    unit = str(gen.get("repeat", gen.get("text", "\0" if "zeros_mib" in gen else "words and more words, "))).encode()
    size = next((gen[key] for key in ("bytes", "size_bytes") if key in gen), None)
    if size is None:
        mib = next((gen[key] for key in ("zeros_mib", "mib", "size_mib") if key in gen), None)
        times = gen.get("times", gen.get("count", 1))
        size = len(unit) * times if mib is None else mib * MIB
    block = unit * (65_536 // len(unit) + 1)
    while gen.get("endless") or size > 0:
        yield block if gen.get("endless") else block[:size]
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
    "gzip_of_zeros_mib": _gzip,
    "deflate_of_zeros_mib": lambda mib: _gzip(mib, 15),
    "br_of_zeros_mib": _brotli,
    "brotli_of_zeros_mib": _brotli,
    "zstd_of_zeros_mib": _zstd,
}


def _generated_headers(gen: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not gen:
        return
    name = gen.get("name", "X-Filler")
    count = 1_000_000 if gen.get("endless") else gen.get("count", 1)
    kib = next((gen[key] for key in ("kib", "total_kib") if key in gen), None)
    size = next((gen[key] for key in ("value_bytes", "bytes", "size_bytes") if key in gen), None)
    if size is None:
        size = gen["mib"] * MIB if "mib" in gen else (kib or 1) * 1024
    for number in range(count):
        yield f"{name}-{number}" if count > 1 else name, "x" * size
