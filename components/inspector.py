"""One call behind its card: the text that the model read, the meta, the event, what is known of the retrieval."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from components.amounts import number
from components.i18n import _
from components.safe_text import display_text
from webcards.contract import Refusal, ToolResult, without_surrogates

# A browser grows slow over more; the whole is a download away.
SHOWN_CHARS = 200_000


def inspector(
    *,
    key: str,
    result: ToolResult,
    events: list[Mapping[str, Any]],
    details: Mapping[str, Any] | None = None,
    refusal: Refusal | None = None,
) -> None:
    """Draws a row of choices and, below it, the one that is chosen; nothing is drawn until one is."""
    panes = {"raw": _("Raw text"), "meta": _("Meta"), "event": _("Event")}
    if details:
        panes["retrieval"] = _("Retrieval")
    if refusal is not None:
        panes["why"] = _("Why no card")
    chosen = st.segmented_control(
        _("Inspect the call"),
        list(panes),
        format_func=lambda pane: panes[pane],
        key=f"{key}-pane",
        label_visibility="collapsed",
    )
    match chosen:
        case "raw":
            _raw(result.text, key)
        case "meta":
            st.json(_shown(result.meta) if isinstance(result.meta, dict | list) else {"meta": _("none")})
        case "event":
            for event in events:
                st.json(_shown(event), expanded=2)
        case "retrieval":
            _facts(details or {})
        case "why" if refusal is not None:
            st.html(facts_html({_("Place"): refusal.path or "$", _("Reason"): refusal.reason}))
        case _:
            pass


def _raw(text: str, key: str) -> None:
    shown = display_text(text[:SHOWN_CHARS])
    st.code(shown or _("(no text)"), language=None, wrap_lines=True, height=420 if len(shown) > 1500 else "content")
    if len(text) > SHOWN_CHARS:
        st.caption(
            _("The first %(shown)s of %(all)s characters.") % {"shown": number(SHOWN_CHARS), "all": number(len(text))}
        )
    st.download_button(
        _("Download the text"),
        data=without_surrogates(text),
        file_name="content.txt",
        mime="text/plain",
        key=f"{key}-text",
        on_click="ignore",
    )


def _facts(details: Mapping[str, Any]) -> None:
    """What is known beyond the meta, a line a fact, in words."""
    known = {name: value for name, value in details.items() if value not in (None, "", [], {})}
    st.html(facts_html({_label(name): _words(value) for name, value in known.items()}))


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def facts_html(facts: Mapping[str, str]) -> str:
    """Names and values as a table, from which a value is copied as it is: Markdown's escapes would be copied with it."""
    rows = "".join(
        f'<tr><th scope="row">{escape(display_text(name))}</th><td dir="auto">{escape(display_text(value))}</td></tr>'
        for name, value in facts.items()
    )
    return f'<table class="wc-facts"><tbody>{rows}</tbody></table>'


def _label(name: str) -> str:
    labels = {
        "requestedUrl": _("Requested URL"),
        "finalUrl": _("Final URL"),
        "redirects": _("Redirects"),
        "statusCode": _("Status"),
        "contentType": _("Content type"),
        "charset": _("Character set"),
        "bytesRead": _("Bytes read"),
        "bytesDecoded": _("Bytes decoded"),
        "characters": _("Characters"),
        "charactersKept": _("Characters kept"),
        "charactersCut": _("Characters cut"),
        "title": _("Page title"),
        "published": _("Published"),
        "byline": _("Author"),
        "site": _("Site"),
        "lang": _("Language"),
        "elapsedMs": _("Time (ms)"),
        "searchMs": _("Search time (ms)"),
        "cache": _("Cache"),
        "httpVersion": _("HTTP version"),
        "remoteAddress": _("Address"),
        "retries": _("Retries"),
        "note": _("Note"),
        "robots": _("robots.txt"),
        "fromLibrary": _("From the built-in library"),
        "provider": _("Engine"),
        "queries": _("Queries"),
        "retryAfter": _("Try again after (s)"),
    }
    return labels.get(name, name)


def _shown(value: Any) -> Any:
    """JSON fit for the page: no half surrogate pairs, long texts shortened, and nothing nested beyond reason."""
    return _trim(value, 30)


def _trim(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        text = display_text(value)
        return text if len(text) <= 5_000 else f"{text[:5_000]}… ({number(len(text))})"
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        return {display_text(str(key)): _trim(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        kept = [_trim(item, depth - 1) for item in value[:200]]
        return kept if len(value) <= 200 else [*kept, f"… ({number(len(value))})"]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return str(value) if abs(value) < 10**100 else "…"
    return value
