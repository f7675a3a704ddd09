"""What is known of a fetch beyond its value: for the inspector and the log, never for the meta."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from webcards.contract.values import WebFetchResult
from webcards.fetch.redirects import Redirect


class FetchDetails(msgspec.Struct, frozen=True, rename="camel"):
    """How a page was got and what it says of itself. Sizes are bytes, times milliseconds; absent fields are `UNSET`."""

    requested_url: str
    final_url: str
    status_code: int
    redirects: list[Redirect]
    bytes_read: int
    bytes_decoded: int
    characters: int
    elapsed_ms: float
    retries: int = 0
    from_library: bool = False
    content_type: str | UnsetType = UNSET
    charset: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    published: str | UnsetType = UNSET
    byline: str | UnsetType = UNSET
    site: str | UnsetType = UNSET
    lang: str | UnsetType = UNSET
    cache: Literal["hit", "miss"] | UnsetType = UNSET
    http_version: str | UnsetType = UNSET
    remote_address: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    robots: str | UnsetType = UNSET


class Fetched(msgspec.Struct, frozen=True, rename="camel"):
    """The value that the tool renders, and the details beside it."""

    value: WebFetchResult
    details: FetchDetails
