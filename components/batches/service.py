"""The batches of this process: one service beside the pages, which also goes on with what a restart broke off."""

from concurrent.futures import Future

import streamlit as st

from components.live import live
from components.record import record
from webcards.batch.service import Service


def _end(serving: "Future[None]") -> None:
    serving.cancel()


@st.cache_resource(show_spinner=False, on_release=_end)
def batch_service() -> "Future[None]":
    """Starts the service in the app's event loop, once a process. Raises what the store and the tools raise."""
    running = live()
    return running.submit(Service(record(), running.registry).run())
