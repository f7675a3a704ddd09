"""The Compare page: one query to two engines, and what each of them has, aligned."""

import streamlit as st

from components.address import came_back
from components.answering import engine_title
from components.comparing import Sides, comparisons, draw_comparison
from components.i18n import _
from components.live import live
from components.shell import faults_in_words, heading
from webcards.search.provider import unavailable

SIDES = ("left", "right")
_OPENED_WITH = "compare-opened-with"


def sides() -> tuple[Sides, bool] | None:
    """Draws the bar; gives what to compare, when it is sent off or the page's address asks for it, and whether it was
    sent off just now.
    """
    engines = {engine.id: engine for engine in live().engines if unavailable(engine) is None}
    if len(engines) < 2:
        st.info(_("Only one search engine can be used. Give another one its key, or its address, in the settings."))
        return None
    params = st.query_params
    defaults = _filled(list(engines), anew=came_back())
    with st.form("compare", border=False):
        query = st.text_input(
            _("Query"), value=defaults.get("q", ""), key="compare-q", placeholder=_("What to search for")
        ).strip()
        left, right, button = st.columns([2, 2, 1], vertical_alignment="bottom")
        chosen = [
            column.selectbox(
                label,
                list(engines),
                index=list(engines).index(defaults[side]) if side in defaults else 0,
                format_func=lambda id_: engine_title(engines[id_]),
                key=f"compare-{side}",
            )
            for column, label, side in ((left, _("Left"), "left"), (right, _("Right"), "right"))
        ]
        sent = button.form_submit_button(_("Compare"), type="primary", width="stretch")
    if sent and not query:
        st.warning(_("Type what to search for."))
        return None
    if query and (sent or params.get("q", "").strip() == query):
        params.update({"q": query, **dict(zip(SIDES, chosen, strict=True))})
        return Sides(query, engines[chosen[0]], engines[chosen[1]]), sent
    st.caption(_("Ask two engines the same, and see which sources both found, at which rank, and which only one has."))
    return None


def _filled(ids: list[str], *, anew: bool) -> dict[str, str]:
    """The fields' defaults. Where the address has changed, what it says is put into the fields instead."""
    state, params = st.session_state, st.query_params
    chosen = {
        side: params[side] if params.get(side) in ids else likely
        for side, likely in zip(SIDES, _likely(ids), strict=True)
    }
    said = {"q": params.get("q", ""), **chosen}
    if anew:
        state[_OPENED_WITH] = {}
        state.update({f"compare-{name}": value for name, value in said.items()})
    elif "compare-q" not in state:
        state[_OPENED_WITH] = said
    defaults: dict[str, str] = state[_OPENED_WITH]
    return defaults


def _likely(ids: list[str]) -> tuple[str, str]:
    """The pair to begin with: an engine of the web beside the library. A chain would only repeat one of them."""
    order = sorted(ids, key=lambda id_: (id_ == "auto", id_ == "library", id_ != "duckduckgo", id_))
    return order[0], "library" if "library" in ids and order[0] != "library" else order[1]


heading(_("Compare"), _("One query to two engines, side by side."))
with faults_in_words():
    asked = sides()
    if asked:
        draw_comparison(asked[0], comparisons().of(asked[0], anew=asked[1]))
