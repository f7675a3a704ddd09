"""A part of a page that draws itself again every so often while something runs, and rests in place when nothing does."""

from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

P = ParamSpec("P")


def polled(draw: Callable[P, object], every: float | None, *args: P.args, **kwargs: P.kwargs) -> None:
    """Draws a part, and again every so many seconds; once where `every` is None.

    What rests is no fragment. Streamlit ignores a late request for one that is not there; for one that is, it may start
    anew before the last run's messages have gone out, and drops them: the page would stay as it was before (seen where
    fifty sessions kept the server busy).
    """
    # In a container either way, so that what stands below keeps its place.
    with st.container():
        if every is None:
            draw(*args, **kwargs)
        else:
            st.fragment(draw, run_every=every)(*args, **kwargs)
