"""The Dashboard page: what the recorded calls say, each figure a click away from the calls behind it."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from components.dashboard.address import asked_call
from components.dashboard.bar import filter_bar
from components.dashboard.listing import listing
from components.dashboard.one_call import one_call
from components.dashboard.overview import ask, asked_dimension, overview
from components.dashboard.tables import SHEET
from components.dashboard.thresholds import raised_alerts
from components.i18n import _
from components.record import opened_record
from components.shell import faults_in_words, heading
from webcards.store import Filter, Store
from webcards.store.store import now_ms

LOOK_EVERY = 5.0


def readers_zone() -> str | None:
    """The reader's time zone, if it is one that is known here."""
    name = getattr(st.context, "timezone", None)
    try:
        return str(ZoneInfo(name).key) if isinstance(name, str) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def figures(store: Store, wanted: Filter, zone: str | None) -> None:
    """Draws what changes as calls come in."""
    now = now_ms() + 1
    raised_alerts(store, now=now)
    dimension = asked_dimension()
    found = ask(store, wanted, dimension, now=now, zone=ZoneInfo(zone) if zone else None)
    if not found.totals.calls and not wanted.fields_set:
        st.info(
            _("No call was recorded in this time. Run a search or a fetch, and it shows here."),
            icon=":material/hourglass_empty:",
        )
        return
    overview(found, dimension, zone)
    listing(store, wanted, now=now, zone=zone)


def page(store: Store) -> None:
    """Draws one call, or the dashboard."""
    zone = readers_zone()
    record = asked_call()
    if record is not None:
        one_call(store, record, zone)
        return
    wanted = filter_bar(store, zone)
    live = st.query_params.get("live") == "1"
    st.fragment(figures, run_every=LOOK_EVERY if live else None)(store, wanted, zone)


heading(_("Dashboard"), _("Every call that was recorded: how many, how well, how fast, and which."))
st.html(f"<style>{SHEET}</style>")
with faults_in_words():
    opened = opened_record()
    if opened is not None:
        page(opened)
