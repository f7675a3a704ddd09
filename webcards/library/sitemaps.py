"""The pages that a sitemap names (sitemaps.org protocol 0.9), fetched a few at a time, as sources."""

import asyncio
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from webcards.library.sources import LARGEST, Body, Failure, Fetch, FetchedBody, Source

SIDE_BY_SIDE = 4
"""Pages fetched at the same time."""
MOST_PAGES = 50_000
"""Pages of one run, as many as one sitemap may name."""
_MOST_SITEMAPS = 500


def read_sitemap(named: str, fetch: Fetch) -> Iterator[Source]:
    """The pages of a sitemap, a file or a URL, and of the sitemaps that it names. Their bodies are not kept: they are live."""
    with asyncio.Runner() as runner:
        pages: dict[str, None] = {}
        for found in _pages(named, fetch, runner):
            if isinstance(found, Failure):
                yield found
            elif len(pages) < MOST_PAGES:
                pages[found] = None
            else:
                yield Failure(named, f"It names more than {MOST_PAGES:,} pages; the rest is not read.")
                break
        urls = list(pages)
        for start in range(0, len(urls), SIDE_BY_SIDE):
            yield from runner.run(_fetch_all(urls[start : start + SIDE_BY_SIDE], fetch))


async def _fetch_all(urls: list[str], fetch: Fetch) -> list[Source]:
    answers = await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
    return [_source(url, answer) for url, answer in zip(urls, answers, strict=True)]


def _source(url: str, answer: FetchedBody | BaseException) -> Source:
    if isinstance(answer, FetchedBody):
        return Body(answer.url, answer.url, answer.content_type, answer.body, keep=False)
    if not isinstance(answer, Exception):
        raise answer  # Ctrl-C is not a page's fault
    return Failure(url, f"It cannot be fetched: {answer}")


def _pages(named: str, fetch: Fetch, runner: asyncio.Runner) -> Iterator[str | Failure]:
    """The pages' URLs, and what went wrong with any of the sitemaps."""
    waiting = deque([named])
    seen = {named}
    while waiting:
        where = waiting.popleft()
        try:
            pages, sitemaps = _read(_load(where, fetch, runner), where)
        except Exception as error:  # whatever is wrong with one sitemap costs only that one
            yield Failure(where, f"The sitemap cannot be read: {error}")
            continue
        yield from pages
        for sitemap in sitemaps:
            if sitemap not in seen and len(seen) < _MOST_SITEMAPS:
                seen.add(sitemap)
                waiting.append(sitemap)


def _load(where: str, fetch: Fetch, runner: asyncio.Runner) -> bytes:
    on_the_web = urlsplit(where).scheme in ("http", "https")
    body = runner.run(_one(where, fetch)).body if on_the_web else Path(where).read_bytes()
    if body.startswith(b"\x1f\x8b"):
        body = zlib.decompressobj(wbits=31).decompress(body, LARGEST)
    return body


async def _one(url: str, fetch: Fetch) -> FetchedBody:
    return await fetch(url)


def _read(body: bytes, where: str) -> tuple[list[str], list[str]]:
    """The pages and the further sitemaps that one sitemap names; a text file names one page a line."""
    base = where if urlsplit(where).scheme in ("http", "https") else ""
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = [line.strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
        return [line for line in lines if urlsplit(line).scheme in ("http", "https")], []
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    root = etree.fromstring(body, parser)
    if root is None:
        raise ValueError("it is no XML")
    named: dict[str, list[str]] = {"url": [], "sitemap": []}
    for place in root.iter("{*}loc"):
        kind = etree.QName(place.getparent()).localname if place.getparent() is not None else ""
        url = urljoin(base, "".join(place.itertext()).strip())
        if kind in named and urlsplit(url).scheme in ("http", "https"):
            named[kind].append(url)
    return named["url"], named["sitemap"]
