"""The Replay page: the log of any agent, card by card, each call with what the model saw and what the log holds."""

import streamlit as st

from components.amounts import calls_in_words, number
from components.i18n import _
from components.replay.bar import current_call, filter_bar, filters_in_words, moving_bar, page_of
from components.replay.calls import listed_call, one_call
from components.replay.choosing import chosen_log
from components.replay.opened import OpenedLog
from components.replay.whole import checks, comparison, downloads, problem_list, reading_bar
from components.safe_text import md_escape
from components.shell import faults_in_words, heading
from webcards.logs.index import LogIndex
from webcards.settings import load_settings

FOLLOW_EVERY = 2.0


def replay(log: OpenedLog) -> None:
    """Draws an opened log: what there is of it so far, and the rest as it comes."""
    # Asked before anything is counted: what is drawn while the log is read is drawn again when it is read.
    reading = log.reading
    fault = log.fault()
    if fault:
        st.error(fault, icon=":material/error:")
        return
    with log.index() as index:
        total = index.count()
        _summary(log, index, total)
        if reading:
            st.fragment(reading_bar, run_every=0.4)(log)
        problem_list(index)
        if total:
            _calls(log, index, total, reading=reading)
    if log.followable and not reading:
        _follow(log)


def _summary(log: OpenedLog, index: LogIndex, total: int) -> None:
    formats = ", ".join(name for name, _count in index.facets()["format"])
    words = [log.name, formats, calls_in_words(total)]
    st.markdown(
        " · ".join(
            f"**{md_escape(word)}**" if place == 0 else md_escape(word) for place, word in enumerate(words) if word
        )
    )


def _calls(log: OpenedLog, index: LogIndex, total: int, *, reading: bool) -> None:
    masked = True
    if load_settings().log_show_secrets:
        masked = not st.toggle(_("Show keys, tokens and signed addresses"), key="replay-secrets")
    zone = getattr(st.context, "timezone", None)
    filters = filter_bar(index)
    listed = index.count(filters)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(filters_in_words(listed, total))
        downloads(log, filters, listed, masked=masked)
    checks(log)
    comparison(log)
    first = index.next_after(0, filters)
    current = current_call() or first
    if current is not None:
        moving_bar(index, filters, current)
        with st.container(border=True, key="replay-current"):
            if reading and current > total:
                st.info(_("Call %(n)s has not been read yet.") % {"n": number(current)}, icon=":material/hourglass:")
            else:
                one_call(index, current, masked=masked, zone=zone)
    page = page_of(index, filters, current, listed)
    for entry in index.page(page, filters):
        listed_call(index, entry, current=entry.n == current, masked=masked, zone=zone)


def _follow(log: OpenedLog) -> None:
    words = _("Looks every two seconds for what was written to the log.")
    if st.toggle(_("Follow"), key="replay-follow", help=words):
        st.fragment(_look, run_every=FOLLOW_EVERY)(log, _counts(log))


def _look(log: OpenedLog, shown: tuple[int, int] | None) -> None:
    """Looks for what is new; when there is something, the page is drawn anew."""
    if _counts(log) != shown:
        st.rerun()
    log.follow()


def _counts(log: OpenedLog) -> tuple[int, int] | None:
    """The calls and the problems that were found so far."""
    return None if log.progress is None else (log.progress.calls, log.progress.problems)


heading(
    _("Replay"), _("The log of any agent, card by card: what a person sees, what the model read, what the log holds.")
)
with faults_in_words():
    opened = chosen_log()
    if opened is not None:
        replay(opened)
