"""All batches and their runs, and when each runs by itself."""

import streamlit as st

from components.access import may_run
from components.amounts import calls_in_words, day_and_time
from components.batches.wording import states
from components.i18n import _
from components.safe_text import md_escape
from webcards.batch import batches, schedule
from webcards.batch.batches import Batch
from webcards.batch.schedule import ScheduleError
from webcards.batch.seen import workers_seen
from webcards.store import Store
from webcards.store.store import now_ms

RUNS_SHOWN = 5


def all_batches(store: Store, zone: str | None, *, person: str | None) -> int | None:
    """Draws the batches; gives the run that was chosen or started."""
    listed = batches.list_batches(store)
    if not listed:
        st.caption(_("No batch yet. Type a few queries and URLs above, and run them."))
    chosen = None
    for batch in listed:
        with st.container(border=True, key=f"batch-{batch.id}"):
            chosen = _batch(store, batch, zone, person) or chosen
    return chosen


def _batch(store: Store, batch: Batch, zone: str | None, person: str | None) -> int | None:
    chosen = None
    st.markdown(f"**{md_escape(batch.name)}** · {md_escape(calls_in_words(batch.items))}")
    if batch.next_at is not None:
        st.caption(
            md_escape(_("Runs by itself; next %(when)s") % {"when": day_and_time(batch.next_at, zone)}),
        )
    with st.container(horizontal=True):
        for run in batches.list_runs(store, batch.id)[:RUNS_SHOWN]:
            label = f"{_('run %(n)d') % {'n': run.id}} · {day_and_time(run.started_at, zone)} · {states()[run.state]}"
            if st.button(md_escape(label), key=f"run-{run.id}"):
                chosen = run.id
    if not may_run():
        return chosen
    with st.container(horizontal=True):
        if st.button(_("Run again"), key=f"again-{batch.id}", icon=":material/replay:"):
            on_workers = workers_seen(store) > 0
            chosen = batches.start_run(store, batch.id, on_workers=on_workers, person=person)
        with st.popover(_("Every night"), icon=":material/schedule:", key=f"nightly-{batch.id}"):
            _schedule(store, batch, zone)
        with st.popover(_("Delete"), icon=":material/delete:", key=f"delete-{batch.id}"):
            st.write(_("The batch and its runs are deleted; the recorded calls stay."))
            if st.button(_("Delete the batch"), key=f"delete-now-{batch.id}", type="primary"):
                batches.delete_batch(store, batch.id)
                st.rerun()
    return chosen


def _schedule(store: Store, batch: Batch, zone: str | None) -> None:
    at = st.text_input(_("At"), value=batch.daily_at or "02:30", key=f"at-{batch.id}", help=_("Such as 02:30"))
    place = st.text_input(_("Time zone"), value=batch.zone or zone or "UTC", key=f"zone-{batch.id}")
    if st.button(_("Run it every day"), key=f"daily-{batch.id}"):
        try:
            schedule.set_schedule(store, batch.id, at, zone=place, now=now_ms())
        except ScheduleError as error:
            st.error(md_escape(str(error)))
        else:
            st.rerun()
    if batch.daily_at is not None and st.button(_("No more"), key=f"never-{batch.id}"):
        schedule.set_schedule(store, batch.id, None, now=now_ms())
        st.rerun()
