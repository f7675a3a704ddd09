"""`auto`, the app's default: the live web first, and the built-in library if it cannot be reached at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webcards.search.chain import Chain
from webcards.search.provider import SearchProvider

if TYPE_CHECKING:
    from webcards.settings import Settings

AUTO = "auto"


def auto(settings: Settings, providers: Sequence[SearchProvider]) -> Chain:
    """The chain that `WEBCARDS_SEARCH_CHAIN` names, of these providers; not available if it names one that is none."""
    by_id = {provider.id: provider for provider in providers}
    ids = chain_ids(settings)
    return Chain(
        AUTO,
        [by_id[id_] for id_ in ids if id_ in by_id],
        timeout=settings.search_timeout,
        unknown=[id_ for id_ in ids if id_ not in by_id],
    )


def chain_ids(settings: Settings) -> tuple[str, ...]:
    """The ids in their order; a SearXNG of one's own goes first where no chain was chosen."""
    if settings.searxng_url and "search_chain" not in settings.model_fields_set:
        return ("searxng", *settings.search_chain)
    return settings.search_chain
