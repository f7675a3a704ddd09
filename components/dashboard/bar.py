"""The Dashboard's filter bar: the time range, what narrows it, and what to do with the calls that are
meant.
"""

import tempfile
from pathlib import Path

import streamlit as st

from components.dashboard.address import current, go, narrow, put, widen
from components.dashboard.thresholds import alert_form
from components.dashboard.wording import chips, outcomes, spans
from components.i18n import _
from components.safe_text import md_escape
from webcards.store import Filter, Store
from webcards.store.export import csv_parts, write_parquet
from webcards.store.store import now_ms

SOURCES = ("app", "cli", "batch", "mcp", "import")


def filter_bar(store: Store, zone: str | None) -> Filter:
    """Draws the bar; gives the filter that is in force."""
    wanted = current()
    with st.container(horizontal=True, vertical_alignment="bottom", key="dashboard-bar"):
        key = f"span-{wanted.span}-{wanted.since}"
        st.segmented_control(
            _("Time range"),
            list(spans()),
            format_func=lambda span: spans()[span],
            default=wanted.span if wanted.since is None else None,
            key=key,
            on_change=lambda: _span(key),
            label_visibility="collapsed",
        )
        with st.popover(_("Filter"), icon=":material/filter_alt:"):
            _fields(wanted)
        with st.popover(_("Download"), icon=":material/download:"):
            _downloads(store, wanted)
        alert_form(store, wanted, zone)
        live = st.query_params.get("live") == "1"
        st.toggle(
            _("Live"),
            value=live,
            key=f"live-{live}",
            on_change=lambda: put("live", None if live else "1"),
            help=_("Looks for new calls every five seconds."),
        )
    narrowing = chips(wanted, zone)
    if narrowing:
        with st.container(horizontal=True, key="dashboard-chips"):
            for name, words in narrowing.items():
                label = md_escape(words)
                st.button(label, key=f"chip-{name}", icon=":material/close:", on_click=widen, args=(name,))
            if len(narrowing) > 1:
                st.button(_("Clear all"), type="tertiary", on_click=lambda: go(Filter(span=wanted.span)))
    return wanted


def _span(key: str) -> None:
    chosen = st.session_state.get(key)
    if chosen:
        go(current().narrow(span=chosen, since=None, until=None))


def _fields(wanted: Filter) -> None:
    """The fields that can be typed or chosen; the others are set by clicking a figure."""
    _choice("tool", _("Tool"), {"web_search": "web_search", "web_fetch": "web_fetch"}, wanted.tool)
    _choice("outcome", _("Outcome"), outcomes(), wanted.outcome)
    _choice("source", _("Source"), {source: source for source in SOURCES}, wanted.source)
    for name, label in (("fell_back", _("Fell back")), ("truncated", _("Truncated"))):
        value = getattr(wanted, name)
        asked = None if value is None else "yes" if value else "no"
        _choice(name, label, {"yes": _("yes"), "no": _("no")}, asked)
    for name, label in (("host", _("Host")), ("provider", _("Provider")), ("words", _("Query or URL contains"))):
        value = getattr(wanted, name) or ""
        key = f"filter-{name}-{value}"
        st.text_input(label, value=value, key=key, max_chars=300, on_change=_typed, args=(name, key))


def _choice(name: str, label: str, options: dict[str, str], value: str | None) -> None:
    key = f"filter-{name}-{value}"
    st.pills(
        label,
        list(options),
        format_func=lambda option: md_escape(options[option]),
        default=value if value in options else None,
        key=key,
        on_change=_typed,
        args=(name, key),
    )


def _typed(name: str, key: str) -> None:
    value = st.session_state.get(key)
    if name in {"fell_back", "truncated"}:
        narrow(**{name: {"yes": True, "no": False}.get(value or "")})
    else:
        narrow(**{name: (value or "").strip() or None})


def _downloads(store: Store, wanted: Filter) -> None:
    st.caption(_("The calls that the filter means, one a line."))
    st.download_button(
        "CSV",
        data=lambda: b"".join(csv_parts(store.engine, wanted, now=now_ms())),
        file_name="calls.csv",
        mime="text/csv",
        on_click="ignore",
        width="stretch",
    )
    st.download_button(
        "Parquet",
        data=lambda: _parquet(store, wanted),
        file_name="calls.parquet",
        mime="application/vnd.apache.parquet",
        on_click="ignore",
        width="stretch",
    )


def _parquet(store: Store, wanted: Filter) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.parquet"
        write_parquet(store.engine, wanted, path, now=now_ms())
        return path.read_bytes()
