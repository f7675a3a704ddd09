"""Recorded calls behind one database URL: SQLite (WAL) for one person, PostgreSQL for a team.

`Store` writes a call when it starts and when it settles; `Filter` says which calls are meant, and `figures`,
`calls`, `links`, `alerts` and `export` answer questions about them. Which page shows what is left to the
pages.
"""

from webcards.store.calls import Call, Page
from webcards.store.filters import Filter
from webcards.store.store import Recorded, Store

__all__ = ["Call", "Filter", "Page", "Recorded", "Store"]
