"""A coverage-guided run over what reads bytes from the network: decoding, URLs, Location, Refresh, cookies, robots.txt.

`python -m tests.fetch.fuzz_network [libFuzzer options]`, for instance `-max_total_time=60`. It wants atheris
(`pip install atheris`), which is no requirement of the tests: what it found is kept as a test among the others.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["webcards.fetch", "protego"]):
    from protego import Protego

    from webcards.contract import WebError
    from webcards.fetch.cookies import ChainCookies
    from webcards.fetch.decoding import BodyDecoder, UndecodableError
    from webcards.fetch.redirects import Chain, location_of, refresh_of
    from webcards.fetch.retrieve import _as_httpx, refresh_target
    from webcards.fetch.robots import _rules_of
    from webcards.fetch.url import parse_url

LIMIT = 20_000
ENCODINGS = ("gzip", "deflate", "br", "zstd", "gzip, gzip", "deflate, br", "zstd, gzip", "identity", "compress", "")


def one_input(data: bytes) -> None:
    """Everything that a hostile server says is read, or refused with a WebError: nothing else may be raised."""
    given = atheris.FuzzedDataProvider(data)
    encoding = ENCODINGS[given.ConsumeIntInRange(0, len(ENCODINGS) - 1)]
    step = given.ConsumeIntInRange(1, 64)
    text = given.ConsumeUnicode(60)
    rest = given.ConsumeBytes(4000)
    decoder = BodyDecoder(limit=LIMIT)
    try:
        decoder.undo(encoding)
        for start in range(0, len(rest), step):
            decoder.feed(rest[start : start + step])
    except (UndecodableError, WebError):
        pass
    assert len(decoder.body) <= LIMIT

    base = parse_url("https://a.example/dir/page?q#f")
    for target in (text, refresh_of(text)):
        try:
            if refresh_target(base, target) is not None and target is not None:
                Chain(base, limit=3).follow(base, target, 302)
            _as_httpx(parse_url(text))
            location_of(302, [rest[:80]])
        except WebError:
            continue
    cookies = ChainCookies()
    cookies.take(base, [text])
    assert cookies.header(base).isprintable()
    _rules_of(rest).can_fetch(base.href, "WebCards")
    assert isinstance(_rules_of(rest), Protego)


if __name__ == "__main__":
    atheris.Setup([*sys.argv, "-timeout=10", "-rss_limit_mb=1024"], one_input)
    atheris.Fuzz()
