"""Feeds damaged logs to the readers for as long as one likes: `python -m benchmarks.fuzz_logs [--inputs N]`.

With atheris installed the inputs are led by coverage; without it they are mutations of recorded and made logs. Prints
how many inputs were read and how fast; the first that is not survived is kept in a file and ends the run.
"""

import argparse
import random
import sys
import time
from pathlib import Path

from tests.logs.test_fuzz import _samples, survives


def _mutated(rng: random.Random, samples: list[bytes]) -> bytes:
    """A sample with a few bytes changed, cut, doubled or taken from another sample."""
    data = bytearray(rng.choice(samples)[: rng.choice((500, 3_000, 40_000))])
    for _ in range(rng.randrange(1, 6)):
        if not data:
            break
        at, length = rng.randrange(len(data)), rng.randrange(1, 40)
        match rng.randrange(5):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length]
            case 3:
                other = rng.choice(samples)
                begin = rng.randrange(len(other))
                data[at : at + length] = other[begin : begin + length * 4]
            case _:
                data[at:at] = rng.choice((b"null", b"[]", b"{}", b'""', b"-1", b"\n", b"\\ud800", b"\0" * 9, b"1e999"))
    return bytes(data)


def _keep(data: bytes) -> Path:
    path = Path("fuzz-failure.bin")
    path.write_bytes(data)
    return path


def _by_mutation(inputs: int, seed: int) -> None:
    rng, samples = random.Random(seed), _samples()
    begun = time.monotonic()
    for number in range(1, inputs + 1):
        data = _mutated(rng, samples)
        try:
            survives(data)
        except Exception:
            print(f"input {number} of seed {seed} was not survived; it is kept in {_keep(data)}")
            raise
        if number % 10_000 == 0 or number == inputs:
            seconds = time.monotonic() - begun
            print(f"{number} inputs in {seconds:.0f} s, {number / seconds:.0f} a second, none lost", flush=True)


def _by_coverage(inputs: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["webcards.logs"]):
        from webcards.logs.formats import all_formats

        all_formats()

    def one(data: bytes) -> None:
        survives(data or b" ")

    corpus = Path("/tmp") / "webcards-log-corpus"
    corpus.mkdir(exist_ok=True)
    for number, sample in enumerate(_samples()):
        (corpus / str(number)).write_bytes(sample[:20_000])
    atheris.Setup([sys.argv[0], f"-runs={inputs}", "-max_len=20000", "-timeout=60", str(corpus)], one)
    atheris.Fuzz()


def main() -> None:
    """Runs the fuzzer that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--coverage", action="store_true", help="let atheris lead the inputs")
    given = parser.parse_args()
    if given.coverage:
        _by_coverage(given.inputs)
    else:
        _by_mutation(given.inputs, given.seed)


if __name__ == "__main__":
    main()
