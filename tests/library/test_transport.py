"""The demo web as a network: what a client gets for each page, and how the transport behaves like a server."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import brotli
import httpx
import pytest
import zstandard

from webcards.library import site
from webcards.library.catalogue import hosts, manifest, pages, read_file
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport
from webcards.library.specimens import SPECIMENS

SLOW = {entry.url for entry in manifest().page if entry.delay}


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=LibraryTransport()) as opened:
        yield opened


@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_every_page_is_found_by_its_url(client: httpx.AsyncClient, scheme: str) -> None:
    for page in pages():
        if page.url not in SLOW:
            answer = await client.get(page.url.replace("https", scheme, 1))
            assert answer.status_code == page.status, page.url
            assert answer.content == page.body, page.url
            assert page.headers.items() <= dict(answer.headers).items(), page.url


async def test_a_head_request_gets_the_headers_and_no_body(client: httpx.AsyncClient) -> None:
    got, head = await client.get(SPECIMENS["long"]), await client.head(SPECIMENS["long"])
    assert head.content == b""
    assert head.headers["content-length"] == str(len(got.content))
    assert {k: v for k, v in head.headers.items() if k != "date"} == {
        k: v for k, v in got.headers.items() if k != "date"
    }


@pytest.mark.parametrize("name", sorted(LIBRARY_HOSTS))
async def test_an_unknown_path_gets_the_hosts_own_404_page(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"https://{name}/no/such/page?x=1")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.content == read_file(hosts()[name].not_found)


async def test_methods_other_than_get_and_head_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post(SPECIMENS["article"], content=b"x")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/",
        "https://gazette.kittiwick.example:8443/",
        "http://gazette.kittiwick.example:443/",
        "https://gazette.kittiwick.example./",
        "http://127.0.0.1/",
    ],
)
async def test_nobody_answers_at_other_hosts_and_ports(client: httpx.AsyncClient, url: str) -> None:
    with pytest.raises(httpx.ConnectError):
        await client.get(url)


async def test_a_host_is_known_in_unicode_in_punycode_and_in_any_case(client: httpx.AsyncClient) -> None:
    for url in ("https://鸥港.example/鱼汤面", "https://XN--J6W163H.example/%e9%b1%bc%e6%b1%a4%e9%9d%a2"):
        answer = await client.get(url)
        assert answer.status_code == 200
        assert "鱼汤面" in answer.text


async def test_a_query_that_a_page_is_kept_under_is_told_apart_and_any_other_ignored(client: httpx.AsyncClient) -> None:
    plain = (await client.get(SPECIMENS["json"])).json()
    feet = (await client.get(SPECIMENS["json"] + "?unit=ft")).json()
    tracked = (await client.get(SPECIMENS["json"] + "?utm_source=quay")).json()
    assert plain["unit"] == "m"
    assert feet["unit"] == "ft"
    assert tracked == plain
    assert (await client.get("https://forum.kittiwick.example/viewtopic?t=1")).status_code == 404


async def test_robots_txt_names_the_closed_paths_and_the_sitemap(client: httpx.AsyncClient) -> None:
    for name, host in hosts().items():
        answer = await client.get(f"https://{name}/robots.txt")
        assert answer.status_code == 200
        assert f"Sitemap: https://{name}/sitemap.xml" in answer.text
        assert [line[10:] for line in answer.text.splitlines() if line.startswith("Disallow: ")] == host.disallow
    closed = urlsplit(SPECIMENS["robots-disallowed"])
    assert any(closed.path.startswith(path) for path in hosts()[closed.netloc].disallow)


async def test_the_sitemaps_together_list_the_indexed_pages(client: httpx.AsyncClient) -> None:
    listed = []
    for name in LIBRARY_HOSTS:
        answer = await client.get(f"https://{name}/sitemap.xml")
        tree = ET.fromstring(answer.content)
        listed += [node.text for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert sorted(map(str, listed)) == sorted(page.url for page in pages() if page.indexed)


async def test_the_chain_of_redirects_ends_at_the_article(client: httpx.AsyncClient) -> None:
    answer = await client.get(SPECIMENS["redirect-chain"], follow_redirects=True)
    assert [hop.status_code for hop in answer.history] == [301, 302, 307]
    assert str(answer.url) == SPECIMENS["article"]


async def test_a_redirect_leads_to_another_host(client: httpx.AsyncClient) -> None:
    answer = await client.get(SPECIMENS["redirect-host"], follow_redirects=True)
    assert answer.url.host != urlsplit(SPECIMENS["redirect-host"]).netloc
    assert answer.status_code == 200


async def test_the_loop_never_ends(client: httpx.AsyncClient) -> None:
    with pytest.raises(httpx.TooManyRedirects):
        await client.get(SPECIMENS["redirect-loop"], follow_redirects=True)


@pytest.mark.parametrize("key", ["rate-limited", "unavailable"])
async def test_a_busy_page_says_when_to_try_again(client: httpx.AsyncClient, key: str) -> None:
    answer = await client.get(SPECIMENS[key])
    assert answer.status_code in (429, 503)
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize("key", ["gzip", "br", "zstd"])
async def test_an_encoded_page_is_sent_encoded_whatever_was_asked_for(client: httpx.AsyncClient, key: str) -> None:
    async with client.stream("GET", SPECIMENS[key], headers={"accept-encoding": "identity"}) as answer:
        raw = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert answer.headers["content-encoding"] == key
    decode = {"gzip": gzip.decompress, "br": brotli.decompress, "zstd": zstandard.ZstdDecompressor().decompress}[key]
    page = next(page for page in pages() if page.url == SPECIMENS[key])
    assert decode(raw) == page.body
    assert int(answer.headers["content-length"]) == len(raw) < len(page.body)


async def test_a_page_that_has_not_changed_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get(SPECIMENS["article"])
    again = await client.get(SPECIMENS["article"], headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    other = await client.get(SPECIMENS["table"], headers={"if-none-match": first.headers["etag"]})
    assert other.status_code == 200


async def test_a_long_body_comes_in_pieces_and_can_be_left_half_read(client: httpx.AsyncClient) -> None:
    async with client.stream("GET", SPECIMENS["long"]) as answer:
        pieces = answer.aiter_raw()
        first, second = await anext(pieces), await anext(pieces)
    assert len(first) == len(second) == site.CHUNK
    assert first != second


@pytest.mark.parametrize(("key", "seconds"), [("slow", 6.0), ("very-slow", 60.0)])
async def test_a_slow_page_waits_in_short_steps_and_then_answers(
    monkeypatch: pytest.MonkeyPatch, key: str, seconds: float
) -> None:
    slept: list[float] = []

    async def record(delay: float) -> None:
        slept.append(delay)

    monkeypatch.setattr(asyncio, "sleep", record)
    async with httpx.AsyncClient(transport=LibraryTransport(), timeout=None) as patient:
        answer = await patient.get(SPECIMENS[key])
    assert answer.status_code == 200
    assert sum(slept) == pytest.approx(seconds)
    assert max(slept) <= site.STEP


async def test_a_slow_page_can_be_cancelled_while_it_waits(client: httpx.AsyncClient) -> None:
    waiting = asyncio.create_task(client.get(SPECIMENS["very-slow"]))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_slow_page_honours_the_read_timeout(client: httpx.AsyncClient) -> None:
    with pytest.raises(httpx.ReadTimeout):
        await client.get(SPECIMENS["very-slow"], timeout=httpx.Timeout(5, read=0.01))
