"""The stores of the store's own tests: what counts calls is tried on both databases."""

from tests.store.conftest import postgres, store, url

__all__ = ["postgres", "store", "url"]
