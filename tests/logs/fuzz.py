"""Feeds damaged logs to the readers: `python -m tests.logs.fuzz --inputs 1000000 [--seed 1] [--coverage]`.

First a wrong value of every type at every key of every sample, then mutations drawn by seed and number; with
`--coverage` atheris leads the inputs. An input that raises, or needs more than ten seconds of processor time, is a
break: it is kept in a file, named by the place where it broke, and the run goes on; `--again FILE` runs one anew.
"""

import argparse
import gzip
import io
import json
import random
import signal
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import zstandard

from tests.logs.test_fuzz import samples, survives

_SECONDS = 10
# The step of a path that leads into the JSON that a text holds.
_IN_TEXT = object()
_LARGEST = 40_000
_WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "\x00\u2028\ud800",
    "[]",
    '{"a":',
    '{"type": "web_search_result", "url": "https://a.example/"}',
    [],
    [None],
    [[]],
    ["x", 1, {}],
    {},
    {"type": 1},
    {"url": None, "title": [], "text": {}},
)
_BITS = (b"null", b"[]", b"{}", b'""', b"-1", b"\n", b"\\ud800", b"\0" * 9, b"1e999", b'"', b"\\", b"}", b"]", b",")


class Hang(BaseException):
    """An input that took too long; no `except Exception` of a reader may swallow it."""


def wrong_at_every_key() -> Iterator[bytes]:
    """Every sample with every value at every key; of long lists, the first two items stand for all."""
    for rows in _parsed():
        for number, row in enumerate(rows):
            for path in _paths(row):
                for value in _WRONG:
                    changed = [*rows[:number], _with(row, path, value), *rows[number + 1 :]]
                    yield _text(changed)


def _parsed() -> list[list[Any]]:
    """The samples that are JSON or JSON Lines, as rows; of long ones the first rows."""
    found = []
    for sample in samples():
        try:
            found.append([json.loads(sample)])
        except ValueError:
            rows = []
            for line in sample.decode("utf-8", "replace").split("\n")[:12]:
                try:
                    rows.append(json.loads(line.removeprefix("data:")))
                except ValueError:
                    continue
            if rows:
                found.append(rows)
    return [[_short(row) for row in rows] for rows in found]


def _short(value: Any) -> Any:
    """The same structure with shorter texts and lists: what is wrong with a value does not depend on their length."""
    match value:
        case str() if len(value) > 300 and value[:1] not in '{["':
            return value[:200] + value[-60:]
        case list():
            return [_short(item) for item in value[:3]]
        case dict():
            return {key: _short(item) for key, item in value.items()}
        case _:
            return value


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every part of a value, in JSON inside its texts as well; of a list, the first two items'."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value[:2]):
            yield from _paths(item, (*path, place))
    elif isinstance(value, str) and isinstance(inner := _inner(value), dict | list):
        yield from _paths(inner, (*path, _IN_TEXT))


def _inner(text: str) -> Any:
    try:
        return json.loads(text) if text[:1] in ("{", "[") else None
    except ValueError:
        return None


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if path[0] is _IN_TEXT:
        return json.dumps(_with(_inner(value), path[1:], new))
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _with(value[path[0]], path[1:], new)
    return changed


