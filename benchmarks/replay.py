"""Reads a generated session log, mostly other events as real ones are, beside plain decoding of each of its lines.

`python -m benchmarks.replay [--mb 1024] [--calls 20000]` prints MB/s, calls/s, time to the first call and peak memory of
each way, every one in a process of its own. The log lies in a temporary folder and is deleted afterwards.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_WORDS = [
    "harbour",
    "tide",
    "quay",
    "mooring",
    "pilot",
    "ferry",
    "lantern",
    "chart",
    "buoy",
    "anchor",
    "rope",
    "sail",
    "keel",
    "cargo",
    "crane",
    "dock",
    "gale",
    "fog",
    "bell",
    "knot",
    "fathom",
    "berth",
    "hull",
    "mast",
    "deck",
    "crew",
    "port",
    "lock",
    "ebb",
    "flood",
    "spring",
    "neap",
    "channel",
    "beacon",
    "ledger",
    "permit",
    "dues",
    "notice",
]
_WAYS = ("webcards", "webcards-index", "orjson", "json")


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


def _sources(rng: random.Random) -> list[dict[str, str]]:
    return [
        {
            "url": f"https://{rng.choice(_WORDS)}.example/{rng.choice(_WORDS)}/{rng.randrange(10**6)}",
            "title": _text(rng, 7).capitalize(),
            "snippet": _text(rng, 25),
            "publishedAt": f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        }
        for _ in range(rng.randrange(3, 9))
    ]


def _event(kind: str, seq: int, data: dict[str, Any]) -> bytes:
    event = {"type": kind, "seq": seq, "time": 1785078727718 + seq, "data": data}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _call(rng: random.Random, seq: int, name: str, args: dict[str, Any], text: str, meta: Any) -> Iterator[bytes]:
    call_id = f"call_{seq:09d}_{rng.randrange(10**9):09d}"
    yield _event(
        "tool/call", seq, {"turn": 1, "step": seq, "callId": call_id, "name": name, "arguments": json.dumps(args)}
    )
    part = {"type": "tool-result", "toolCallId": call_id, "content": [{"type": "text", "text": text}], "isError": False}
    message = {"source": {"kind": "tool", "callId": call_id}, "content": [part], "role": "user", "id": f"m{seq}"}
    data = {"turn": 1, "step": seq, "message": message}
    yield _event("tool/result", seq + 1, {**data, "meta": meta} if meta is not None else data)


def _other_step(rng: random.Random, seq: int) -> Iterator[bytes]:
    """A step of the model without the web: its thoughts and words in pieces, a shell call, the message as a whole."""
    where = {"turn": 1, "step": seq}
    yield _event("step/start", seq, where)
    texts = [" " + word for word in rng.choices(_WORDS, k=60)]
    yield _event(
        "reasoning-chunks", seq, {**where, "index": 0, "dt": [rng.randrange(60) for _ in texts], "texts": texts}
    )
    for piece in range(30):
        chunk = {"type": "text-delta", "index": 1, "text": f" {rng.choice(_WORDS)}"}
        yield _event("assistant/chunk", seq + piece, {**where, "chunk": chunk})
    said = {"type": "text", "text": _text(rng, 150)}
    message = {"role": "assistant", "content": [{"type": "reasoning", "text": "".join(texts)}, said], "id": f"a{seq}"}
    yield _event(
        "assistant/message", seq + 12, {**where, "message": message, "sourceEventSeqs": list(range(seq, seq + 90))}
    )
    yield from _call(rng, seq + 13, "bash", {"command": _text(rng, 6)}, _text(rng, 500), None)
    yield _event("step/end", seq + 15, where)


def _web_step(rng: random.Random, seq: int) -> Iterator[bytes]:
    if rng.random() < 0.7:
        sources = _sources(rng)
        lines = [f"- [{item['title']}]({item['url']}) — {item['snippet']} ({item['publishedAt']})" for item in sources]
        meta: dict[str, Any] = {"sources": sources, "truncated": rng.random() < 0.3}
        yield from _call(rng, seq, "web_search", {"queries": [_text(rng, 4)]}, "Sources:\n" + "\n".join(lines), meta)
    else:
        url = f"https://{rng.choice(_WORDS)}.example/{rng.randrange(10**6)}"
        status = rng.choice((200, 200, 200, 301, 404, 500))
        meta = {"url": url, "statusCode": status, "truncated": rng.random() < 0.2}
        yield from _call(
            rng, seq, "web_fetch", {"url": url}, f"Fetched {url} (HTTP {status})\n\n{_text(rng, 300)}", meta
        )


def generate(path: Path, size: int, calls: int) -> tuple[int, int]:
    """Writes a log of about `size` bytes with `calls` web calls spread over it. Gives its size and its lines."""
    rng = random.Random(1912)
    # Other steps are drawn from a pool: making each anew would take longer than all the readings together.
    pool = [b"".join(_other_step(rng, seq * 20)) for seq in range(400)]
    written = lines = made = 0
    with path.open("wb") as file:
        head = (
            json.dumps({"type": "session", "version": 0, "id": "benchmark", "createdAt": 1785078727712}).encode()
            + b"\n"
        )
        file.write(head)
        while written < size or made < calls:
            if made < calls and written * calls >= size * made:
                part = b"".join(_web_step(rng, made * 20))
                made += 1
            else:
                part = rng.choice(pool)
            file.write(part)
            written, lines = written + len(part), lines + part.count(b"\n")
    return written, lines


def _read_calls(path: Path) -> tuple[int, float]:
    from webcards import logs

    begun, first, count = time.perf_counter(), 0.0, 0
    for _ in logs.read(path):
        count += 1
        first = first or time.perf_counter() - begun
    return count, first


def _index_calls(path: Path) -> tuple[int, float]:
    from webcards.logs.index import LogIndex, Progress
    from webcards.logs.indexing import Indexing

    begun, first = time.perf_counter(), 0.0

    def told(progress: Progress) -> None:
        nonlocal first
        if progress.calls and not first:
            first = time.perf_counter() - begun

    with LogIndex.open(path.with_suffix(".index")) as index:
        Indexing(index, path, on_progress=told).run()
        return index.count(), first


def _decode_lines(loads: Callable[[bytes], Any]) -> Callable[[Path], tuple[int, float]]:
    def run(path: Path) -> tuple[int, float]:
        count = 0
        with path.open("rb") as file:
            for line in file:
                loads(line)
                count += 1
        return count, 0.0

    return run


def _one(way: str, path: Path) -> None:
    """Runs one way in this process and prints its figures as JSON."""
    if way == "orjson":
        import orjson

        run = _decode_lines(orjson.loads)
    else:
        run = {"webcards": _read_calls, "webcards-index": _index_calls, "json": _decode_lines(json.loads)}[way]
    if way.startswith("webcards"):
        # Loading the code is no part of reading a log.
        from webcards.logs import indexing
        from webcards.logs.formats import all_formats

        all_formats()
        _ = indexing
    begun, busy = time.perf_counter(), time.process_time()
    count, first = run(path)
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"count": count, "seconds": seconds, "busy": busy, "first": first, "peak": peak}))


def main(argv: list[str] | None = None) -> None:
    """Generates the log, runs every way on it, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=1024, help="size of the log in MB")
    parser.add_argument("--calls", type=int, default=20_000, help="web calls in it")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each way; the best counts")
    parser.add_argument("--one", nargs=2, metavar=("WAY", "PATH"), help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.one:
        _one(given.one[0], Path(given.one[1]))
        return
    with tempfile.TemporaryDirectory(prefix="webcards-logs-") as folder:
        path = Path(folder) / "session.jsonl"
        size, lines = generate(path, given.mb << 20, given.calls)
        print(f"log: {size / 2**20:.0f} MB, {lines} lines, {given.calls} web calls")
        best: dict[str, dict[str, float]] = {}
        for _ in range(given.rounds):
            for way in _WAYS:
                command = [sys.executable, "-m", "benchmarks.replay", "--one", way, str(path)]
                figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                if way not in best or figures["busy"] < best[way]["busy"]:
                    best[way] = figures
        print(
            "by processor time, which other work on the machine changes less than the clock; MB/s by the clock beside it"
        )
        print(
            f"{'way':16}{'MB/s':>8}{'of orjson':>11}{'by clock':>10}{'calls/s':>10}{'first card':>12}{'peak memory':>13}"
        )
        for way, figures in best.items():
            seconds = figures["busy"]
            rate, clock = size / 2**20 / seconds, size / 2**20 / figures["seconds"]
            ratio = best["orjson"]["busy"] / seconds
            calls = f"{figures['count'] / seconds:.0f}" if way.startswith("webcards") else "-"
            first = f"{figures['first'] * 1000:.0f} ms" if figures["first"] else "-"
            print(
                f"{way:16}{rate:8.0f}{ratio:10.2f}x{clock:10.0f}{calls:>10}{first:>12}{figures['peak'] / 1024:10.0f} MB"
            )


if __name__ == "__main__":
    main()
