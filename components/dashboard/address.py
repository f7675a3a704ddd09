"""The Dashboard's address: which calls are meant, what they are grouped by, and which one is open. A link
says it all.
"""

from typing import Any

import streamlit as st

from components.address import whole_number
from webcards.store import Filter
from webcards.store.filters import DEFAULT_SPAN

# What the page shows: the figures and the calls below them, or the calls alone, which a figure leads to.
SHOW, CALLS = "show", "calls"

KEPT = ("lang", "by", "live", SHOW)


def current() -> Filter:
    """The filter that the address means."""
    return Filter.from_params(st.query_params.to_dict())


def go(wanted: Filter, **more: str) -> None:
    """Puts a filter into the address, and what else is given; the language and the grouping stay."""
    kept = {name: st.query_params[name] for name in KEPT if name in st.query_params}
    st.query_params.from_dict({**kept, **wanted.to_params(), **more})


def narrow(**changes: Any) -> None:
    """Adds to the filter of the address; the page of the list and the open call are left."""
    go(current().narrow(**changes))


def lead_to(wanted: Filter) -> None:
    """Goes to the calls that a filter means, which a figure stood for."""
    go(wanted, **{SHOW: CALLS})


def lead_to_narrowed(**changes: Any) -> None:
    """Adds to the filter of the address, and goes to the calls that are meant then."""
    lead_to(current().narrow(**changes))


def calls_asked() -> bool:
    """Whether the address asks for the calls alone."""
    return st.query_params.get(SHOW) == CALLS


def widen(name: str) -> None:
    """Takes one field of the filter back."""
    if name == "since":
        go(current().narrow(since=None, until=None))
    else:
        go(current().narrow(**{name: DEFAULT_SPAN if name == "span" else None}))


def open_call(record: int) -> None:
    """Opens one call, over the filter that led to it."""
    go(current(), call=str(record))


def asked_call() -> int | None:
    """The call that the address opens."""
    return whole_number(st.query_params.get("call", ""))


def put(name: str, value: str | None) -> None:
    """Sets or removes one parameter of the address, and nothing else of it."""
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)
