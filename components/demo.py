"""Demo mode: one card at a time in large type, and a tour through the built-in library that is walked with the arrow keys."""

from html import escape

import streamlit as st

from components.address import Ask
from components.i18n import _
from components.live import Job, Jobs, Live, live
from components.markup import pending_html
from components.polled import polled
from components.run_form import asked
from components.shell import faults_in_words
from components.web_card import running_words, use_stylesheet, web_card
from webcards.contract import ErrorData, args_of_event, present_fields
from webcards.library.tour import TOUR
from webcards.settings import read_settings
from webcards.tools.presenters import present_call
from webcards.tools.registry import Execution

SHEET = """
html{font-size:20px}
[data-testid="stSidebar"],[data-testid="stHeader"],[data-testid="stSidebarCollapsedControl"],footer{display:none}
.stMainBlockContainer{padding-top:1.4rem;padding-bottom:1rem;max-width:62rem}
.stHtml{overflow-wrap:anywhere}
.stButton kbd{opacity:1;color:light-dark(#5a6472,#a3adba)}
.stButton [kind="primary"] kbd{color:inherit}
.demo-step{margin:0;display:flex;flex-wrap:wrap;gap:.2rem .8rem;align-items:baseline}
.demo-step strong{font-size:1.35rem}
.demo-step span{font-variant-numeric:tabular-nums;opacity:.75}
.demo-text{margin:.1rem 0 0;font-size:1.05rem}
.demo-start{padding:16vh 0;text-align:center}
.demo-start p{font-size:1.15rem}
.demo-start h1{font-size:2.6rem}
.wc{font-size:1.05rem}
.wc .wc-list{max-height:56vh}
.wc .wc-body{max-height:52vh}
"""


@st.cache_resource(show_spinner=False, on_release=Live.close)
def _library() -> Live:
    """What runs the tour: it searches the built-in library alone, so that a talk needs neither network nor key."""
    return Live(read_settings(search_provider="library"))


@st.cache_resource(show_spinner=False, scope="session", on_release=Jobs.cancel_all)
def _jobs() -> Jobs:
    """The calls of this demo that run; they end with the tab."""
    return Jobs()


# Settled steps by their number, so that a step back is there at once; and the call that the run bar asked for last.
_SETTLED, _STEP, _OWN = "demo-settled", "demo-step", "demo-own"


def demo() -> None:
    """Draws demo mode."""
    st.html(f"<style>{SHEET}</style>")
    use_stylesheet()
    step = _step()
    _walk(step)
    ask = None
    if step:
        with st.expander(_("Ask something else"), icon=":material/search:"):
            ask = asked(live().registry)
        if ask:
            _start(ask)
    if not step:
        _beginning()
        return
    # The place stays where it is, with words or without, so that the card below is the same element in every run.
    with st.container():
        if st.session_state.get(_OWN) is None:
            _say(step)
    running = _current_job(step) is not None
    polled(_stage, 0.2 if running else None, step)


def _step() -> int:
    """The step of the tour, from 1; 0 is the opening screen. The address says it at first."""
    asked_for = st.query_params.get("step", "")
    known = min(int(asked_for), len(TOUR)) if asked_for.isdecimal() and len(asked_for) < 4 else 0
    step: int = st.session_state.setdefault(_STEP, known)
    if step:
        st.query_params["step"] = str(step)
    else:
        st.query_params.pop("step", None)
    return step


def _go_to(step: int) -> None:
    st.session_state[_STEP] = max(0, min(step, len(TOUR)))
    st.session_state.pop(_OWN, None)
    for job in _jobs():
        job.cancel()
    _jobs().clear()


def _again() -> None:
    """Begins anew: every call is made again."""
    st.session_state.pop(_SETTLED, None)
    _go_to(0)


def _walk(step: int) -> None:
    """The buttons of the tour, and the keys that press them."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.button(
            _("Back"),
            icon=":material/arrow_back:",
            shortcut="Left",
            disabled=step == 0,
            on_click=_go_to,
            args=(step - 1,),
            key="demo-back",
        )
        st.button(
            _("Begin anew"),
            icon=":material/first_page:",
            shortcut="Home",
            disabled=step == 0,
            on_click=_again,
            key="demo-again",
        )
        st.button(
            _("Next") if step else _("Begin"),
            icon=":material/arrow_forward:",
            shortcut="Right",
            type="primary",
            disabled=step == len(TOUR),
            on_click=_go_to,
            args=(step + 1,),
            key="demo-next",
        )


def _beginning() -> None:
    title, purpose = "Web Cards", _("Two web tools for agents: what a person sees, beside what the model reads.")
    keys = _("The arrow keys walk through the tour. It runs on the built-in library and needs no network.")
    st.html(f'<div class="demo-start"><h1>{title}</h1><p>{escape(purpose)}</p><p>{escape(keys)}</p></div>')


def _say(step: int) -> None:
    """What the presenter says to this step."""
    told = TOUR[step - 1]
    st.html(
        f'<p class="demo-step"><strong>{escape(_(told.title))}</strong> <span>{step} / {len(TOUR)}</span></p>'
        f'<p class="demo-text">{escape(_(told.text))}</p>'
    )


def _start(ask: Ask) -> None:
    """Runs what was typed, in place of the step; it asks the engines that the settings name."""
    for job in _jobs():
        job.cancel()
    _jobs()[:] = [live().start(ask.tool, ask.args)]
    st.session_state[_OWN] = _jobs()[0].call.data.call_id


def _current_job(step: int) -> Job | None:
    """The call that runs: the one that was asked for, else the step's, which starts when the step is first shown."""
    own = st.session_state.get(_OWN)
    settled: dict[int | str, Execution] = st.session_state.setdefault(_SETTLED, {})
    if (own or step) in settled:
        return None
    if not _jobs():
        told = TOUR[step - 1]
        _jobs().append(_library().start(told.tool, dict(told.args)))
    return _jobs()[0]


def _stage(step: int) -> None:
    """The card of the step, or of the call that was asked for; while it runs, its pending card."""
    with faults_in_words():
        _draw(step)


def _draw(step: int) -> None:
    own = st.session_state.get(_OWN)
    settled: dict[int | str, Execution] = st.session_state.setdefault(_SETTLED, {})
    job = _current_job(step)
    if job is None:
        _card(settled[own or step])
        return
    execution = job.settled()
    if execution is not None:
        settled[own or step] = execution
        _jobs().clear()
        st.rerun()
    progress = job.look()
    view = present_call(job.call.data.name, args_of_event(present_fields(job.call)))
    st.html(
        pending_html(
            view, running_words(progress.words if progress else "", job.seconds), card_id=job.call.data.call_id
        )
    )


def _card(execution: Execution) -> None:
    data = execution.result.data
    details = data.details if isinstance(data.details, dict) else {}
    web_card(
        execution.call.data.name,
        execution.args,
        execution.tool_result,
        key=execution.call.data.call_id,
        page_title=str(details.get("title", "")),
        opened=True,
        outcome=execution.outcome,
        error_code=data.error.code if isinstance(data.error, ErrorData) else "",
    )
