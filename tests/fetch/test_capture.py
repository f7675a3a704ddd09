"""Recording what is fetched as WARC and serving a WARC back as the web: ours, wget's, and what crawlers make."""

from __future__ import annotations

import asyncio
import gzip
import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import brotli
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.fetch.loopback import Asked, PlainReader, Wire, running, text_page
from webcards.contract import WebError
from webcards.fetch.details import Fetched
from webcards.fetch.fetcher import Fetcher
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport
from webcards.settings import read_settings

PAGE = text_page("Recorded", "Rain fills the stone cisterns. ")


async def site(asked: Asked, wire: Wire) -> None:
    """Pages of every kind that a capture must hold."""
    match asked.target:
        case "/":
            links = b'<a href="/chunked">c</a><a href="/packed">p</a><a href="/moved">m</a><a href="/gone">g</a>'
            await wire.answer(200, PAGE + links, Content_Type="text/html; charset=utf-8", Set_Cookie="id=s3cret")
        case "/moved":
            await wire.answer(301, b"", Location="/packed")
        case "/packed":
            await wire.answer(200, gzip.compress(PAGE), Content_Type="text/html", Content_Encoding="gzip")
        case "/chunked":
            await wire.head(200, [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")])
            for start in range(0, len(PAGE), 100):
                await wire.chunk(PAGE[start : start + 100])
            await wire.chunk(b"")
        case "/robots.txt":
            await wire.answer(200, b"User-agent: *\nAllow: /\n", Content_Type="text/plain")
        case _:
            await wire.answer(404, b"<p>Moved to the town archive", Content_Type="text/html")


async def replayed(path: Path, url: str, **given: Any) -> Fetched:
    """What a capture serves for a URL, with no network at all."""
    fetcher = Fetcher(read_settings(fetch_replay=str(path), **given), reader=PlainReader(), resolver=_NoNetwork())
    try:
        return await fetcher.fetch(url)
    finally:
        await fetcher.aclose()


class _NoNetwork:
    async def resolve(self, host: str, port: int) -> list[Any]:
        raise AssertionError(f"{host} was looked up")


def records(path: Path) -> list[tuple[str, str, str]]:
    """Type, URL and status (or method) of each record."""
    with path.open("rb") as file:
        return [
            (
                str(record.rec_type),
                str(record.rec_headers.get_header("WARC-Target-URI") or ""),
                "" if record.http_headers is None else str(record.http_headers.statusline),
            )
            for record in ArchiveIterator(file)
        ]


@pytest.mark.parametrize("name", ["day.warc.gz", "day.warc"])
async def test_everything_that_is_fetched_can_be_served_back_without_the_network(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    urls = [f"http://a.example{target}" for target in ("/", "/packed", "/chunked", "/moved", "/gone?x=a|b")]
    async with running(site) as web:
        fetcher = web.fetcher(reader=PlainReader(), fetch_record=str(path))
        live = [await fetcher.fetch(url) for url in urls]
    again = [await replayed(path, url) for url in urls]
    assert [one.value for one in again] == [one.value for one in live]
    assert [hop.url for hop in again[3].details.redirects] == ["http://a.example/moved"]
    assert [kind for kind, _, _ in records(path)] == ["warcinfo", *["response", "request"] * 6]
    assert ("response", "http://a.example/gone?x=a|b", "404 Told") in records(path)


async def test_nothing_secret_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "day.warc"
    async with running(site) as web:
        fetcher = web.fetcher(fetch_record=str(path), fetch_headers=("a.example=Authorization: Bearer s3cret",))
        await fetcher.fetch("http://a.example/")
    assert b"Rain fills" in path.read_bytes()
    assert b"s3cret" not in path.read_bytes()


async def test_several_fetches_at_once_are_recorded_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "day.warc.gz"
    async with running(site) as web:
        fetcher = web.fetcher(reader=PlainReader(), fetch_record=str(path))
        await asyncio.gather(*(fetcher.fetch(f"http://a.example/{number}") for number in range(20)))
    kinds = [kind for kind, _, _ in records(path)]
    assert kinds == ["warcinfo", *["response", "request"] * 20]


async def test_a_body_that_was_cut_is_marked_in_the_record(tmp_path: Path) -> None:
    async def endless(asked: Asked, wire: Wire) -> None:
        await wire.head(200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
        while True:
            await wire.chunk(b"on and on " * 1000)

    path = tmp_path / "day.warc"
    async with running(endless) as web:
        await web.fetcher(fetch_record=str(path), fetch_max_bytes=20_000).fetch("http://a.example/")
    with path.open("rb") as file:
        marks = {
            str(record.rec_type): record.rec_headers.get_header("WARC-Truncated") for record in ArchiveIterator(file)
        }
    assert marks["response"] == "length"


async def test_pages_of_the_library_are_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "day.warc.gz"
    fetcher = Fetcher(read_settings(fetch_record=str(path)), library=LibraryTransport(), library_hosts=LIBRARY_HOSTS)
    url = f"https://{min(LIBRARY_HOSTS)}/"
    await fetcher.fetch(url)
    await fetcher.aclose()
    assert ("response", url, "200 OK") in records(path)


async def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(WebError, match="WEBCARDS_FETCH_RECORD"):
        Fetcher(read_settings(fetch_record=str(tmp_path / "missing" / "day.warc")))
    async with running(site) as web:
        with pytest.raises(WebError, match="could not be recorded"):
            await web.fetcher(fetch_record=str(tmp_path)).fetch("http://a.example/")


# --- replay


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed (apt-get install wget)")
@pytest.mark.parametrize("compressed", [True, False])
async def test_a_capture_by_wget_is_served_back(tmp_path: Path, compressed: bool) -> None:
    async with running(site) as web:
        root = f"http://127.0.0.1:{web.http_port}"
        folder = f"--directory-prefix={tmp_path / 'files'}"
        command = ["wget", "--quiet", "--recursive", "--level=1", "--no-proxy", folder]
        command += [f"--warc-file={tmp_path / 'site'}", f"{root}/"]
        if not compressed:
            command.insert(1, "--no-warc-compression")
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60)
    # 8: the server answered with an error status, as /gone does.
    assert done.returncode in (0, 8), done.stderr
    path = tmp_path / ("site.warc.gz" if compressed else "site.warc")
    for target in ("/", "/chunked", "/packed"):
        fetched = await replayed(path, root + target)
        assert "Rain fills the stone cisterns." in fetched.value.body.content
        assert fetched.value.status_code == 200
    moved = await replayed(path, f"{root}/moved")
    assert (moved.value.url, len(moved.details.redirects)) == (f"{root}/packed", 1)
    gone = await replayed(path, f"{root}/gone")
    assert (gone.value.status_code, gone.value.body.content) == (404, "<p>Moved to the town archive")


def write(path: Path, *exchanges: tuple[str, str, list[tuple[str, str]], bytes], gzipped: bool = True) -> None:
    """A WARC as some other tool would have made it: type, URL, headers, body."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=gzipped)
        for kind, url, headers, body in exchanges:
            http = StatusAndHeaders("200 OK", headers, "HTTP/1.1")
            if kind == "revisit":
                record = writer.create_revisit_record(
                    url, "sha1:AAAA", body.decode(), "2026-11-30T00:00:00Z", http_headers=http
                )
            else:
                record = writer.create_warc_record(
                    url, kind, payload=io.BytesIO(body), length=len(body), http_headers=http
                )
            writer.write_record(record)


TEXT = [("Content-Type", "text/plain; charset=utf-8")]


async def test_what_a_crawler_has_decoded_already_is_not_decoded_twice(tmp_path: Path) -> None:
    # Crawlers that sit inside a browser see decoded bodies, and some leave the headers as the server sent them.
    path = tmp_path / "crawl.warc.gz"
    plain = b"Plain text, decoded by the browser. " * 20
    write(
        path,
        (
            "response",
            "https://a.example/1",
            [*TEXT, ("Content-Encoding", "br"), ("Transfer-Encoding", "chunked")],
            plain,
        ),
        ("response", "https://a.example/2", [*TEXT, ("x-orig-content-encoding", "br")], plain),
        ("response", "https://a.example/3", [*TEXT, ("Content-Encoding", "br")], brotli.compress(plain)),
        ("response", "https://a.example/4", [*TEXT, ("Transfer-Encoding", "chunked")], b"5\r\nfirst\r\n0\r\n\r\n"),
        ("response", "https://a.example/5", [*TEXT, ("Content-Length", "9999")], plain),
    )
    for number in (1, 2, 3, 5):
        assert (await replayed(path, f"https://a.example/{number}")).value.body.content.encode() == plain
    assert (await replayed(path, "https://a.example/4")).value.body.content == "first"


async def test_a_revisit_is_served_from_the_record_it_refers_to(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    write(
        path,
        ("response", "https://a.example/first", TEXT, b"seen before"),
        ("revisit", "https://a.example/second", TEXT, b"https://a.example/first"),
    )
    assert (await replayed(path, "https://a.example/second")).value.body.content == "seen before"


async def test_the_last_capture_of_a_page_is_served_and_either_scheme_finds_it(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    write(
        path,
        ("response", "http://a.example/", TEXT, b"old"),
        ("request", "http://a.example/", TEXT, b""),
        ("response", "http://a.example/", TEXT, b"new"),
        gzipped=False,
    )
    assert (await replayed(path, "http://A.example:80/#part")).value.body.content == "new"
    assert (await replayed(path, "https://a.example/")).value.body.content == "new"


async def test_a_folder_and_a_wacz_are_served_like_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    write(folder / "one.warc.gz", ("response", "http://a.example/1", TEXT, b"one"))
    write(folder / "two.warc", ("response", "http://a.example/2", TEXT, b"two"), gzipped=False)
    (folder / "notes.txt").write_text("no archive")
    packed = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(folder / "one.warc.gz", "archive/one.warc.gz")
        archive.write(folder / "two.warc", "archive/two.warc")
        archive.writestr("datapackage.json", "{}")
    for path in (folder, packed):
        assert (await replayed(path, "http://a.example/1")).value.body.content == "one"
        assert (await replayed(path, "http://a.example/2")).value.body.content == "two"


async def test_what_a_capture_does_not_hold_is_told_and_not_looked_for_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    write(path, ("response", "http://a.example/", TEXT, b"one"))
    with pytest.raises(WebError) as refused:
        await replayed(path, "http://other.example/")
    assert refused.value.code == "WEB_PROVIDER_ERROR"
    assert "http://other.example/ is not in the capture crawl.warc.gz" in refused.value.message
    with pytest.raises(WebError, match="WEBCARDS_FETCH_REPLAY"):
        Fetcher(read_settings(fetch_replay=str(tmp_path / "missing.warc")))


async def test_the_caps_and_the_lists_of_domains_hold_for_a_capture(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    write(
        path,
        ("response", "http://a.example/big", TEXT, b"x" * 50_000),
        ("response", "http://a.example/bomb", [*TEXT, ("Content-Encoding", "gzip")], gzip.compress(bytes(10_000_000))),
        ("response", "http://127.0.0.1/inside", TEXT, b"recorded on an intranet"),
    )
    big = await replayed(path, "http://a.example/big", fetch_max_bytes=10_000)
    bomb = await replayed(path, "http://a.example/bomb", fetch_max_bytes=10_000)
    assert [(one.value.truncated, one.details.bytes_decoded) for one in (big, bomb)] == [(True, 10_000)] * 2
    assert (await replayed(path, "http://127.0.0.1/inside")).value.body.content == "recorded on an intranet"
    with pytest.raises(WebError) as refused:
        await replayed(path, "http://a.example/big", fetch_block_domains=("a.example",))
    assert refused.value.code == "WEB_BLOCKED_URL"


async def test_a_gzip_of_many_records_in_one_piece_is_told(tmp_path: Path) -> None:
    path = tmp_path / "plain.warc"
    write(path, *[("response", f"http://a.example/{number}", TEXT, b"text") for number in range(3)], gzipped=False)
    packed = tmp_path / "packed.warc.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(WebError, match="cannot be read as a web archive"):
        await replayed(packed, "http://a.example/0")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=2000), st.integers(0, 400))
def test_a_damaged_archive_never_fails_in_another_way(tmp_path: Path, noise: bytes, place: int) -> None:
    path = tmp_path / "damaged.warc"
    write(
        path,
        ("response", "http://a.example/", [*TEXT, ("Transfer-Encoding", "chunked")], b"4\r\ntext\r\n0\r\n\r\n"),
        gzipped=False,
    )
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + noise + whole[place + len(noise) :])
    try:
        asyncio.run(replayed(path, "http://a.example/"))
    except WebError as error:
        assert error.code in ("WEB_PROVIDER_ERROR", "WEB_UNSUPPORTED_CONTENT_TYPE", "WEB_REDIRECT_BLOCKED")
