"""The batches of this process: one service beside the pages, which also goes on with what a restart broke off."""

from concurrent.futures import Future

import streamlit as st

from components.live import live
from components.record import record
from webcards.batch.service import Service
from webcards.serving.limits import limits_of
from webcards.settings import load_settings


def _end(serving: "Future[None]") -> None:
    serving.cancel()


@st.cache_resource(show_spinner=False, on_release=_end)
def batch_service() -> "Future[None]":
    """Starts the service in the app's event loop, once a process. Raises what the store and the tools raise."""
    running, settings = live(), load_settings()
    limits = limits_of(settings.calls_per_minute, settings.calls_per_day)
    return running.submit(Service(record(), running.registry, limits=limits).run())
