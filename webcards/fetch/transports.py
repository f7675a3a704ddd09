"""The layers below the retriever, put together as the settings ask: cache over recorder over network or replay."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import httpcore
import httpx

from webcards.fetch.guard import Guard
from webcards.fetch.network import GuardedBackend, NetworkTransport, direct_pool
from webcards.fetch.resolve import Resolver

if TYPE_CHECKING:
    from webcards.settings import Settings


class Transports(NamedTuple):
    """What answers for the live web, and for the library's hosts if there is a library."""

    network: httpx.AsyncBaseTransport
    library: httpx.AsyncBaseTransport | None


def build_transports(
    settings: Settings,
    guard: Guard,
    *,
    library: httpx.AsyncBaseTransport | None,
    resolver: Resolver,
    dialler: httpcore.AsyncNetworkBackend,
    ssl_context: ssl.SSLContext | None,
) -> Transports:
    """The transports of one fetcher. Raises WebError where a setting cannot be used."""
    network = _network(settings, GuardedBackend(guard, resolver, dialler), dialler, ssl_context)
    if settings.fetch_record:
        from webcards.fetch.record import Recorder, RecordingTransport

        recorder = Recorder(Path(settings.fetch_record).expanduser())
        network = RecordingTransport(network, recorder)
        library = None if library is None else RecordingTransport(library, recorder)
    if settings.fetch_cache:
        from webcards.fetch.cache import MemoryStorage, cached

        storage = MemoryStorage()
        network = cached(network, storage)
        library = None if library is None else cached(library, storage)
    return Transports(network, library)


def _network(
    settings: Settings,
    backend: GuardedBackend,
    dialler: httpcore.AsyncNetworkBackend,
    ssl_context: ssl.SSLContext | None,
) -> httpx.AsyncBaseTransport:
    if settings.fetch_replay:
        from webcards.fetch.replay import ReplayTransport

        return ReplayTransport(Path(settings.fetch_replay).expanduser())
    if settings.fetch_proxy:
        from webcards.fetch.proxy import ProxiedTransport

        return ProxiedTransport(settings.fetch_proxy, backend, dialler, ssl_context)
    return NetworkTransport(lambda connections: direct_pool(backend, connections, ssl_context))
