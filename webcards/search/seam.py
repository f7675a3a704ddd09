"""The seam itself: which providers there are, and which of them answers.

Built-in providers and those of other packages (entry point group `webcards.search`) stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.provider import SearchProvider, SearchRequest, unavailable

if TYPE_CHECKING:
    from webcards.settings import Settings

ENTRY_POINT_GROUP = "webcards.search"

BUILT_IN: dict[str, str] = {
    "brave": "webcards.search.brave:Brave",
    "duckduckgo": "webcards.search.duckduckgo:DuckDuckGo",
    "exa": "webcards.search.exa:Exa",
    "library": "webcards.search.library:Library",
    "mediawiki": "webcards.search.mediawiki:MediaWiki",
    "opensearch": "webcards.search.opensearch:OpenSearch",
    "perplexity": "webcards.search.perplexity:Perplexity",
    "searxng": "webcards.search.searxng:Searxng",
    "serper": "webcards.search.serper:Serper",
    "tavily": "webcards.search.tavily:Tavily",
}
"""Id of each built-in engine and where its class stands. `auto` is made from these."""


def providers(settings: Settings, *, plug_ins: Iterable[EntryPoint] | None = None) -> list[SearchProvider]:
    """Every provider there is, usable or not: the built-in ones, the installed plug-ins, and `auto` over all of them.

    `plug_ins` replaces the entry points of the installed packages. Never raises for a plug-in that cannot be
    loaded: it is listed, and says so when it is asked whether it is available.
    """
    from webcards.search.auto import auto

    found: list[SearchProvider] = [_class_at(place)(settings) for place in BUILT_IN.values()]
    points = entry_points(group=ENTRY_POINT_GROUP) if plug_ins is None else plug_ins
    found.extend(_plug_in(point, settings) for point in points)
    return [*found, auto(settings, found)]


def select_provider(settings: Settings, providers: Sequence[SearchProvider]) -> SearchProvider:
    """The provider that answers, independent of the order they are given in (contract, "Errors").

    A configured id must exist (`WEB_PROVIDER_CONFIGURED_MISSING`) and be usable
    (`WEB_PROVIDER_CONFIGURED_UNAVAILABLE`). With none configured exactly one usable provider must exist: several are
    `WEB_PROVIDER_AMBIGUOUS`, none is `WEB_PROVIDER_UNAVAILABLE`. Two of one id are `WEB_DUPLICATE_PROVIDER`.
    """
    by_id = {provider.id: provider for provider in providers}
    if len(by_id) != len(providers):
        ids = [provider.id for provider in providers]
        twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
        raise WebError(
            "WEB_DUPLICATE_PROVIDER",
            f"Two search providers call themselves {_listed(twice)}. Remove one of the packages that bring them.",
        )
    if configured := (settings.search_provider or "").strip():
        return _configured(configured, by_id)
    usable = sorted(provider.id for provider in providers if unavailable(provider) is None)
    match usable:
        case [only]:
            return by_id[only]
        case []:
            reasons = " ".join(unavailable(by_id[id_]) or "" for id_ in sorted(by_id))
            raise WebError("WEB_PROVIDER_UNAVAILABLE", f"No search provider can be used. {reasons}".rstrip())
        case _:
            raise WebError(
                "WEB_PROVIDER_AMBIGUOUS",
                f"Several search providers can be used: {_listed(usable)}. Choose one with WEBCARDS_SEARCH_PROVIDER.",
            )


def _configured(id_: str, by_id: dict[str, SearchProvider]) -> SearchProvider:
    if id_ not in by_id:
        raise WebError(
            "WEB_PROVIDER_CONFIGURED_MISSING",
            f"There is no search provider {id_!r}. Set WEBCARDS_SEARCH_PROVIDER to one of {_listed(sorted(by_id))}.",
        )
    if reason := unavailable(by_id[id_]):
        raise WebError(
            "WEB_PROVIDER_CONFIGURED_UNAVAILABLE", f"The search provider {id_} is chosen but not usable. {reason}"
        )
    return by_id[id_]


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids)


def _class_at(place: str) -> Callable[[Settings], SearchProvider]:
    module, name = place.split(":")
    made: Callable[[Settings], SearchProvider] = getattr(import_module(module), name)
    return made


def _plug_in(point: EntryPoint, settings: Settings) -> SearchProvider:
    try:
        provider: SearchProvider = point.load()(settings)
    except Exception as error:  # whatever another package does while it is imported
        return _Broken(point.name, f"The plug-in {point.name} ({point.value}) could not be loaded: {error!r}.")
    return provider


class _Broken:
    """Stands in for a plug-in that could not be loaded, so that the reason is seen where it was asked for."""

    options: frozenset[str] = frozenset()

    def __init__(self, id_: str, reason: str) -> None:
        self.id = id_
        self._reason = reason

    def available(self) -> str | None:
        return self._reason

    async def search(self, request: SearchRequest) -> WebSearchResult:
        raise WebError("WEB_PROVIDER_UNAVAILABLE", f"{self._reason} The query {request.query!r} was not asked.")
