"""What a result's link really leads to (`unwrap`), and when two links are one page (`compare`)."""

from webcards.search.links.compare import dedup_key, same_site
from webcards.search.links.unwrap import is_advertisement, unwrap

__all__ = ["dedup_key", "is_advertisement", "same_site", "unwrap"]
