"""Content-Encoding undone with a bound: right for what servers send, stopped early for what attackers send."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.bombs import MIB, bomb, in_own_process
from webcards.contract import WebError
from webcards.fetch.decoding import MAX_STAGES, BodyDecoder, UndecodableError

TEXT = ("The harbour office keeps a ledger of every boat. " * 4000).encode()


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: bytes(brotli.compress(data)),
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}


def decode(encoding: str | None, data: bytes, *, limit: int = 10 * MIB, step: int = 65_536) -> BodyDecoder:
    """The body, fed in pieces."""
    decoder = BodyDecoder(limit=limit)
    decoder.undo(encoding)
    for start in range(0, len(data), step):
        if decoder.full:
            break
        decoder.feed(data[start : start + step])
    return decoder


@pytest.mark.parametrize("encoding", ENCODERS)
@pytest.mark.parametrize("step", [1, 7, 1000, 65_536])
def test_a_body_is_the_same_however_it_arrives(encoding: str, step: int) -> None:
    text = TEXT[:20_000]
    decoder = decode(encoding, ENCODERS[encoding](text), step=step)
    assert (bytes(decoder.body), decoder.full, decoder.complete) == (text, False, True)


@pytest.mark.parametrize("header", [None, "", "identity", "none", " , ", "utf-8", "binary", "8bit"])
def test_a_header_that_names_no_encoding_changes_nothing(header: str | None) -> None:
    assert bytes(decode(header, TEXT).body) == TEXT


@pytest.mark.parametrize("header", ["GZIP", " gzip ", "identity, gzip", "gzip,", ", gzip ,identity"])
def test_the_header_is_read_leniently(header: str) -> None:
    assert bytes(decode(header, gzip.compress(TEXT)).body) == TEXT


def test_deflate_is_undone_in_both_forms_that_servers_send() -> None:
    assert bytes(decode("deflate", zlib.compress(TEXT)).body) == TEXT
    assert bytes(decode("deflate", bare_deflate(TEXT), step=1).body) == TEXT


@pytest.mark.parametrize("first", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("second", ["gzip", "deflate", "br", "zstd"])
def test_stacked_encodings_are_undone_from_the_last(first: str, second: str) -> None:
    packed = ENCODERS[second](ENCODERS[first](TEXT))
    assert bytes(decode(f"{first}, {second}", packed, step=977).body) == TEXT


def test_more_encodings_than_any_server_stacks_are_refused() -> None:
    with pytest.raises(WebError) as refused:
        BodyDecoder(limit=1).undo(", ".join(["gzip"] * (MAX_STAGES + 1)))
    assert refused.value.code == "WEB_PROVIDER_ERROR"


def test_gzip_members_one_after_the_other_are_one_body_and_rubbish_after_the_last_is_left_out() -> None:
    packed = gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:2000]) + b"\0" * 300 + b"rubbish"
    for step in (1, 3, 65_536):
        decoder = decode("gzip", packed, step=step)
        assert (bytes(decoder.body), decoder.complete) == (TEXT[:2000], True)


def test_zstd_frames_one_after_the_other_are_one_body() -> None:
    packer = zstandard.ZstdCompressor()
    packed = packer.compress(TEXT[:1000]) + packer.compress(TEXT[1000:2000])
    assert bytes(decode("zstd", packed, step=5).body) == TEXT[:2000]


def test_zstd_that_asks_for_a_window_beyond_the_webs_is_refused() -> None:
    big = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(window_log=27)).compressobj()
    with pytest.raises(UndecodableError):
        decode("zstd", big.compress(TEXT) + big.flush())


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_body_that_breaks_off_keeps_what_came_and_is_not_complete(encoding: str) -> None:
    noise = random.Random(7).randbytes(300_000).hex().encode()
    packed = ENCODERS[encoding](noise)
    decoder = decode(encoding, packed[: len(packed) * 2 // 3])
    assert noise.startswith(bytes(decoder.body))
    assert len(decoder.body) > 10_000
    assert not decoder.complete or encoding == "zstd"


@pytest.mark.parametrize("encoding", ENCODERS)
def test_bytes_that_are_not_what_the_header_says_are_told(encoding: str) -> None:
    with pytest.raises(UndecodableError, match="not valid"):
        decode(encoding, b"\x00\xff\xfe\x01" * 500)


@pytest.mark.parametrize("encoding", ENCODERS)
def test_plain_text_under_the_name_of_an_encoding_is_taken_as_what_it_is(encoding: str) -> None:
    assert bytes(decode(encoding, b"<!doctype html><p>never packed" * 50).body).startswith(b"<!doctype html>")


def test_an_encoding_that_nobody_can_undo_is_refused_by_name() -> None:
    with pytest.raises(WebError) as refused:
        decode("compress", b"\x1f\x9d\x90" + bytes(range(256)))
    assert refused.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert "'compress'" in refused.value.message


def test_an_invented_encoding_on_plain_text_does_no_harm() -> None:
    assert bytes(decode("application/text", TEXT).body) == TEXT


@pytest.mark.parametrize("encoding", [None, *ENCODERS])
def test_the_limit_is_exact_and_a_body_that_just_fits_is_whole(encoding: str | None) -> None:
    packed = TEXT if encoding is None else ENCODERS[encoding](TEXT)
    fits, cut = decode(encoding, packed, limit=len(TEXT)), decode(encoding, packed, limit=len(TEXT) - 1)
    assert (len(fits.body), fits.full) == (len(TEXT), False)
    assert (bytes(cut.body), cut.full) == (TEXT[:-1], True)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, zstd"])
def test_160_mib_of_zeros_in_any_encoding_costs_at_most_64_mib(encoding: str, tmp_path: Path) -> None:
    told = in_own_process(encoding, tmp_path)
    assert told["truncated"]
    assert told["decoded"] == 10_000_000 or "," in encoding
    assert told["growth_mib"] <= 64


def test_an_inner_encoding_that_gives_nothing_out_is_stopped_too() -> None:
    # Empty stored blocks of deflate: megabytes go in, nothing comes out, so a limit on the output alone is never met.
    inner = b"\x78\x01" + b"\x00\x00\x00\xff\xff" * (8 * MIB // 5)
    decoder = decode("deflate, gzip", gzip.compress(inner, 1), limit=MIB)
    assert decoder.full
    assert not decoder.body


def test_a_bomb_is_no_bigger_than_a_body() -> None:
    assert len(bomb("br")) < 2000


@given(st.binary(max_size=3000), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate", "x"]))
def test_no_bytes_make_it_fail_in_another_way(data: bytes, encoding: str) -> None:
    try:
        decoder = decode(encoding, data, limit=5000, step=64)
    except (UndecodableError, WebError):
        return
    assert len(decoder.body) <= 5000


@given(
    st.binary(max_size=5000),
    st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd"]), min_size=1, max_size=3),
    st.integers(1, 5000),
)
def test_whatever_is_packed_comes_back(data: bytes, encodings: list[str], step: int) -> None:
    packed = data
    for encoding in encodings:
        packed = ENCODERS[encoding](packed)
    assert bytes(decode(", ".join(encodings), packed, step=step).body) == data
