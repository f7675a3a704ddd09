"""The Gallery page: every state of the card, to look at, to change, to break and to tick off."""

import streamlit as st

from components.gallery.breaking import breaking
from components.gallery.browse import browse
from components.gallery.look import gallery_sheet
from components.gallery.workbench import workbench
from components.i18n import _
from components.shell import faults_in_words, heading


def _checklist() -> None:
    # It opens the database, whose library the other views need not wait for.
    from components.gallery.checklist import checklist

    checklist()


VIEWS = {"browse": browse, "state": workbench, "break": breaking, "checklist": _checklist}


def purpose(view: str) -> str:
    """What a view is for, in a sentence."""
    match view:
        case "state":
            return _("Change the args, the meta or the content, and see at each key press what the card makes of it.")
        case "break":
            return _("Take a good result, break its meta in every way, and see which changes fall back, and why.")
        case "checklist":
            return _(
                "Look at one state after another and mark it. The marks are kept, and the report can be handed on."
            )
        case _:
            return _("Look through the states, a group at a time. Open one to change it.")


def chosen_view() -> str:
    """Draws the choice of view; the page's address says which it is at first."""
    titles = {"browse": _("Browse"), "state": _("Workbench"), "break": _("Break it"), "checklist": _("Checklist")}
    asked = st.query_params.get("view", "state" if "state" in st.query_params else "browse")
    st.session_state.setdefault("gallery-view", asked if asked in VIEWS else "browse")
    chosen = st.segmented_control(
        _("View"),
        list(VIEWS),
        format_func=lambda name: titles[name],
        key="gallery-view",
        label_visibility="collapsed",
        required=True,
    )
    if chosen != asked:
        # What the other view kept in the address means nothing here.
        st.query_params.from_dict({"view": str(chosen), **_kept("lang")})
    return str(chosen)


def _kept(name: str) -> dict[str, str]:
    return {name: st.query_params[name]} if name in st.query_params else {}


heading(_("Gallery"), _("Every state of the card: what to look for, how it is drawn, and why it fell back."))
st.html(f"<style>{gallery_sheet()}</style>")
with faults_in_words():
    view = chosen_view()
    st.caption(purpose(view))
    VIEWS[view]()
