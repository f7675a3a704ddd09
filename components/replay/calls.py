"""One call of a log, and the list of them: the card, the text that the model saw, the meta, the record."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import streamlit as st

from components.i18n import _
from components.inspector import inspector
from components.replay.bar import go_to
from components.report import asked_view, logged_card_html, when
from components.safe_text import display_text, md_escape
from webcards.contract import Refusal, ToolResult
from webcards.logs import LoggedCall, explain
from webcards.logs.decode import UndecodableError, decode, decode_inner
from webcards.logs.index import LogIndex, StaleLogError
from webcards.logs.index_schema import Entry
from webcards.logs.masking import mask_call, masked_note

_MAX_RECORDS = 20


def one_call(index: LogIndex, n: int, *, masked: bool, zone: str | None) -> None:
    """Draws a call with everything behind its card."""
    call, note = read_back(index, n, masked=masked)
    if call is None:
        return
    _head(n, call, zone)
    if note:
        st.caption(
            md_escape(note), help=_("Keys, tokens, cookies and signed addresses are hidden before a log is shown.")
        )
    st.html(logged_card_html(call, card_id=f"call{n}", opened=True))
    for words in (*call.notes, *(str(problem) for problem in call.problems)):
        st.caption(md_escape(words))
    if call.result is None:
        _records(call)
        return
    outcome = explain(call)
    inspector(
        key=f"replay-{n}",
        result=ToolResult(call.result.content, call.result.is_error, call.result.meta),
        events=_events(call),
        details=call.result.details if isinstance(call.result.details, dict) else None,
        refusal=outcome if isinstance(outcome, Refusal) else None,
    )


def listed_call(index: LogIndex, entry: Entry, *, current: bool, masked: bool, zone: str | None) -> None:
    """Draws a call in the list: its head, its card, and the button that opens it."""
    call, _note = read_back(index, entry.n, masked=masked)
    if call is None:
        return
    with st.container(key=f"replay-call-{entry.n}"):
        left, right = st.columns([6, 1], vertical_alignment="center")
        with left:
            _head(entry.n, call, zone)
        if current:
            right.caption(_("shown above"))
            return
        right.button(_("Open"), key=f"replay-open-{entry.n}", on_click=go_to, args=(entry.n,))
        st.html(logged_card_html(call, card_id=f"listed{entry.n}"))


def read_back(index: LogIndex, n: int, *, masked: bool) -> tuple[LoggedCall | None, str | None]:
    """A call, masked if need be, and the note that says what is hidden; None, and the page says why, if it is gone."""
    try:
        call = index.call(n)
    except KeyError:
        st.warning(_("There is no call of this number in the log."), icon=":material/search_off:")
        return None, None
    except (StaleLogError, sqlite3.Error):
        st.warning(
            _("The log has changed since it was read. Open it again to see it as it is now."),
            icon=":material/sync_problem:",
        )
        return None, None
    if not masked:
        return call, None
    hidden, what = mask_call(call)
    return hidden, masked_note(what)


def _head(n: int, call: LoggedCall, zone: str | None) -> None:
    place = _("line %(n)d") % {"n": call.position.line}
    if call.position.member:
        place = f"{call.position.member}, {place}"
    words = [
        f"{n}",
        when(call, zone),
        call.tool_name or call.tool,
        display_text(asked_view(call).title)[:160],
        call.format,
        place,
    ]
    st.caption(" · ".join(md_escape(word) for word in words if word))


def _events(call: LoggedCall) -> list[Mapping[str, Any]]:
    """The records that the call was read from, each as far as it is about this call."""
    events: list[Mapping[str, Any]] = []
    raws = list(call.raw)
    for number, place in enumerate(call.records[:_MAX_RECORDS]):
        raw = raws[number] if number < len(raws) else raws[-1] if raws else b""
        try:
            value = _part(decode(raw).value, place.path)
        except UndecodableError:
            value = raw.decode("utf-8", "replace")
        events.append(value if isinstance(value, dict) else {"record": value})
    if len(call.records) > _MAX_RECORDS:
        events.append({"…": len(call.records) - _MAX_RECORDS})
    return events


def _part(value: Any, path: str) -> Any:
    """The part of a record that a JSON path names; the whole where it leads nowhere."""
    whole = value
    for step in path.removeprefix("$").replace("[", ".[").split("."):
        value = decode_inner(value)
        if not step:
            continue
        if step.startswith("[") and step[1:-1].isdecimal() and isinstance(value, list) and int(step[1:-1]) < len(value):
            value = value[int(step[1:-1])]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return whole
    return value


def _records(call: LoggedCall) -> None:
    for event in _events(call):
        st.json(event, expanded=2)
