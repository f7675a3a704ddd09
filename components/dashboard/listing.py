"""The list of the calls behind the figures, a page at a time."""

from typing import get_args

import streamlit as st

from components.dashboard.address import put
from components.dashboard.overview import call_rows
from components.i18n import _
from webcards.store import Filter, Store
from webcards.store.calls import Order, list_calls

A_PAGE = 25


def listing(store: Store, wanted: Filter, *, now: int, zone: str | None) -> None:
    """Draws one page of the calls, and the way to the next."""
    orders = {"newest": _("Newest first"), "slowest": _("Slowest first"), "largest": _("Largest first")}
    asked = st.query_params.get("order")
    order: Order = asked if asked in get_args(Order) else "newest"  # type: ignore[assignment]
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.subheader(_("The calls"), anchor=False)
    key = f"order-{order}"
    right.selectbox(
        _("Order"),
        list(orders),
        index=list(orders).index(order),
        format_func=lambda name: orders[name],
        key=key,
        on_change=lambda: _reorder(key),
        label_visibility="collapsed",
    )
    after = st.query_params.get("after")
    with store.reading() as connection:
        page = list_calls(connection, wanted.at(now), now=now, order=order, following=after, limit=A_PAGE)
    if not page.calls and wanted.fields_set:
        st.info(
            _("No call is meant by this filter. Widen the time range or take a condition away."),
            icon=":material/search_off:",
        )
    else:
        call_rows(page.calls, "call", zone)
    with st.container(horizontal=True):
        if after:
            st.button(_("First page"), icon=":material/first_page:", on_click=put, args=("after", None))
        if page.following:
            st.button(_("Next page"), icon=":material/chevron_right:", on_click=put, args=("after", page.following))


def _reorder(key: str) -> None:
    put("order", st.session_state.get(key))
    put("after", None)
