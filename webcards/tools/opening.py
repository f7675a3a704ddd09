"""Puts the two tools together from the settings: the engine, the fetcher, the library that both can reach."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webcards.fetch.fetcher import Fetcher
from webcards.library.site import LIBRARY_HOSTS, LibraryTransport
from webcards.search.provider import SearchProvider
from webcards.search.seam import providers, select_provider
from webcards.settings import Settings, load_settings
from webcards.tools.registry import Registry
from webcards.tools.web_fetch import web_fetch_tool
from webcards.tools.web_search import web_search_tool


@asynccontextmanager
async def open_registry(settings: Settings | None = None) -> AsyncIterator[Registry]:
    """The registry of this process. It belongs to the event loop that opens it; leaving closes every connection.

    Raises `SettingsError` or `WebError` for a setting that cannot be used.
    """
    settings = settings or load_settings()
    engines = providers(settings)
    fetcher = Fetcher(settings, library=LibraryTransport(), library_hosts=LIBRARY_HOSTS)

    def select() -> SearchProvider:
        return select_provider(settings, engines)

    try:
        yield Registry(
            [web_search_tool(settings, select), web_fetch_tool(settings, fetcher)],
            enabled=settings.tools,
        )
    finally:
        await fetcher.aclose()
