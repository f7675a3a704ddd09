"""Listens for the buttons inside the cards of a page; the one part of the card that needs a script in the browser."""

import streamlit as st

_LISTEN = """
export default function ({ setTriggerValue }) {
  const listen = (event) => {
    const button = event.target instanceof Element ? event.target.closest(".wc-do") : null
    const card = button?.closest(".wc")
    if (card) setTriggerValue("fetch", `${card.id}:${button.dataset.n}`)
  }
  document.addEventListener("click", listen)
  return () => document.removeEventListener("click", listen)
}
"""

_listener = st.components.v2.component("webcards_source_actions", html="", js=_LISTEN)


def clicked_source() -> tuple[str, int] | None:
    """The card and the number of the source whose button was clicked in this run; to be called once a page."""
    clicked = _listener(key="source-actions", height=1, on_fetch_change=lambda: None)
    value = clicked.get("fetch")
    if not isinstance(value, str):
        return None
    card, _, number = value.rpartition(":")
    return (card, int(number)) if card and number.isdecimal() else None
