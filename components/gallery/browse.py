"""Browsing the catalogue: a group, or what a word finds, each state with what to look for, its link and its card."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

import streamlit as st

from components.gallery.catalogue import GROUPS, states
from components.gallery.checks import Check, check_card, failed, summary
from components.gallery.drawing import PLAIN, framed_state, state_html
from components.gallery.state import Group, State
from components.i18n import _, in_language, language, ngettext

# More cards than this make a page slow to read, and a search that finds more is too wide to be of use.
SHOWN_STATES = 40


def browse() -> None:
    """Draws the filters and the states that pass them."""
    names = {group.id: group for group in GROUPS}
    st.session_state.setdefault("gallery-group", _from_address("group", names, GROUPS[0].id))
    chosen = st.pills(
        _("Group"),
        list(names),
        format_func=lambda name: f"{_(names[name].title)} ({len(names[name].states)})",
        key="gallery-group",
        required=True,
    )
    word = st.text_input(
        _("Find a state"),
        key="gallery-word",
        placeholder=_("A word of its name or of what to look for"),
        help=_("Looks in every group. Empty it to go back to the chosen group."),
    )
    group = names[str(chosen)]
    st.query_params["group"] = group.id
    found = matching(word) if word.strip() else group.states
    if not found:
        st.info(_("No state has that word. Try a shorter one, such as “title”."), icon=":material/search_off:")
        return
    total = len(states())
    st.caption(
        ngettext("%(n)d state of %(all)d", "%(n)d states of %(all)d", len(found)) % {"n": len(found), "all": total}
    )
    for state in found[:SHOWN_STATES]:
        _draw(state)
    if len(found) > SHOWN_STATES:
        st.caption(_("The first %(n)d are shown; a longer word finds fewer.") % {"n": SHOWN_STATES})


def _from_address(name: str, known: Iterable[str], default: str) -> str:
    asked = st.query_params.get(name, "")
    return asked if asked in known else default


def matching(word: str) -> tuple[State, ...]:
    """The states whose id, tool, or sentence in the language in force holds the word."""
    wanted = word.strip().casefold()
    return tuple(
        state
        for state in states().values()
        if wanted in state.id or wanted in state.tool or wanted in _(state.look).casefold()
    )


def state_address(state_id: str) -> str:
    """The address of a state within the gallery."""
    return f"?view=state&state={state_id}"


def _draw(state: State) -> None:
    with st.container(key=f"state-{state.id}"):
        head, button = st.columns([6, 1], vertical_alignment="top")
        with head:
            st.html(state_head(state))
        with button:
            st.button(_("Open"), key=f"open-{state.id}", on_click=open_state, args=(state.id,), width="stretch")
        st.html(framed_state(state, PLAIN, card_id=f"s-{state.id}") + checks_line(state.id, language()))


@lru_cache(maxsize=1024)
def checks_line(state_id: str, tongue: str) -> str:
    """The checks of a state, closed behind a line that sums them up. They are the same until the code changes."""
    state = states()[state_id]
    with in_language(tongue):
        checks = check_card(state_html(state, card_id="s"), state.result)
        sort = "fail" if failed(checks) else "pass"
        return (
            f'<details class="gallery-verdict"><summary class="gallery-{sort}"><span>{escape(summary(checks))}</span>'
            f"</summary>{checks_html(checks)}</details>"
        )


def checks_html(checks: list[Check]) -> str:
    """The checks as a list, a line each."""
    signs = {"pass": "✓", "fail": "✗", "none": "–"}
    words = {"pass": _("passes"), "fail": _("fails"), "none": _("does not apply")}
    rows = "".join(
        f'<li class="gallery-{check.verdict}"><span aria-hidden="true">{signs[check.verdict]}</span> '
        f'{escape(check.title)}<span class="gallery-hidden">: {words[check.verdict]}</span> '
        f"<small>{escape(check.words)}</small></li>"
        for check in checks
    )
    return f'<ul class="gallery-checks">{rows}</ul>'


def state_head(state: State) -> str:
    """A state's name, which is its link, and what to look for."""
    address = escape(state_address(state.id), quote=True)
    return (
        f'<p class="gallery-look"><a class="gallery-id" href="{address}">{escape(state.id)}</a> '
        f"{escape(_(state.look))}</p>"
    )


def open_state(state_id: str) -> None:
    """Shows a state in the workbench."""
    st.session_state["gallery-view"] = "state"
    st.session_state["gallery-state"] = state_id


def neighbours(state: State, groups: tuple[Group, ...] = GROUPS) -> tuple[str | None, str | None]:
    """The ids before and after a state, over the borders of groups."""
    order = [member.id for group in groups for member in group.states]
    place = order.index(state.id)
    return (order[place - 1] if place else None, order[place + 1] if place + 1 < len(order) else None)
