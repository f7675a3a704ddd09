"""Any JSON at all, and JSON that is nearly a meta: what a narrower may be given by a log."""

from typing import Any

from hypothesis import strategies as st

texts = st.text(st.characters(), max_size=12)  # lone surrogates too: old logs hold halves of emoji
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
FIELDS = ["url", "title", "snippet", "publishedAt", "sources", "truncated", "answer", "statusCode", "query", "queries"]
FIELDS += ["content", "isError", "meta", "data", "message", "type", "arguments", "text"]
nearly: st.SearchStrategy[Any] = st.recursive(
    scalars | st.sampled_from([200, 200.0, True, "https://a.example/"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=20,
)
any_json = anything | nearly
