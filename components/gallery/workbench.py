"""The workbench: one state, its parts as JSON that can be changed, and what the card makes of each change at once."""

from html import escape
from itertools import islice
from typing import NamedTuple

import streamlit as st

from components.gallery.breaking import changed_caption
from components.gallery.browse import neighbours, state_address
from components.gallery.catalogue import group_of, states
from components.gallery.draft import Draft, Reading, draft_of, draft_of_state, outcome, read_draft, refused_line
from components.gallery.drawing import Frame, framed_result, framed_state, in_frame
from components.gallery.frame_choice import frame_choice
from components.gallery.json_editor import json_editor, typed_text
from components.gallery.mutator import mutations
from components.gallery.panes import panes
from components.gallery.state import State
from components.i18n import _, in_language, language
from components.markup import pending_html
from components.web_card import running_words
from webcards.contract import Refusal, WebResultView
from webcards.tools.presenters import PRESENTERS, present_call

# A browser's text field grows slow over more; what is longer is drawn, but not edited here.
EDITED_CHARS = 400_000
_ROWS = {"meta": 16, "args": 4, "content": 6}


def workbench() -> None:
    """Draws the choice of a state and of what is around its card, and the bench itself."""
    state = _chosen_state()
    st.html(
        f'<p class="gallery-look"><a class="gallery-id" href="{escape(state_address(state.id), quote=True)}">'
        f"{escape(state.id)}</a> {escape(_(state.look))}</p>"
    )
    frame, other = frame_choice(state)
    _bench(state, frame, other)


@st.fragment
def _bench(state: State, frame: Frame, other: State | None) -> None:
    """The card and the fields: all that is drawn again at a key press."""
    if other is None:
        left, right = st.columns([5, 6], gap="medium")
    else:
        right, beside = st.columns(2, gap="medium")
        with beside:
            st.caption(f"`{other.id}` {_('for comparison')}")
            st.html(framed_state(other, frame, card_id="other"))
        left = st.container()
    with left:
        work = _work_on(state)
    # The card goes to the browser before the fields: whoever types looks at the card.
    with right:
        if other is not None:
            st.caption(f"`{state.id}`")
        st.html(_card(work, frame))
        panes(state, work.draft, work.reading, work.drawn)
    with left:
        _fields(work)


class Work(NamedTuple):
    """A state that is worked on: what was given, what stands in the fields by now, and what becomes of it."""

    state: State
    given: Draft
    keys: dict[str, str]
    draft: Draft
    reading: Reading
    drawn: WebResultView | Refusal | None


def _chosen_state() -> State:
    """The state that is shown: of the address at first, then of the field, or of the buttons beside it."""
    known = states()
    asked = st.query_params.get("state", "")
    st.session_state.setdefault("gallery-state", asked if asked in known else next(iter(known)))
    field, buttons = st.columns([11, 4], vertical_alignment="bottom")
    name = field.selectbox(
        _("State"),
        list(known),
        key="gallery-state",
        format_func=_named,
        help=_("Type a part of its name to find it."),
    )
    state = known[str(name)]
    previous, following = neighbours(state)
    row = buttons.container(horizontal=True)
    for target, label, key, icon in (
        (previous, _("Previous"), "gallery-previous", ":material/arrow_back:"),
        (following, _("Next"), "gallery-next", ":material/arrow_forward:"),
    ):
        row.button(
            label,
            icon=icon,
            disabled=target is None,
            on_click=_go_to,
            args=(target,),
            key=key,
            width="stretch",
        )
    st.query_params["view"] = "state"
    if st.query_params.get("state") != state.id:
        st.query_params["state"] = state.id
        st.query_params.pop("change", None)
    return state


def _named(state_id: str) -> str:
    group = group_of(state_id)
    return f"{state_id} · {_(group.title)}" if group else state_id


def _go_to(state_id: str | None) -> None:
    if state_id:
        st.session_state["gallery-state"] = state_id


def _work_on(state: State) -> Work:
    """Draws the tool and the error flag, and reads what stands in the fields."""
    given, change = _given(state)
    round_ = f"{st.session_state.get('gallery-round', 0)}{change}"
    keys = {part: f"edit-{part}-{state.id}-{round_}" for part in _ROWS}
    tool, failed, error = _tool_and_error(state, given, round_)
    draft = Draft(
        tool,
        args=typed_text(keys["args"], given.args),
        meta=typed_text(keys["meta"], given.meta),
        content=typed_text(keys["content"], given.content),
        failed=failed,
        error=error,
        running=given.running,
    )
    reading = read_draft(draft)
    return Work(state, given, keys, draft, reading, outcome(draft, reading))


