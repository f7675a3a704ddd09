"""The store's databases, for batches."""

from tests.store.conftest import postgres, store, url

__all__ = ["postgres", "store", "url"]
