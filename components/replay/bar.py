"""What narrows the list of a log's calls, and how one moves through it."""

from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any

import streamlit as st

from components.amounts import calls_in_words, number
from components.i18n import _
from components.safe_text import md_escape
from webcards.logs.filters import Filters
from webcards.logs.index import PAGE, LogIndex

_MAX_CALL = 99_999_999_999
_CHOICES = ("tool", "kind", "format", "code", "host")


def filter_bar(index: LogIndex) -> Filters:
    """Draws the filters; gives the one in force."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="replay-bar"):
        words = st.text_input(
            _("Search"), key="replay-text", placeholder=_("Words in the query, the sources, the text"), max_chars=300
        )
        with st.popover(_("Filter"), icon=":material/filter_alt:"):
            chosen = _fields(index)
    return Filters(text=words, **chosen)


def _fields(index: LogIndex) -> dict[str, Any]:
    labels = {"tool": _("Tool"), "kind": _("Kind"), "format": _("Format"), "code": _("Error code"), "host": _("Host")}
    facets = index.facets()
    chosen: dict[str, Any] = {}
    for name in _CHOICES:
        counts = dict(facets[name])
        if len(counts) > 1 or name in ("tool", "kind"):
            chosen[name] = st.selectbox(
                labels[name],
                list(counts),
                index=None,
                format_func=partial(_counted, counts),
                key=f"replay-{name}",
                placeholder=_("all"),
            )
    statuses = {2: "2xx", 3: "3xx", 4: "4xx", 5: "5xx"}
    chosen["status_class"] = st.pills(
        _("Status"), list(statuses), format_func=statuses.__getitem__, key="replay-status"
    )
    answers = {True: _("yes"), False: _("no")}
    for name, label in (("truncated", _("Truncated")), ("fell_back", _("Without a card")), ("is_error", _("Error"))):
        chosen[name] = st.pills(label, list(answers), format_func=answers.__getitem__, key=f"replay-{name}")
    first = st.date_input(_("From"), value=None, key="replay-since", format="YYYY-MM-DD")
    last = st.date_input(_("To"), value=None, key="replay-until", format="YYYY-MM-DD")
    return {**chosen, "since": _milliseconds(first, time.min), "until": _milliseconds(last, time.max)}


def _counted(counts: dict[str, int], option: str) -> str:
    return f"{option} ({number(counts[option])})"


def _milliseconds(day: Any, at: time) -> int | None:
    """A time of a day in UTC, in milliseconds since the epoch."""
    return int(datetime.combine(day, at, UTC).timestamp() * 1000) if isinstance(day, date) else None


def current_call() -> int | None:
    """The number of the call that the page's address asks for."""
    asked = st.query_params.get("call", "")
    return min(int(asked), _MAX_CALL) if asked.isdecimal() and len(asked) < 20 else None


def go_to(n: int | None) -> None:
    """Shows a call; its page is shown with it."""
    if n is not None:
        st.query_params["call"] = str(n)


def moving_bar(index: LogIndex, filters: Filters, current: int) -> None:
    """Draws how to go on: by button, by key (j, k, n), or by number."""
    problems = Filters(problems=True)
    back, on = index.last_before(current, filters), index.next_after(current, filters)
    problem = index.next_after(current, problems)
    with st.container(horizontal=True, vertical_alignment="bottom", key="replay-moving"):
        for key, label, icon, shortcut, target in (
            ("back", _("Previous"), ":material/arrow_upward:", "k", back),
            ("on", _("Next"), ":material/arrow_downward:", "j", on),
            ("problem", _("Next problem"), ":material/report:", "n", problem),
        ):
            st.button(
                label,
                key=f"replay-{key}",
                icon=icon,
                shortcut=shortcut,
                disabled=target is None,
                on_click=go_to,
                args=(target,),
            )
        st.number_input(
            _("Go to call"),
            min_value=1,
            # Never the number of calls: a log that is being read or followed has more of them than the browser was
            # told, and the browser would refuse the number and keep refusing it. The page says what is not there.
            max_value=_MAX_CALL,
            value=current,
            key=f"replay-jump-{current}",
            on_change=_jump,
            args=(f"replay-jump-{current}",),
        )


def _jump(key: str) -> None:
    go_to(int(st.session_state[key]))


def page_of(index: LogIndex, filters: Filters, current: int | None, listed: int) -> int:
    """The page of the list to show: the one with the current call, until another is chosen."""
    place = index.place_of(current, filters) if current is not None else 1
    # While a log is being read, the call may be found a moment after the calls were counted.
    pages = max(1, -(-max(listed, place) // PAGE))
    mark = (current, filters, place)
    if st.session_state.get("replay-mark") != mark:
        st.session_state["replay-mark"] = mark
        st.session_state["replay-page"] = max(1, -(-place // PAGE))
    if pages > 1:
        st.pagination(pages, key="replay-page")
    return min(pages, int(st.session_state.get("replay-page") or 1))


def filters_in_words(listed: int, total: int) -> str:
    """How many calls are listed, and of how many."""
    if listed == total:
        return calls_in_words(total)
    return md_escape(_("%(n)s of %(all)s calls") % {"n": number(listed), "all": number(total)})
