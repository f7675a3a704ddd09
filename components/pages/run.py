"""The Run page: choose a tool, ask, watch the call run, read its card; each call stays on the page, newest first."""

import time

import streamlit as st

from components.citing import citing
from components.i18n import _
from components.live import live, session_jobs
from components.record import opened_record
from components.run_form import Ask, asked, reading_on, reproduced
from components.safe_text import md_escape
from components.session import add_call, calls, find_call, read_ons, session_log
from components.shell import faults_in_words, heading
from components.source_actions import clicked_source
from components.tool_call import running_call, settled_call
from webcards.contract import WebError, WebSearchResultView, safe_link
from webcards.tools.registry import Execution

SHOWN_CALLS = 20
MOST_AT_ONCE = 10


# Why a call was not started, and until when the page says so, in seconds since the epoch.
_REFUSED = "refused"
_SAID_FOR = 60.0


def start(ask: Ask) -> bool:
    """Starts the call, and puts what reproduces it into the page's address. False if it may not start (yet)."""
    store = opened_record()
    try:
        session_jobs().insert(0, live().start(ask.tool, ask.args, store=store))
    except WebError as error:
        st.session_state[_REFUSED] = (error.message, time.time() + min(error.retry_after or 0, _SAID_FOR))
        return False
    st.session_state.pop(_REFUSED, None)
    ask.into_url()
    return True


def refused() -> None:
    """Says why the last call was not started, for as long as another one would not be either."""
    message, until = st.session_state.get(_REFUSED, ("", 0.0))
    if message:
        st.warning(md_escape(message), icon=":material/hourglass_top:")
    if time.time() >= until:
        st.session_state.pop(_REFUSED, None)


def running() -> None:
    """Draws the calls that run; when one settles, the whole page is drawn anew with its card."""
    jobs = session_jobs()
    for job in list(jobs):
        execution = job.settled()
        if execution is not None:
            jobs.remove(job)
            add_call(execution)
            st.rerun()
        running_call(job)


def source_to_fetch() -> Ask | None:
    """The fetch of the source whose button was clicked."""
    clicked = clicked_source()
    execution = find_call(clicked[0]) if clicked else None
    if clicked and execution and isinstance(execution.view, WebSearchResultView):
        sources = execution.view.sources
        if 1 <= clicked[1] <= len(sources):
            return Ask("web_fetch", {"url": sources[clicked[1] - 1].url})
    return None


def taking_along(execution: Execution) -> list[Ask]:
    """Draws what can be done with all the sources of a search; gives the fetches when all are wanted."""
    view = execution.view
    if not isinstance(view, WebSearchResultView) or not view.sources:
        return []
    key = execution.call.data.call_id
    with st.container(horizontal=True):
        citing(view.sources, key=key)
        fetch_all = st.button(_("Fetch all"), key=f"{key}-all", icon=":material/download_for_offline:")
    urls = [source.url for source in view.sources if safe_link(source.url)]
    return [Ask("web_fetch", {"url": url}) for url in reversed(urls[:MOST_AT_ONCE])] if fetch_all else []


heading(_("Run"), _("Search the web or read a page, and see what a person sees beside what the model reads."))
with faults_in_words():
    ask = asked(live().registry) or source_to_fetch() or reproduced()
    if ask:
        start(ask)
    refused()
    st.fragment(running, run_every=0.2 if session_jobs() else None)()
    chains = read_ons()
    followers = {execution.call.data.call_id for chain in chains.values() for execution in chain}
    heads = [execution for execution in calls() if execution.call.data.call_id not in followers]
    for number, execution in enumerate(heads[:SHOWN_CALLS]):
        chain = chains.get(execution.call.data.call_id, [])
        with st.container(key=f"call-{execution.call.data.call_id}"):
            settled_call(execution, read_on=chain, actions=True, opened=number == 0)
            following = [more] if (more := reading_on([execution, *chain][-1])) else taking_along(execution)
            for ask in following:
                if not start(ask):
                    break
            if following:
                st.rerun()
    if calls():
        hidden = len(heads) - SHOWN_CALLS
        if hidden > 0:
            st.caption(_("%(n)d older calls are in the session log.") % {"n": hidden})
        st.download_button(
            _("Download the session log"),
            data=session_log(),
            file_name="session.jsonl",
            mime="application/x-ndjson",
            icon=":material/download:",
            on_click="ignore",
        )