def _text(rows: list[Any]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-8", "surrogatepass")


def mutated(rng: random.Random) -> bytes:
    """One input: a sample with its bytes damaged, its parts exchanged, put together with another, nested or packed."""
    match rng.randrange(12):
        case 0:
            data = _exchanged(rng)
        case 1:
            data = _nested(rng)
        case 2:
            data = b"\n".join(_piece(rng) for _ in range(rng.randrange(2, 5)))
        case 3:
            data = b"\n\n".join(b"data: " + line for line in _bytes(rng).split(b"\n")[:40])
        case 4:
            data = rng.randbytes(rng.randrange(1, 300))
        case 5:
            return bytes(_damaged(rng, _packed(rng, _bytes(rng))))
        case _:
            data = _bytes(rng)
    return bytes(_damaged(rng, data)) if rng.random() < 0.9 else data


def _bytes(rng: random.Random) -> bytes:
    return rng.choice(samples())[: rng.choice((500, 2_000, 2_000, 6_000, 6_000, _LARGEST))]


def _piece(rng: random.Random) -> bytes:
    lines = _bytes(rng).split(b"\n")
    begin = rng.randrange(len(lines))
    return b"\n".join(lines[begin : begin + rng.randrange(1, 9)])


def _exchanged(rng: random.Random) -> bytes:
    """Parts of one sample in places of another, of the same key where there is one."""
    rows, others = rng.choice(_rows()), rng.choice(_rows())
    target, source = rng.choice(rows), rng.choice(others)
    places, parts = list(_paths(target)), list(_paths(source))
    for _ in range(rng.randrange(1, 4)):
        place = rng.choice(places)
        same = [part for part in parts if place and part and part[-1] == place[-1]]
        try:
            target = _with(target, place, _at(source, rng.choice(same or parts)))
        except (KeyError, IndexError, TypeError):
            break
    return _text([*rng.choice(_rows())[:3], target, *rows[:3]])


_rows_read: list[list[Any]] = []


def _rows() -> list[list[Any]]:
    if not _rows_read:
        _rows_read.extend(_parsed())
    return _rows_read


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = _inner(value) if key is _IN_TEXT else value[key]
    return value


def _nested(rng: random.Random) -> bytes:
    """A sample inside many lists or objects, or inside a string inside a string."""
    data, depth = _bytes(rng)[:3_000], rng.choice((3, 60, 700, 4_000))
    if rng.random() < 0.3:
        text = data.decode("utf-8", "replace")
        for _ in range(rng.randrange(1, 5)):
            text = json.dumps(text if rng.random() < 0.5 else {"content": [{"type": "text", "text": text}]})
        return text.encode()
    before, after = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"content":[', b"]}"), (b'[{"output":', b"}]")))
    return before * depth + data + after * depth


def _packed(rng: random.Random, data: bytes) -> bytes:
    match rng.randrange(4):
        case 0:
            return gzip.compress(data, 1)
        case 1:
            return zstandard.ZstdCompressor(level=1).compress(data)
        case 2:
            return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32", "utf-16-le")))
        case _:
            target = io.BytesIO()
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("a.jsonl", data)
                archive.writestr("b/c.json", _bytes(rng))
            return target.getvalue()


def _damaged(rng: random.Random, original: bytes) -> bytearray:
    data = bytearray(original)
    for _ in range(rng.randrange(1, 8)):
        if not data:
            return bytearray(b"{")
        at, length = rng.randrange(len(data)), rng.randrange(1, 60)
        match rng.randrange(7):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = data[at : at + length]
            case 4:
                other = rng.choice(samples())
                begin = rng.randrange(len(other))
                data[at : at + length] = other[begin : begin + length * 4]
            case 5 if rng.random() < 0.2:
                del data[at:]
            case _:
                data[at:at] = rng.choice(_BITS)
    return data or bytearray(b"{")


class Run:
    """Feeds inputs, counts them, and keeps those that were not survived."""

    def __init__(self, keep: Path) -> None:
        self._keep, self._begun = keep, time.monotonic()
        self.inputs, self.breaks = 0, Counter[str]()
        self.slowest = 0.0
        signal.signal(signal.SIGVTALRM, _too_slow)

    def feed(self, data: bytes) -> None:
        """Reads one input to its end, in bounded time."""
        self.inputs += 1
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
        try:
            survives(data, masked=self.inputs % 5 == 0)
        except (Exception, Hang) as error:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self._broken(data, error)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.slowest = max(self.slowest, time.process_time() - begun)
        if self.inputs % 10_000 == 0:
            self.tell()

    def _broken(self, data: bytes, error: BaseException) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f for f in reversed(frames) if "webcards" in f.filename), frames[-1])
        what = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
        self.breaks[what] += 1
        if self.breaks[what] > 3:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        name = what.replace(" ", "-").replace(":", "-").replace(".", "-")
        path = self._keep / f"{name}-{self.breaks[what]}.bin"
        path.write_bytes(data)
        print(f"input {self.inputs} was not survived: {what}: {str(error)[:200]!r}; it is kept in {path}", flush=True)

    def tell(self) -> None:
        """Prints how far the run is."""
        seconds = time.monotonic() - self._begun
        print(
            f"{self.inputs} inputs in {seconds:.0f} s, {self.inputs / seconds:.0f} a second, "
            f"{sum(self.breaks.values())} not survived, slowest {self.slowest:.2f} s of processor time",
            flush=True,
        )


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise Hang(f"more than {_SECONDS} s of processor time")


def _by_mutation(run: Run, inputs: int, seed: int) -> None:
    for data in wrong_at_every_key():
        if run.inputs >= inputs // 2:
            break
        run.feed(data)
    print(f"{run.inputs} inputs with a wrong value at a key", flush=True)
    for number in range(run.inputs, inputs):
        run.feed(mutated(random.Random(f"{seed}/{number}")))


def _by_coverage(run: Run, inputs: int, seed: int, folder: Path) -> None:
    import atheris

    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(samples()):
        (corpus / str(number)).write_bytes(sample[:20_000])
    options = [f"-runs={inputs}", f"-seed={seed}", "-max_len=20000", "-timeout=60", "-verbosity=0", str(corpus)]

    def one(data: bytes) -> None:
        run.feed(data or b" ")

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


def main() -> None:
    """Runs the fuzzer that is asked for; the status is 1 if an input was not survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--coverage", action="store_true", help="let atheris lead the inputs")
    parser.add_argument("--keep", type=Path, default=Path("/tmp/webcards-fuzz"), help="where breaking inputs go")
    parser.add_argument("--again", type=Path, nargs="+", help="run these kept inputs and nothing else")
    given = parser.parse_args()
    if given.again:
        for path in given.again:
            survives(path.read_bytes())
            print(f"{path} is survived")
        return
    if given.coverage:
        import atheris

        with atheris.instrument_imports(include=["webcards.logs", "webcards.contract"]):
            from webcards.logs.formats import all_formats

            all_formats()
    run = Run(given.keep)
    if given.coverage:
        _by_coverage(run, given.inputs, given.seed, given.keep)
    else:
        _by_mutation(run, given.inputs, given.seed)
    run.tell()
    sys.exit(1 if run.breaks else 0)


if __name__ == "__main__":
    main()
