"""Listens for the buttons inside the cards of a page; the one part of the card that needs a script in the browser."""

import json

import streamlit as st

# What was clicked so far, not only what was clicked last: of clicks that come while the page is still busy with the one
# before, Streamlit hands on the last alone. `page` tells one loading of the page from another, where counting begins anew.
_LISTEN = """
const page = `${Date.now()}-${Math.random()}`
const clicks = []
let count = 0

export default function ({ setStateValue }) {
  const listen = (event) => {
    const button = event.target instanceof Element ? event.target.closest(".wc-do") : null
    const card = button?.closest(".wc")
    if (!card) return
    count += 1
    clicks.push([count, card.id, Number(button.dataset.n)])
    clicks.splice(0, clicks.length - 100)
    setStateValue("clicks", JSON.stringify({ page, clicks }))
  }
  document.addEventListener("click", listen)
  return () => document.removeEventListener("click", listen)
}
"""
_HANDLED = "source-actions-handled"

_listener = st.components.v2.component("webcards_source_actions", html="", js=_LISTEN)


def clicked_sources() -> list[tuple[str, int]]:
    """The card and the number of each source whose button was clicked since the last run; to be called once a page."""
    said = _listener(key="source-actions", height=1, on_clicks_change=lambda: None)
    new, st.session_state[_HANDLED] = new_clicks(said.get("clicks"), st.session_state.get(_HANDLED, ("", 0)))
    return new


def new_clicks(said: object, handled: tuple[str, int]) -> tuple[list[tuple[str, int]], tuple[str, int]]:
    """The clicks after those that were handled, and what is handled with them: a loading of the page and its last count.

    What a browser sends may be anything; then nothing was clicked.
    """
    try:
        told = json.loads(said) if isinstance(said, str) else {}
        page = str(told["page"])
        clicks = [(int(count), str(card), int(number)) for count, card, number in told["clicks"]]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return [], handled
    last = handled[1] if page == handled[0] else 0
    new = [(card, number) for count, card, number in clicks if count > last]
    return new, (page, max([last, *(count for count, _card, _number in clicks)]))
