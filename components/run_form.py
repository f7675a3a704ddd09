"""The run bar: what a person types becomes the args of a call, and a call that a link asks for stands in its fields."""

from typing import Any

import streamlit as st

from components.address import MAX_QUERIES, Ask
from components.answering import options_at_hand
from components.i18n import _
from components.safe_text import md_escape
from webcards.tools.registry import Execution, Registry

_TRIED = "tried"
_OPENED_WITH = "opened-with"


def fill(ask: Ask | None, *, opened: bool = False) -> None:
    """Puts a call into the fields, before they are drawn; None empties them.

    What a page is `opened` with are the fields' defaults: what is set besides is lost where the script runs again before
    the browser has drawn them for the first time.
    """
    values = _fields(ask)
    if opened:
        st.session_state[_OPENED_WITH] = values
    else:
        st.session_state.pop(_OPENED_WITH, None)
        st.session_state.update(values)


def _fields(ask: Ask | None) -> dict[str, Any]:
    """What stands in the fields, by their keys; those of the other tool are left alone."""
    args = ask.args if ask else {}
    values: dict[str, Any] = {"tool": ask.tool} if ask else {}
    if ask is None or ask.tool == "web_search":
        queries = [*(args.get("queries") or [args.get("query", "")]), *[""] * MAX_QUERIES]
        values |= {f"q{number}": str(query) for number, query in enumerate(queries[:MAX_QUERIES], 1)}
        values["site"] = args.get("site", "")
        values["time_range"] = args["time_range"] if args.get("time_range") in _spans() else ""
    if ask is None or ask.tool == "web_fetch":
        values |= {"fetch-url": args.get("url", ""), "raw": bool(args.get("raw"))}
    return values


def _opened() -> dict[str, Any]:
    """What the page was opened with, until something else was put into the fields."""
    opened: dict[str, Any] = st.session_state.get(_OPENED_WITH, {})
    return opened


def asked(registry: Registry) -> Ask | None:
    """Draws the run bar; gives the call when it is sent off."""
    names = [tool.name for tool in registry.tools]
    if not names:
        st.info(_("Both tools are switched off: WEBCARDS_TOOLS names those that are on."))
        return None
    labels = {"web_search": _("Search"), "web_fetch": _("Fetch a page")}
    wanted = _opened().get("tool")
    if st.session_state.get("tool", names[0]) not in names:
        st.session_state["tool"] = names[0]
    tool = st.segmented_control(
        _("Tool"),
        names,
        default=None if _OPENED_WITH not in st.session_state else wanted if wanted in names else names[0],
        format_func=lambda name: labels.get(name, name),
        key="tool",
        label_visibility="collapsed",
        required=True,
    )
    sent = _search_form() if tool == "web_search" else _fetch_form()
    _suggestions(str(tool))
    tried: Ask | None = st.session_state.pop(_TRIED, None)
    return sent or tried


def _spans() -> dict[str, str]:
    return {
        "": _("Any time"),
        "d": _("Last day"),
        "w": _("Last week"),
        "m": _("Last month"),
        "y": _("Last year"),
    }


def _search_form() -> Ask | None:
    state, opened = st.session_state, _opened()
    options, engine = options_at_hand()
    # What stands in a field, from a link, stays to be seen and taken out, whoever would answer.
    lacking = {name for name in ("site", "time_range") if name not in options}
    shut = {name for name in lacking if not state.get(name, opened.get(name))}
    why = _("Not offered by the engine that would answer now: %(engine)s.") % {"engine": md_escape(engine)}
    more_keys = [f"q{number}" for number in range(2, MAX_QUERIES + 1)]
    with st.form("search", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        query = field.text_input(
            _("Query"),
            value=opened.get("q1", ""),
            key="q1",
            placeholder=_("What to search for"),
            persist_state="session",
        )
        sent = button.form_submit_button(_("Search"), type="primary", width="stretch")
        used = any(state.get(key, opened.get(key)) for key in (*more_keys, "site", "time_range"))
        with st.expander(_("More queries and options"), expanded=used):
            more = [
                st.text_input(
                    _("Query %(n)d") % {"n": number}, value=opened.get(key, ""), key=key, persist_state="session"
                )
                for number, key in enumerate(more_keys, 2)
            ]
            left, right = st.columns(2)
            site = left.text_input(
                _("Only this site"),
                value=opened.get("site", ""),
                key="site",
                persist_state="session",
                placeholder="docs.example",
                disabled="site" in shut,
                help=why if "site" in lacking else None,
            )
            spans = _spans()
            span = right.selectbox(
                _("Time"),
                list(spans),
                format_func=lambda code: spans[code],
                index=list(spans).index(opened.get("time_range", "")),
                key="time_range",
                persist_state="session",
                disabled="time_range" in shut,
                help=why if "time_range" in lacking else None,
            )
    queries = [text.strip() for text in (query, *more) if text.strip()]
    if not sent:
        return None
    if not queries:
        st.warning(_("Type what to search for."))
        return None
    args: dict[str, Any] = {"query": queries[0]} if len(queries) == 1 else {"queries": queries}
    if site.strip():
        args["site"] = site.strip()
    if span:
        args["time_range"] = span
    return Ask("web_search", args)


def _fetch_form() -> Ask | None:
    with st.form("fetch", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        url = field.text_input(
            _("URL"),
            value=_opened().get("fetch-url", ""),
            key="fetch-url",
            placeholder="https://gazette.kittiwick.example/",
            persist_state="session",
        )
        sent = button.form_submit_button(_("Fetch"), type="primary", width="stretch")
        raw = st.checkbox(
            _("The page as it was sent, not only its main text"),
            value=_opened().get("raw", False),
            key="raw",
            persist_state="session",
        )
    if not sent:
        return None
    if not url.strip():
        st.warning(_("Type the address of a page."))
        return None
    return Ask("web_fetch", {"url": url.strip(), **({"raw": True} if raw else {})})


SUGGESTED_QUERIES = ("harbour dues", "tide table December", "storm sea wall repair", "潮汐", "الميناء")


def _suggestions(tool: str) -> None:
    """What a newcomer may try with one click."""
    if tool == "web_search":
        options = {query: Ask("web_search", {"query": query}) for query in SUGGESTED_QUERIES}
    else:
        options = _suggested_pages()
    key = f"try-{tool}"

    def take() -> None:
        """Before the page is drawn: fills the field, and clears the choice, so that it can be made again."""
        chosen = options.get(st.session_state[key])
        st.session_state[key] = None
        if chosen:
            fill(chosen)
            st.session_state[_TRIED] = chosen

    st.pills(_("Try"), list(options), key=key, on_change=take)


def _suggested_pages() -> dict[str, Ask]:
    from webcards.library.specimens import SPECIMENS

    named = {
        "article": _("An article"),
        "long": _("A very long page"),
        "pdf": _("A PDF"),
        "redirect-chain": _("A redirect"),
        "not-found": _("A missing page"),
        "hostile": _("A hostile page"),
        "slow": _("A slow page"),
    }
    return {label: Ask("web_fetch", {"url": SPECIMENS[key]}) for key, label in named.items() if key in SPECIMENS}


def reading_on(execution: Execution) -> bool:
    """Draws "Read on" below a page that was cut; gives whether it was clicked."""
    return st.button(_("Read on"), key=f"{execution.call.data.call_id}-on", icon=":material/arrow_downward:")
