"""The Run page: choose a tool, ask, watch the call run, read its card; each call stays on the page, newest first."""

import time

import streamlit as st

from components.address import Ask, addressed, came_back, just_opened
from components.citing import citing
from components.i18n import _, ngettext
from components.live import live, session_jobs
from components.polled import polled
from components.record import opened_record
from components.run_form import asked, fill, reading_on
from components.safe_text import md_escape
from components.session import add_call, call_of, calls, find_call, following_ask, read_ons, session_log
from components.shell import faults_in_words, heading
from components.source_actions import clicked_sources
from components.tool_call import running_call, settled_call
from webcards.contract import WebError, WebSearchResultView, safe_link
from webcards.tools.registry import Execution

SHOWN_CALLS = 20
MOST_AT_ONCE = 10


# Why a call was not started, and until when the page says so, in seconds since the epoch.
_REFUSED = "refused"
_SAID_FOR = 60.0


# The call that a step back in the browser led to, which is drawn first; and the parts of a page that are still to be read:
# how many, and how many were there when the last of them was started.
_FRONT, _UNREAD = "call-in-front", "parts-unread"
# How many fetches were started from the sources of a card, until the page has said so.
_ABOVE = "fetched-above"


def start(ask: Ask, address: Ask | None) -> bool:
    """Starts the call, and puts what reproduces the page into its address. False if it may not start (yet)."""
    store = opened_record()
    try:
        job = live().start(ask.tool, ask.args, store=store)
    except WebError as error:
        st.session_state[_REFUSED] = (error.message, time.time() + min(error.retry_after or 0, _SAID_FOR))
        return False
    session_jobs().insert(0, job)
    st.session_state.pop(_REFUSED, None)
    if ask.parts > 1:
        _unread()[job.call.data.call_id] = (ask.parts - 1, -1)
    if address:
        address.into_url()
    return True


def _unread() -> dict[str, tuple[int, int]]:
    unread: dict[str, tuple[int, int]] = st.session_state.setdefault(_UNREAD, {})
    return unread


def wanted_by_address() -> Ask | None:
    """The call of the address that was opened, or that the browser's back or forward button led to. It stands in the
    fields then. A call that this session has made already is drawn first, and not made again.
    """
    opened, back = just_opened(), came_back()
    if not opened and not back:
        return None
    wanted = addressed()
    fill(wanted, opened=opened)
    st.session_state.pop(_FRONT, None)
    if wanted is None or session_jobs().running(wanted.tool, wanted.args):
        return None
    made = call_of(wanted.tool, wanted.args)
    if made is None:
        return wanted
    call_id = made.call.data.call_id
    there = len(read_ons().get(call_id, []))
    if wanted.parts > there + 1:
        _unread()[call_id] = (wanted.parts - 1 - there, there - 1)
    st.session_state[_FRONT] = call_id
    return None


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


def sources_to_fetch() -> list[Ask]:
    """The fetches of the sources whose buttons were clicked, but for those that run already."""
    asks = []
    for card, number in clicked_sources():
        execution = find_call(card)
        view = execution.view if execution else None
        if isinstance(view, WebSearchResultView) and 1 <= number <= len(view.sources):
            ask = Ask("web_fetch", {"url": view.sources[number - 1].url})
            if ask not in asks and not session_jobs().running(ask.tool, ask.args):
                asks.append(ask)
    return asks


def told_above() -> None:
    """Says that pages are fetched: on a small screen their cards stand out of sight, above what was clicked."""
    count = st.session_state.pop(_ABOVE, 0)
    if count:
        words = ngettext("Fetching the page; it is above.", "Fetching %(n)d pages; they are above.", count) % {
            "n": count
        }
        st.toast(words, icon=":material/arrow_upward:")


def read_on(execution: Execution, chain: list[Execution]) -> bool:
    """Draws "Read on"; starts the next part of the page when it is clicked, or when the address asks for it.

    Gives whether the page has to be drawn anew: with the call that runs, or with why it may not.
    """
    call_id = execution.call.data.call_id
    last = [execution, *chain][-1]
    left, begun_at = _unread().get(call_id, (0, 0))
    following = following_ask(last)
    if following is None or session_jobs().running("web_fetch", following):
        return False
    clicked = reading_on(last)
    if left > 0 and len(chain) > begun_at:
        _unread()[call_id] = (left - 1, len(chain))
        start(Ask("web_fetch", following), None)
        return True
    if not clicked:
        return False
    args = execution.args if isinstance(execution.args, dict) else {}
    start(Ask("web_fetch", following), Ask("web_fetch", args, len(chain) + 2))
    return True


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


def heads() -> list[Execution]:
    """The settled calls, newest first, without those that read on; the one that the address asks for before them."""
    followers = {execution.call.data.call_id for chain in read_ons().values() for execution in chain}
    front = st.session_state.get(_FRONT)
    found = [execution for execution in calls() if execution.call.data.call_id not in followers]
    return sorted(found, key=lambda execution: execution.call.data.call_id != front)


heading(_("Run"), _("Search the web or read a page, and see what a person sees beside what the model reads."))
with faults_in_words():
    wanted = wanted_by_address()
    sent = asked(live().registry) or wanted
    clicked = sources_to_fetch()
    for ask in [*([sent] if sent else []), *clicked]:
        st.session_state.pop(_FRONT, None)
        if not start(ask, ask):
            break
        if ask in clicked:
            st.session_state[_ABOVE] = st.session_state.get(_ABOVE, 0) + 1
    told_above()
    refused()
    polled(running, 0.2 if session_jobs() else None)
    chains, shown = read_ons(), heads()
    for number, execution in enumerate(shown[:SHOWN_CALLS]):
        if number:
            st.space("small")
        chain = chains.get(execution.call.data.call_id, [])
        with st.container(key=f"call-{execution.call.data.call_id}"):
            settled_call(execution, read_on=chain, actions=True, opened=number == 0)
            again = read_on(execution, chain)
            # All the sources at once are no page of their own: the address stays the search's.
            for ask in taking_along(execution):
                again = True
                st.session_state.pop(_FRONT, None)
                if not start(ask, None):
                    break
                st.session_state[_ABOVE] = st.session_state.get(_ABOVE, 0) + 1
            if again:
                st.rerun()
    if calls():
        hidden = len(shown) - SHOWN_CALLS
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
