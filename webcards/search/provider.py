"""What a search provider is, and what it is asked.

A provider from another package needs no more than this module: see docs/provider-example.md. Which of the
providers answers a call is `seam`'s part.
"""

from typing import Literal, Protocol, get_args

import ada_url
from msgspec import Struct
from msgspec.structs import force_setattr

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.regions import read_region

TimeRange = Literal["d", "w", "m", "y"]
Safe = Literal["off", "moderate", "strict"]

TIME_RANGES: tuple[str, ...] = get_args(TimeRange)
SAFE_LEVELS: tuple[str, ...] = get_args(Safe)
OPTIONAL_ARGS: tuple[str, ...] = ("time_range", "site", "region", "safe", "page")
"""The args that an engine may lack; every engine has `query` and `max_results`."""


class SearchRequest(Struct, frozen=True, kw_only=True):
    """One query to one engine. Everything but the query and the number of results may be left to the engine."""

    query: str
    max_results: int = 8
    time_range: TimeRange | None = None
    """Only pages of the last day, week, month or year."""
    site: str | None = None
    """Only pages of this host and the hosts below it."""
    region: str | None = None
    """A country, or a country and a language: `gb`, `gb-en`, `cn-zh` (ISO 3166, ISO 639)."""
    safe: Safe | None = None
    page: int = 1
    """The page of results, from 1."""

    def __post_init__(self) -> None:
        """Raises `WEB_INVALID_ARGUMENTS` for a site or a region that is none. `site` may be given as a URL."""
        if self.site is not None:
            force_setattr(self, "site", read_site(self.site))
        if self.region is not None:
            read_region(self.region)


class SearchProvider(Protocol):
    """A search engine behind the seam.

    `id` is what `WEBCARDS_SEARCH_PROVIDER` names, `options` are those of `OPTIONAL_ARGS` that the engine has.
    A provider may also have a `label`, its name in sentences ("DuckDuckGo"); without one its id stands there.
    """

    @property
    def id(self) -> str: ...

    @property
    def options(self) -> frozenset[str]: ...

    def available(self) -> str | None:
        """None if it can be asked, else a sentence that says which setting it wants. Never touches the network."""
        ...

    async def search(self, request: SearchRequest) -> WebSearchResult:
        """Ask the engine. Raises `WebError`; an honest "nothing found" is an empty result and no error.

        `WEB_PROVIDER_UNAVAILABLE` is for an engine that cannot be reached at all, `WEB_RATE_LIMITED` for one that asks
        to wait, `WEB_FETCH_TIMEOUT` for one that does not answer in time, `WEB_PROVIDER_ERROR` for everything else.
        """
        ...


def read_site(site: str) -> str:
    """The host, and the path if one was given, of `docs.example`, `docs.example/guide` or `https://docs.example/`."""
    text = site.strip()
    try:
        parsed = ada_url.URL(text if "://" in text else f"https://{text}")
        if parsed.protocol in ("http:", "https:") and parsed.hostname and not parsed.username:
            return f"{parsed.hostname}{parsed.pathname.rstrip('/')}"
    except ValueError:
        pass
    raise WebError("WEB_INVALID_ARGUMENTS", f"The site {text[:80]!r} is none. Give a host such as docs.example.")


def label_of(provider: SearchProvider) -> str:
    """The provider's name as it stands in a sentence for people."""
    label = getattr(provider, "label", None)
    return label if isinstance(label, str) and label else provider.id


def unavailable(provider: SearchProvider) -> str | None:
    """`provider.available()`, with a plug-in's own failure told in words instead of raised."""
    try:
        return provider.available()
    except Exception as error:  # a plug-in's fault must not take the other providers down
        return f"The search provider {provider.id} could not say whether it is usable ({type(error).__name__})."


def asked_options(request: SearchRequest) -> tuple[str, ...]:
    """The optional args that the request makes use of."""
    given = {
        "time_range": request.time_range is not None,
        "site": request.site is not None,
        "region": request.region is not None,
        "safe": request.safe is not None,
        "page": request.page != 1,
    }
    return tuple(option for option in OPTIONAL_ARGS if given[option])


def missing_options(provider: SearchProvider, request: SearchRequest) -> tuple[str, ...]:
    """The optional args that the request makes use of and the engine lacks."""
    return tuple(option for option in asked_options(request) if option not in provider.options)


def refuse_missing_options(provider: SearchProvider, request: SearchRequest) -> None:
    """Raise `WEB_INVALID_ARGUMENTS` if the engine lacks an arg that was asked for, rather than leave it out unseen."""
    missing = missing_options(provider, request)
    if missing:
        has = ["max_results", *(option for option in OPTIONAL_ARGS if option in provider.options)]
        raise WebError(
            "WEB_INVALID_ARGUMENTS",
            f"{label_of(provider)} has no {' and no '.join(missing)}. It has {', '.join(has)}."
            " Leave the argument out, or choose another engine.",
        )
