"""A list whose rows are buttons: read by a screen reader, walked by keyboard, and each row leads somewhere."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")

SHEET = """
[class*="st-key-wc-rows"] button{justify-content:flex-start;text-align:start;padding:.45rem .25rem;
  border-radius:0;border-bottom:1px solid color-mix(in srgb,currentColor 12%,transparent)}
[class*="st-key-wc-rows"] button>*{justify-content:flex-start;width:100%}
[class*="st-key-wc-rows"] button p{text-align:start;overflow-wrap:anywhere}
"""


def rows(
    items: Sequence[T],
    key: str,
    label: Callable[[T], str],
    act: Callable[[T], None],
    *,
    empty: str,
    leads: Callable[[T], bool] = lambda _: True,
) -> None:
    """Draws the items, each as a button with a Markdown label; `act` changes the address, and the page is drawn anew.

    An item that `leads` nowhere is drawn as one that cannot be clicked.
    """
    if not items:
        st.caption(empty)
        return
    with st.container(key=f"wc-rows-{key}", gap=None):
        for index, item in enumerate(items):
            disabled = not leads(item)
            if st.button(label(item), key=f"{key}-{index}", type="tertiary", width="stretch", disabled=disabled):
                act(item)
                st.rerun()