def _given(state: State) -> tuple[Draft, str]:
    """What the fields begin with: the state, or the change of it that the address asks for, and that change's name."""
    asked = st.query_params.get("change", "")
    if state.expect.get("card") != "web" or not asked.isdecimal():
        return draft_of_state(state), ""
    result = state.result
    changed = next(islice(mutations(result["meta"]), int(asked[:6]), None), None)
    if changed is None:
        return draft_of_state(state), ""
    st.caption(changed_caption(changed))
    return draft_of(state.tool, state.args, {**result, "meta": changed.meta}), f"-{asked}"


def _fields(work: Work) -> None:
    """Draws the fields, each with what is wrong in it."""
    labels = {
        "meta": _("Meta: leave it empty for a result without one"),
        "args": _("Args of the call"),
        "content": _("Content: the blocks that the model read"),
    }
    if work.given.running:
        st.caption(_("A running call has no result yet: only its args can be changed."))
    for part in ("args",) if work.given.running else tuple(_ROWS):
        text = getattr(work.given, part)
        if len(text) > EDITED_CHARS:
            st.caption(
                _("%(part)s: too long to be edited here; the card is drawn from the whole.") % {"part": labels[part]}
            )
            continue
        fault, line = _said(part, work)
        fine = _accepted(work.draft) if part == "meta" else ""
        json_editor(labels[part], text, key=work.keys[part], rows=_ROWS[part], fault=fault, fine=fine, line=line)
    if work.draft != work.given:
        st.button(_("Undo all changes"), icon=":material/undo:", on_click=_begin_anew, key="gallery-undo")


def _tool_and_error(state: State, given: Draft, round_: str) -> tuple[str, bool, str]:
    """Draws the tool and the error flag."""
    known = list(dict.fromkeys([given.tool, *PRESENTERS]))
    tool_field, error_field = st.columns([3, 2], vertical_alignment="bottom")
    tool = tool_field.selectbox(
        _("Tool"),
        known,
        key=f"gallery-tool-{state.id}-{round_}",
        accept_new_options=True,
        help=_("Type any name to see what a tool that is not known here looks like."),
    )
    if given.running:
        return str(tool or given.tool), False, ""
    failed = error_field.toggle(
        _("Error result"),
        value=given.failed,
        key=f"gallery-failed-{state.id}-{round_}",
        help=_("“isError” of the result: an error has no card, whatever its meta says."),
    )
    return str(tool or given.tool), failed, given.error if failed else ""


def _begin_anew() -> None:
    st.session_state["gallery-round"] = st.session_state.get("gallery-round", 0) + 1


def _said(part: str, work: Work) -> tuple[str, int]:
    """What is wrong with a part, and on which line."""
    fault = work.reading.faults.get(part)
    if fault is not None:
        where = _("Line %(n)d") % {"n": fault.line} if fault.line else "JSON"
        return f"{where}: {fault.words}", fault.line
    if part == "meta" and isinstance(work.drawn, Refusal) and work.draft.meta.strip() and not work.draft.failed:
        line = refused_line(work.draft, work.drawn)
        return str(work.drawn) + (f" ({_('line %(n)d') % {'n': line}})" if line else ""), line
    return "", 0


def _accepted(draft: Draft) -> str:
    if not draft.meta.strip():
        return _("No meta: the raw content is shown.")
    if draft.failed:
        return _("Not read: an error result has no card.")
    return _("Accepted.")


def _card(work: Work, frame: Frame) -> str:
    """The card as it is now, in its frame; one that cannot be drawn yet says so."""
    draft, reading = work.draft, work.reading
    if reading.faults:
        words = _("The card is drawn again as soon as the JSON can be read.")
        return f'<p class="gallery-wait" role="status">{escape(words)}</p>'
    if draft.running:
        with in_language(frame.language or language()):
            words = running_words(work.state.progress, work.state.seconds)
            return in_frame(pending_html(present_call(draft.tool, reading.args), words, card_id="card"), frame)
    return framed_result(draft.tool, reading.args, reading.result, frame, card_id="card")
