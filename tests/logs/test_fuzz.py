"""Whatever bytes come: calls or messages come out, never an exception; and what comes out can be shown and stored."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.logs.made import HEAD, call, fetch, result, search
from tests.logs.shapes import SHAPES
from tests.shared import ROOT
from webcards import logs
from webcards.contract.meta import Refusal
from webcards.logs.checks import Checks
from webcards.logs.masking import mask_call
from webcards.logs.replayed import replayed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@cache
def samples() -> list[bytes]:
    """Recorded logs where they lie beside the project, else made ones."""
    made = [HEAD + search("c1") + fetch("c2"), HEAD + call("c1") + result("c1", code="WEB_ABORTED")]
    folder = ROOT.parent / "shared" / "logs"
    recorded = [
        path.read_bytes() for path in sorted(Path(folder).rglob("*.*")) if path.is_file() and path.parent != folder
    ]
    return made + SHAPES + [data for data in recorded if len(data) < 40_000]


def survives(data: bytes, *, masked: bool = True) -> list[logs.LogItem]:
    """Reads a log to its end and does with every call what the page does (without the masking, the slowest part)."""
    items = list(logs.read_log(data))
    assert items, "not even a message came out"
    checks = Checks()
    calls = []
    for item in items:
        checks.take(item)
        if isinstance(item, logs.LogProblem):
            assert item.line >= 1
            assert item.column >= 1
            str(item).encode()
        elif isinstance(item, logs.LoggedCall):
            calls.append(item)
            view = logs.explain(item)
            assert isinstance(view, Refusal) == (logs.view_of(item) is None)
            json.dumps(replayed(item), default=str).encode()
            if masked:
                mask_call(item)
    checks.report()
    native = logs.session_text(logs.events_of(calls), session_id="s", created_at=0).encode()
    assert [logs.explain(again) for again in logs.read(native)] == [logs.explain(item) for item in calls]
    return items


@given(st.binary(max_size=400))
@RELAXED
def test_any_bytes_at_all_are_survived(data: bytes) -> None:
    survives(data)


@given(JSON)
@RELAXED
def test_any_json_at_all_is_survived(value: Any) -> None:
    survives(json.dumps(value).encode("utf-8", "surrogatepass"))


@given(st.integers(0, 2**32))
@RELAXED
def test_damaged_bytes_of_real_logs_are_survived(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(rng.choice(samples()))
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(data))
        match rng.randrange(5):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randrange(1, 60)]
            case 2:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
            case 3:
                other = rng.choice(samples())
                begin = rng.randrange(len(other))
                data[at:at] = other[begin : begin + 200]
            case _:
                del data[at:]
        if not data:
            data = bytearray(b"{")
    survives(bytes(data))


@given(st.integers(0, 2**32), JSON)
@RELAXED
def test_any_json_in_the_place_of_any_part_of_a_real_log_is_survived(seed: int, value: Any) -> None:
    rng = random.Random(seed)
    sample = rng.choice([data for data in samples() if data[:1] in b"{[" and data[:3] != b"[1]"])
    try:
        rows = [json.loads(sample)]
    except ValueError:
        rows = [json.loads(line) for line in sample.decode().split("\n") if line.strip()]
    for _ in range(rng.randrange(1, 4)):
        rows[rng.randrange(len(rows))] = _replaced(rng, rng.choice(rows), value)
    survives("\n".join(json.dumps(row) for row in rows).encode("utf-8", "surrogatepass"))


def _replaced(rng: random.Random, node: Any, value: Any) -> Any:
    """The same JSON with one part of it exchanged."""
    if isinstance(node, dict) and node and rng.random() < 0.85:
        key = rng.choice(list(node))
        return {**node, key: _replaced(rng, node[key], value)}
    if isinstance(node, list) and node and rng.random() < 0.85:
        place = rng.randrange(len(node))
        return [*node[:place], _replaced(rng, node[place], value), *node[place + 1 :]]
    return value


@pytest.mark.parametrize("depth", [100, 900, 5_000, 200_000])
def test_deep_nesting_is_survived(depth: int) -> None:
    survives(b"[" * depth + b"]" * depth)
    survives(b'{"a":' * depth + b"1" + b"}" * depth)
    survives(b"[" * depth + b'"\\ud83d"' + b"]" * depth)
    survives(HEAD + b'{"type":"tool/call","data":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}\n")


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity", "9" * 5_000, "1" * 400, "1e-999", "0.1" + "0" * 400])
def test_numbers_of_any_size_are_survived(number: str) -> None:
    survives(HEAD + f'{{"type":"tool/call","time":{number},"data":{{"callId":"c","name":"web_search"}}}}\n'.encode())
    meta = f'{{"url":"https://a.example/","statusCode":{number},"truncated":false}}'
    survives(HEAD + call("c", "web_fetch") + result("c", meta={"x": 1}).replace(b'{"x": 1}', meta.encode()))
