"""The store that the settings mean, and the limits that they set for it."""

from typing import Protocol

from pydantic import SecretStr

from webcards.store.store import Store

MEGABYTE = 1_000_000


class StoreSettings(Protocol):
    """The settings that are read here."""

    @property
    def database_url(self) -> SecretStr: ...
    @property
    def keep_days(self) -> float: ...
    @property
    def keep_megabytes(self) -> float: ...


def open_store(settings: StoreSettings) -> Store:
    """Opens the database that the settings name. Raises DatabaseError, in words for people."""
    return Store.open(settings.database_url.get_secret_value() or None)


def keep_limits(store: Store, settings: StoreSettings) -> int:
    """Deletes what is older or more than the settings allow; gives how many calls went. Call it now and
    then.
    """
    return store.retain(
        max_days=settings.keep_days or None,
        max_bytes=int(settings.keep_megabytes * MEGABYTE) or None,
    )
