"""web_fetch without the tool around it: a URL in, the page's value and the details of its retrieval out.

Owns the call's one deadline, meta refresh and Markdown alternates; retrieving is retrieve.py's part, reading page.py's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import httpcore
import httpx
import msgspec
from msgspec import UNSET, UnsetType

from webcards.contract.errors import WebError
from webcards.contract.values import WebFetchBody, WebFetchResult
from webcards.fetch.alternate import markdown_alternate
from webcards.fetch.details import FetchDetails, Fetched
from webcards.fetch.guard import Guard
from webcards.fetch.headers import host_headers
from webcards.fetch.notes import told
from webcards.fetch.redirects import Chain, scriptless_refresh_of
from webcards.fetch.resolve import Resolver, SystemResolver
from webcards.fetch.retrieve import ACCEPT, Journey, Retrieval, Retriever, Rules, refresh_target
from webcards.fetch.transports import build_transports
from webcards.fetch.url import WebUrl, parse_url, shown

if TYPE_CHECKING:
    import ssl

    from webcards.fetch.page import Page
    from webcards.settings import Settings

ACCEPT_RAW = "text/html, application/xhtml+xml, */*;q=0.8"
"""For the unextracted page: the one that a browser would get."""

READING_AT_ONCE = min(os.cpu_count() or 1, 8) + 1
"""Pages that one fetcher has read at the same time: as many as there are workers, and one that is ready to be next."""


class Reader(Protocol):
    """Reads a body into a Page somewhere that does not hold up the event loop."""

    async def read(
        self, body: bytes, *, url: str, content_type: str | None, source_truncated: bool, raw: bool, deadline: float
    ) -> Page:
        """The page; `deadline` is the event loop's time. Raises WebError."""
        ...


class Fetcher:
    """Fetches pages. One fetcher belongs to one event loop and keeps its connections until `aclose`.

    `library` answers for `library_hosts` in place of the network, through the same code. The keywords after it exist
    for tests: where names are looked up, what reads the pages (by default worker processes that all fetchers share),
    what opens the connections that the guard has allowed, whom TLS trusts.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        library: httpx.AsyncBaseTransport | None = None,
        library_hosts: Container[str] = frozenset(),
        resolver: Resolver | None = None,
        reader: Reader | None = None,
        dialler: httpcore.AsyncNetworkBackend | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """Raises WebError where a setting cannot be read."""
        self._settings = settings
        self._guard = Guard.from_settings(settings, library_hosts=library_hosts if library is not None else frozenset())
        self._reader = reader or shared_reader()
        # A page waits for its turn here, where that does not count against the few seconds that its reading may take.
        self._turns = asyncio.Semaphore(READING_AT_ONCE)
        self._transports = build_transports(
            settings,
            self._guard,
            library=library,
            resolver=resolver or SystemResolver(),
            dialler=dialler or httpcore.AnyIOBackend(),
            ssl_context=ssl_context,
        )
        self._retriever = Retriever(
            guard=self._guard,
            rules=Rules(
                max_bytes=settings.fetch_max_bytes,
                user_agent=_user_agent(settings),
                retries=settings.fetch_retries,
                headers=host_headers(settings.fetch_headers),
                robots=settings.fetch_robots,
            ),
            network=self._transports.network,
            library=self._transports.library,
        )

    async def fetch(self, url: str, *, raw: bool = False, start: int = 0) -> Fetched:
        """Fetch one URL. `raw`: the unextracted page as text. `start` is where the tool's text begins; the whole page
        is fetched all the same.

        Raises WebError; `WEB_FETCH_TIMEOUT` when the deadline of the whole call (WEBCARDS_FETCH_TIMEOUT) has passed.
        """
        del start
        began = asyncio.get_running_loop().time()
        target, journey = self._set_out(url, accept=ACCEPT_RAW if raw else ACCEPT)
        async with self._in_time(journey):
            retrieval, page = await self._page(target, journey, raw)
        return _fetched(url, retrieval, page, 1000 * (asyncio.get_running_loop().time() - began))

    async def retrieve(self, url: str) -> Retrieval:
        """The answer to one URL as it was sent, decoded but not read, for who reads it otherwise. Raises as `fetch`."""
        target, journey = self._set_out(url, accept=ACCEPT_RAW)
        async with self._in_time(journey):
            return await self._retriever.retrieve(target, journey)

    def _set_out(self, url: str, *, accept: str) -> tuple[WebUrl, Journey]:
        # A little less than the setting: who set a timer of their own for the call would hear from it first, and
        # learn less from it.
        seconds = self._settings.fetch_timeout
        patience = max(seconds - 0.1, 0.9 * seconds)
        target = parse_url(url)
        chain = Chain(target, limit=self._settings.fetch_max_redirects, cross_host=self._settings.fetch_cross_host)
        deadline = asyncio.get_running_loop().time() + patience
        return target, Journey(chain, deadline=deadline, accept=accept, peek=_refuse_binary)

    @asynccontextmanager
    async def _in_time(self, journey: Journey) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout_at(journey.deadline):
                yield
        except TimeoutError:
            words = journey.progress.words(self._settings.fetch_timeout)
            raise WebError("WEB_FETCH_TIMEOUT", words) from None

    async def aclose(self) -> None:
        """Close every connection."""
        for transport in self._transports:
            if transport is not None:
                await transport.aclose()

    async def _page(self, url: WebUrl, journey: Journey, raw: bool) -> tuple[Retrieval, Page]:
        while True:
            retrieval = await self._retriever.retrieve(url, journey)
            journey.progress.complete = True
            page = await self._read(retrieval, journey, raw)
            if raw:
                return retrieval, page
            target = refresh_target(retrieval.url, page.redirect or _last_resort(retrieval, page))
            if target is None:
                return retrieval, await self._as_markdown(retrieval, page, journey)
            journey.progress.complete = False
            url = journey.chain.follow(retrieval.url, target, retrieval.status)

    async def _as_markdown(self, retrieval: Retrieval, page: Page, journey: Journey) -> Page:
        """The page's own Markdown version in place of its extracted text, where it offers one."""
        answer = await markdown_alternate(self._retriever, retrieval, page, journey.deadline)
        if answer is None:
            return page
        version = await self._read(answer, journey, False)
        return msgspec.structs.replace(
            page, kind="text", markdown=version.markdown, text=version.text, charset=version.charset, cut=version.cut
        )

    async def _read(self, retrieval: Retrieval, journey: Journey, raw: bool) -> Page:
        try:
            async with self._turns:
                page = await self._reader.read(
                    retrieval.body,
                    url=retrieval.url.href,
                    content_type=retrieval.content_type,
                    source_truncated=retrieval.cut,
                    raw=raw,
                    deadline=journey.deadline,
                )
        except WebError as error:
            if error.code == "WEB_UNSUPPORTED_CONTENT_TYPE" and retrieval.cut and not retrieval.broken:
                raise WebError(
                    "WEB_FETCH_TOO_LARGE",
                    f"{shown(retrieval.url.href)} is larger than the {self._settings.fetch_max_bytes:,} bytes that are "
                    "read (WEBCARDS_FETCH_MAX_BYTES), and what was read of it holds no text.",
                ) from None
            raise
        return msgspec.structs.replace(page, cut=page.cut or retrieval.cut)


