"""The Compare page: one query to two engines, and what each of them has, aligned."""

import streamlit as st

from components.comparing import Sides, compared, draw_comparison
from components.i18n import _
from components.live import live
from components.shell import faults_in_words, heading
from webcards.search.provider import label_of


def sides() -> Sides | None:
    """Draws the bar; gives what to compare when it is sent off, or what the page's address asks for."""
    engines = {engine.id: engine for engine in live().engines if engine.available() is None}
    if len(engines) < 2:
        st.info(_("Only one search engine can be used. Give another one its key, or its address, in the settings."))
        return None
    names = sorted(engines)
    params = st.query_params
    st.session_state.setdefault("compare-q", params.get("q", ""))
    with st.form("compare", border=False):
        query = st.text_input(_("Query"), key="compare-q", placeholder=_("What to search for"))
        left, right, button = st.columns([2, 2, 1], vertical_alignment="bottom")
        chosen = [
            column.selectbox(
                label,
                names,
                index=names.index(params[name]) if params.get(name) in names else default,
                format_func=lambda name: label_of(engines[name]),
                key=f"compare-{name}",
            )
            for column, label, name, default in (
                (left, _("Left"), "left", 0),
                (right, _("Right"), "right", 1),
            )
        ]
        sent = button.form_submit_button(_("Compare"), type="primary", width="stretch")
    if sent and not query.strip():
        st.warning(_("Type what to search for."))
        return None
    if query.strip() and (sent or params.get("q") == query):
        st.query_params.update({"q": query.strip(), "left": chosen[0], "right": chosen[1]})
        return Sides(query.strip(), engines[chosen[0]], engines[chosen[1]])
    st.caption(_("Ask two engines the same, and see which sources both found, at which rank, and which only one has."))
    return None


heading(_("Compare"), _("One query to two engines, side by side."))
with faults_in_words():
    asked = sides()
    if asked:
        draw_comparison(asked, compared(asked))
