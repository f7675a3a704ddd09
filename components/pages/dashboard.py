"""The Dashboard page: what the recorded calls say, each figure a click away from the calls behind it."""

from zoneinfo import ZoneInfo

import streamlit as st

from components.dashboard.address import CALLS, SHOW, asked_call, calls_asked, current, go, put
from components.dashboard.bar import filter_bar
from components.dashboard.listing import listing
from components.dashboard.one_call import one_call
from components.dashboard.overview import ask, asked_dimension, overview
from components.dashboard.tables import SHEET as TABLE_SHEET
from components.dashboard.thresholds import raised_alerts
from components.i18n import _
from components.polled import polled
from components.record import opened_record
from components.rows import SHEET as ROWS_SHEET
from components.shell import faults_in_words, heading
from components.viewer import zone as reader_zone
from webcards.store import Filter, Store
from webcards.store.store import now_ms

LOOK_EVERY = 5.0


def figures(store: Store, wanted: Filter, zone: str | None) -> None:
    """Draws what changes as calls come in."""
    now = now_ms() + 1
    raised_alerts(store, now=now)
    _what_is_shown()
    if calls_asked():
        store.refresh()
        listing(store, wanted, now=now, zone=zone)
        return
    dimension = asked_dimension()
    found = ask(store, wanted, dimension, now=now, zone=ZoneInfo(zone) if zone else None)
    if not found.totals.calls and not wanted.fields_set:
        st.info(
            _("No call was recorded in this time. Run a search or a fetch, and it shows here."),
            icon=":material/hourglass_empty:",
        )
        return
    if found.totals.calls:
        overview(found, dimension, zone)
    listing(store, wanted, now=now, zone=zone)


def _what_is_shown() -> None:
    """The figures, or the calls that one of them led to."""
    views = {"": _("Figures"), CALLS: _("Calls")}
    key = f"show-{calls_asked()}"
    st.segmented_control(
        _("View"),
        list(views),
        format_func=lambda name: views[name],
        default=CALLS if calls_asked() else "",
        key=key,
        on_change=lambda: put(SHOW, st.session_state.get(key)),
        label_visibility="collapsed",
        required=True,
    )


def page(store: Store) -> None:
    """Draws one call, or the dashboard."""
    zone = reader_zone()
    record = asked_call()
    if record is not None:
        one_call(store, record, zone, back=_("Back to the dashboard"), leave=lambda: go(current()))
        return
    wanted = filter_bar(store, zone)
    live = st.query_params.get("live") == "1"
    polled(figures, LOOK_EVERY if live else None, store, wanted, zone)


heading(_("Dashboard"), _("Every call that was recorded: how many, how well, how fast, and which."))
st.html(f"<style>{TABLE_SHEET}{ROWS_SHEET}</style>")
with faults_in_words():
    opened = opened_record()
    if opened is not None:
        page(opened)
