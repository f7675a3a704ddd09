"""The Batch page: many calls at once, started, watched, paused, and compared with an earlier run."""

import streamlit as st

from components.access import email, runner_needed
from components.address import whole_number
from components.batches.form import new_batch
from components.batches.overview import all_batches
from components.batches.run import differences, results, run_head
from components.batches.service import batch_service
from components.dashboard.one_call import one_call
from components.i18n import _
from components.polled import polled
from components.record import opened_record
from components.rows import SHEET
from components.safe_text import md_escape
from components.shell import faults_in_words, heading
from components.viewer import zone
from webcards.batch import batches
from webcards.batch.keeper import is_running
from webcards.store import Store

LOOK_EVERY = 1.0


def asked(name: str) -> int | None:
    """A number in the address."""
    return whole_number(st.query_params.get(name, ""))


def go(**params: str) -> None:
    """Goes to another part of the page; the language stays."""
    kept = {"lang": st.query_params["lang"]} if "lang" in st.query_params else {}
    st.query_params.from_dict({**kept, **params})


def one_run(store: Store, number: int) -> None:
    """Draws a run, its results and what changed."""
    st.button(_("All batches"), icon=":material/arrow_back:", on_click=go)
    run = batches.get_run(store, number)
    batch = batches.get_batch(store, run.batch) if run else None
    if run is None or batch is None:
        st.warning(_("There is no run of this number. Its batch may have been deleted."), icon=":material/search_off:")
        return
    st.subheader(md_escape(batch.name), anchor=False)
    views = {"results": _("Results"), "changes": _("What changed")}
    view = st.segmented_control(
        _("View"),
        list(views),
        format_func=lambda name: views[name],
        default="results",
        key="run-view",
        label_visibility="collapsed",
        required=True,
    )

    def watched() -> None:
        # One fragment for both: two that are drawn anew by themselves could overtake each other at the end of a run.
        run_head(store, run, batch, zone())
        if view == "results":
            results(store, run)

    polled(watched, LOOK_EVERY if run.state == "running" else None)
    if view == "changes":
        differences(store, run, zone())


def page(store: Store) -> None:
    """Draws one call, one run, or all batches."""
    if not is_running():
        batch_service()
    run, call = asked("run"), asked("call")
    if call is not None:
        one_call(store, call, zone(), back=_("Back to the run"), leave=lambda: go(**({"run": str(run)} if run else {})))
    elif run is not None:
        one_run(store, run)
    else:
        started = None if runner_needed() else new_batch(store, person=email())
        chosen = all_batches(store, zone(), person=email())
        if started or chosen:
            go(run=str(started or chosen))
            st.rerun()


heading(_("Batch"), _("Many queries and URLs at once, politely; what has settled is never done again."))
st.html(f"<style>{SHEET}</style>")
with faults_in_words():
    opened = opened_record()
    if opened is not None:
        page(opened)