@lru_cache(maxsize=1)
def shared_reader() -> Reader:
    """One pool of reading processes for every fetcher of this process; it ends with the process."""
    from webcards.fetch.worker import PageReader

    return PageReader()


def _last_resort(retrieval: Retrieval, page: Page) -> str | None:
    """Where a page without a word sends those who run no script."""
    wordless = page.silent or not page.text.strip()
    return scriptless_refresh_of(retrieval.body) if page.kind == "html" and wordless else None


def _user_agent(settings: Settings) -> str:
    name = settings.fetch_user_agent.strip()
    if not (name.isascii() and name.isprintable()):
        raise WebError(
            "WEB_PROVIDER_ERROR", "The setting WEBCARDS_FETCH_USER_AGENT may hold plain ASCII characters only."
        )
    return name


def _refuse_binary(head: bytes, content_type: str | None, url: str) -> None:
    """Stop reading what has no text after its first bytes, before megabytes of it come."""
    from webcards.fetch.sniff import sniff

    sniff(head, content_type, url)


def _fetched(requested: str, retrieval: Retrieval, page: Page, elapsed_ms: float) -> Fetched:
    note, markdown = told(retrieval, page)
    body = (
        WebFetchBody(kind="html", content=page.text, markdown=markdown)
        if page.kind == "html"
        else WebFetchBody(kind="text", content=markdown)
    )
    value = WebFetchResult(url=retrieval.url.href, status_code=retrieval.status, body=body, truncated=page.cut)
    details = FetchDetails(
        requested_url=requested,
        final_url=retrieval.url.href,
        status_code=retrieval.status,
        redirects=list(retrieval.redirects),
        bytes_read=retrieval.bytes_read,
        bytes_decoded=len(retrieval.body),
        characters=len(markdown),
        elapsed_ms=round(elapsed_ms, 1),
        retries=retrieval.retries,
        from_library=retrieval.from_library,
        content_type=_known(retrieval.content_type or page.content_type),
        charset=_known(page.charset),
        title=_known(page.title),
        published=_known(page.published),
        byline=_known(page.byline),
        site=_known(page.site),
        lang=_known(page.lang),
        cache=UNSET if retrieval.cache is None else retrieval.cache,
        http_version=_known(retrieval.http_version),
        remote_address=_known(retrieval.remote_address),
        note=_known(note),
        robots=_known(retrieval.robots),
    )
    return Fetched(value, details)


def _known(text: str | None) -> str | UnsetType:
    return text or UNSET
