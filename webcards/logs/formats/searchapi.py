"""Bodies of SearchApi: SerpApi's shape, told apart by the addresses and ids in the metadata."""

from typing import Any

from webcards.logs.formats.serpapi import has_shape, outcomes
from webcards.logs.outcome import body_format


def recognises(body: Any) -> bool:
    """SerpApi's shape, with ids that begin with `search_`."""
    return has_shape(body) and str(body["search_metadata"].get("id", "")).startswith("search_")


FORMAT = body_format("searchapi", recognises, outcomes)
