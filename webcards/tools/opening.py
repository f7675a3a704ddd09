"""Puts the two tools together from the settings: the engines, the fetcher, the library that both can reach."""

from collections.abc import AsyncIterator, Awaitable, Callable, Container
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from webcards.contract import given
from webcards.fetch.fetcher import Fetcher
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport
from webcards.library.stored import LibraryHosts, StoredSite, StoredTransport
from webcards.search.provider import SearchProvider
from webcards.search.seam import providers, select_provider
from webcards.tools.registry import Registry
from webcards.tools.tool import Tool
from webcards.tools.web_fetch import web_fetch_tool
from webcards.tools.web_search import web_search_tool

# Reading the settings takes as long to import as all the rest; a program may import this long before it opens tools.
if TYPE_CHECKING:
    from webcards.settings import Settings


@dataclass(frozen=True, slots=True)
class Opened:
    """The registry, and the search engines behind it, usable or not."""

    registry: Registry
    engines: list[SearchProvider]


@asynccontextmanager
async def open_tools(settings: "Settings | None" = None) -> AsyncIterator[Opened]:
    """The tools of this process. They belong to the event loop that opens them; leaving closes every connection.

    Raises `SettingsError` or `WebError` for a setting that cannot be used.
    """
    from webcards.settings import load_settings

    settings = settings or load_settings()
    engines = providers(settings)
    library, hosts = _library(settings)
    fetcher = Fetcher(settings, library=library, library_hosts=hosts)

    def select() -> SearchProvider:
        return select_provider(settings, engines)

    read_date = _date_reader(fetcher) if settings.search_enrich else None
    tools: list[Tool[Any, Any]] = [web_search_tool(settings, select, read_date), web_fetch_tool(settings, fetcher)]
    try:
        yield Opened(Registry(tools, enabled=settings.tools), engines)
    finally:
        await fetcher.aclose()


@asynccontextmanager
async def open_registry(settings: "Settings | None" = None) -> AsyncIterator[Registry]:
    """The registry alone; the rest as `open_tools`."""
    async with open_tools(settings) as opened:
        yield opened.registry


def _library(settings: "Settings") -> tuple[httpx.AsyncBaseTransport, Container[str]]:
    """What answers in place of the network, and for which hosts: the demo web, and the index of one's own before it."""
    from webcards.settings import SettingsError

    if not settings.library:
        return LibraryTransport(), LIBRARY_HOSTS
    try:
        site = StoredSite(Path(settings.library))
    except (OSError, ValueError) as error:
        message = f"WEBCARDS_LIBRARY cannot be used: {error}. Make the index with `python -m webcards index`."
        raise SettingsError(message) from None
    return StoredTransport(site, LibraryTransport()), LibraryHosts(LIBRARY_HOSTS, site)


def _date_reader(fetcher: Fetcher) -> Callable[[str], Awaitable[str | None]]:
    """What gives a page's own date."""

    async def read_date(url: str) -> str | None:
        return given((await fetcher.fetch(url)).details.published)

    return read_date
