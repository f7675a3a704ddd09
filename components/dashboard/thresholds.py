"""Alerts: those that are passed, on top of the page, and the form that saves one."""

from typing import get_args

import streamlit as st

from components.access import may_run
from components.amounts import calls_in_words, duration, number, percent
from components.dashboard.address import lead_to
from components.dashboard.wording import chips, spans
from components.i18n import _
from components.safe_text import md_escape
from webcards.store import Filter, Store
from webcards.store.alerts import SHARES, Alert, Measure, Raised, delete_alert, list_alerts, raised, save_alert
from webcards.store.store import now_ms


def measures() -> dict[str, str]:
    """What an alert can watch."""
    return {
        "fell_back": _("Fell back (share)"),
        "errors": _("Failed (share)"),
        "truncated": _("Truncated (share)"),
        "unfinished": _("Unfinished (share)"),
        "p50": _("Time of half the calls (ms)"),
        "p95": _("Time of 95 % of the calls (ms)"),
        "p99": _("Time of 99 % of the calls (ms)"),
        "calls": _("Number of calls"),
    }


def raised_alerts(store: Store, *, now: int) -> None:
    """Draws the alerts that are passed now."""
    with store.reading() as connection:
        passed = raised(connection, now=now)
    for found in passed:
        with st.container(horizontal=True, vertical_alignment="center", key=f"alert-{found.alert.id}"):
            st.warning(_words(found), icon=":material/notifications_active:")
            if st.button(_("Show the calls"), key=f"alert-show-{found.alert.id}"):
                lead_to(found.behind)
                st.rerun()


def alert_form(store: Store, wanted: Filter, zone: str | None) -> None:
    """Draws the saved alerts, and the form that saves one for the filter in force."""
    with st.popover(_("Alerts"), icon=":material/notifications:"):
        with store.reading() as connection:
            saved = list_alerts(connection)
        for alert in saved:
            _saved(store, alert)
        if not saved:
            st.caption(_("No alert is saved yet."))
        if not may_run():
            return
        st.divider()
        names = measures()
        watched = [spans().get(wanted.span, wanted.span), *chips(wanted, zone).values()]
        st.caption(md_escape(_("Watches what the filter means now: %(filter)s") % {"filter": ", ".join(watched)}))
        with st.form("alert", border=False):
            name = st.text_input(_("Name"), max_chars=80)
            measure = st.selectbox(_("What"), list(names), format_func=lambda key: names[key])
            above = st.number_input(
                _("Above (a share in %, a time in ms, or a number)"), min_value=0.0, value=1.0, step=0.5
            )
            least = st.number_input(_("From how many calls on"), min_value=1, value=20)
            if st.form_submit_button(_("Save the alert")):
                _save(store, name, str(measure), float(above), int(least), wanted)


def _saved(store: Store, alert: Alert) -> None:
    words = threshold_words(alert)
    label = md_escape(f"{alert.name}: {words}" if _named(alert) else words)
    if may_run():
        st.button(
            label, key=f"alert-del-{alert.id}", icon=":material/delete:", on_click=_forget, args=(store, alert.id)
        )
    else:
        st.caption(label)


def threshold_words(alert: Alert) -> str:
    """The threshold in words; plain text."""
    span = spans().get(alert.filter.span, alert.filter.span)
    above = _amount(alert.measure, alert.above)
    return _("%(what)s > %(above)s in: %(span)s") % {"what": measures()[alert.measure], "above": above, "span": span}


def _words(found: Raised) -> str:
    value = _amount(found.alert.measure, found.value)
    if not _named(found.alert):
        words = _("%(threshold)s: now %(value)s of %(calls)s") % {
            "threshold": threshold_words(found.alert),
            "value": value,
            "calls": calls_in_words(found.calls),
        }
        return md_escape(words)
    words = _("%(name)s: %(value)s of %(calls)s (%(threshold)s)") % {
        "name": found.alert.name,
        "value": value,
        "calls": calls_in_words(found.calls),
        "threshold": threshold_words(found.alert),
    }
    return md_escape(words)


def _named(alert: Alert) -> bool:
    """Whether somebody gave the alert a name; without one it is called what it watches, which is said anyway."""
    return alert.name not in {alert.measure, measures()[alert.measure]}


def _amount(measure: str, value: float) -> str:
    if measure in SHARES:
        return percent(value)
    return number(value) if measure == "calls" else duration(value)


def _save(store: Store, name: str, measure: str, above: float, least: int, wanted: Filter) -> None:
    known: Measure = measure if measure in get_args(Measure) else "errors"  # type: ignore[assignment]
    moving = wanted.narrow(since=None, until=None)
    try:
        with store.writing() as connection:
            save_alert(
                connection,
                name=name,
                measure=known,
                above=above / 100 if measure in SHARES else above,
                wanted=moving,
                at_least=least,
                now=now_ms(),
            )
    except ValueError as error:
        st.error(md_escape(str(error)))
        return
    st.rerun()


def _forget(store: Store, alert: int) -> None:
    with store.writing() as connection:
        delete_alert(connection, alert)
