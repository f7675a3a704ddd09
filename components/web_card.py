"""The web card: one component that draws a result, of either kind, and falls back to the raw content, saying why."""

import streamlit as st

from components.i18n import _
from components.markup import card_html, error_code_of, generic_html, pending_html, stylesheet
from webcards.contract import Refusal, ToolCallView, ToolResult, WebResultView
from webcards.tools.presenters import explain, present_call


def use_stylesheet() -> None:
    """Puts the card's stylesheet on the page; once a page run is enough."""
    st.html(f"<style>{stylesheet()}</style>")


def web_card(
    tool: str,
    args: object,
    result: object,
    *,
    key: str,
    page_title: str = "",
    actions: bool = False,
    opened: bool = False,
    outcome: WebResultView | Refusal | None = None,
    error_code: str = "",
) -> WebResultView | Refusal:
    """Draws a settled result and gives what was drawn, or why it is the raw content. Never raises.

    `key` must be unique on the page. `outcome` is the view, where it is known already; else it is derived here. The
    other arguments are those of `card_html`.
    """
    settled = result if isinstance(result, ToolResult) else ToolResult.from_json(result)
    drawn = explain(tool, args, settled) if outcome is None else outcome
    if isinstance(drawn, Refusal):
        code = (error_code or error_code_of(result)) if settled.is_error else ""
        title = present_call(tool, args).title
        st.html(generic_html(title, settled.text, refusal=drawn, error_code=code, card_id=key))
    else:
        st.html(card_html(drawn, settled.text, card_id=key, page_title=page_title, actions=actions, opened=opened))
    return drawn


def pending_card(view: ToolCallView, progress: str, seconds: float, *, key: str) -> None:
    """Draws a call that runs, with what it last said of itself and how long it has taken."""
    st.html(pending_html(view, running_words(progress, seconds), card_id=key))


def running_words(progress: str, seconds: float) -> str:
    """What a pending card says: the last progress and the time it has taken."""
    return _("%(words)s · %(seconds).0f s") % {"words": progress or _("Waiting for an answer"), "seconds": seconds}
