"""What stands below a card on the workbench: its checks, the fallback, the view, the wire events, the test case, the schema."""

import json
from html import escape
from typing import Any

import streamlit as st

from components.gallery.browse import checks_html
from components.gallery.case_file import case_file
from components.gallery.checks import check_card, summary
from components.gallery.draft import Draft, Reading, as_json, draft_of_state, wire_events
from components.gallery.json_text import written
from components.gallery.schema_help import Field, args_fields, meta_fields
from components.gallery.state import State
from components.i18n import _
from components.markup import generic_html, result_html
from webcards.contract import Refusal, ToolResult, WebResultView
from webcards.tools.presenters import present_call

SHOWN_CHARS = 60_000


def panes(state: State, draft: Draft, reading: Reading, drawn: WebResultView | Refusal | None) -> None:
    """Draws the choice and what is chosen."""
    names = {
        "checks": _("Checks"),
        "fallback": _("Fallback"),
        "view": _("View"),
        "event": _("Wire events"),
        "case": _("Test case"),
        "schema": _("Schema"),
    }
    chosen = st.pills(
        _("What is behind the card"),
        list(names),
        default="checks",
        format_func=lambda name: names[name],
        key="gallery-pane",
        label_visibility="collapsed",
        required=True,
        wrap=True,
    )
    if chosen == "schema":
        _schema(draft.tool)
        return
    if reading.faults:
        st.caption(_("There is nothing to show until the JSON can be read."))
        return
    match chosen:
        case "checks":
            _checks(draft, reading)
        case "fallback":
            _fallback(draft, reading, drawn)
        case "view":
            _view(draft, reading, drawn)
        case "event":
            for event in wire_events(draft, reading):
                _code(event)
        case "case":
            _case(state, draft, reading)
        case _:
            pass


def _checks(draft: Draft, reading: Reading) -> None:
    if draft.running:
        from components.markup import pending_html

        checks = check_card(pending_html(present_call(draft.tool, reading.args)))
    else:
        checks = check_card(result_html(draft.tool, reading.args, reading.result), reading.result)
    st.html(f"<p><strong>{escape(summary(checks))}</strong></p>{checks_html(checks)}")


def _fallback(draft: Draft, reading: Reading, drawn: WebResultView | Refusal | None) -> None:
    """What a viewer without the card shows, and why it would be shown here."""
    if draft.running:
        st.caption(_("A running call falls back to nothing: it has no result yet."))
        return
    if isinstance(drawn, Refusal):
        st.html(
            f'<p class="gallery-why"><code>{escape(drawn.path)}</code> {escape(drawn.reason)}</p>'
            f"<p>{escape(_('The card above is this fallback.'))}</p>"
        )
        return
    st.caption(_("Not needed here. A viewer that has no card shows this:"))
    text = ToolResult.from_json(reading.result).text
    st.html(generic_html(present_call(draft.tool, reading.args).title, text, card_id="fallback"))


def _view(draft: Draft, reading: Reading, drawn: WebResultView | Refusal | None) -> None:
    if drawn is None:
        _code(as_json(present_call(draft.tool, reading.args)))
    elif isinstance(drawn, Refusal):
        _code({"view": None, "fallback": as_json(drawn)})
    else:
        _code(as_json(drawn))


def _code(value: Any) -> None:
    text = written(value)
    st.code(text[:SHOWN_CHARS], language="json", height=360 if text.count("\n") > 16 else "content", wrap_lines=True)
    if len(text) > SHOWN_CHARS:
        st.caption(_("The first %(shown)d of %(all)d characters.") % {"shown": SHOWN_CHARS, "all": len(text)})


def _case(state: State, draft: Draft, reading: Reading) -> None:
    """The test case: to be copied, or downloaded as the file that the suite reads."""
    unchanged = draft == draft_of_state(state)
    name = state.id if unchanged else f"{state.id}-changed"
    case = case_file(name, state.look, draft, reading, state if unchanged else None)
    if case is None:
        st.caption(_("A running call has no result, so there is no test case for it."))
        return
    st.caption(_("Put it into a folder and run the tests with WEBCARDS_CASES=<folder>."))
    if not unchanged:
        st.caption(_("Its “expect” holds what the card shows now; change it to what the card should show."))
    _code(case)
    st.download_button(
        _("Download the test case"),
        data=json.dumps(case, indent=1).encode(),
        file_name=f"{name}.json",
        mime="application/json",
        icon=":material/download:",
        key="gallery-case",
        on_click="ignore",
    )


def _schema(tool: str) -> None:
    """The fields that the meta and the args may have."""
    meta, args = meta_fields(tool), args_fields(tool)
    if not meta:
        st.caption(_("This tool has no card, so nothing is known of its args and its meta."))
        return
    st.html(_table(_("Meta"), meta) + _table(_("Args"), args))
    st.caption(_("Unknown keys are ignored. Of an optional field, absent is right and null is wrong."))


def _table(caption: str, fields: list[Field]) -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(field.path)}</code><br>{escape(field.type)}, '
        f"{escape(_('required') if field.required else _('optional'))}</th><td>{escape(field.meaning)}</td></tr>"
        for field in fields
    )
    return f'<table class="gallery-table"><caption>{escape(caption)}</caption><tbody>{rows}</tbody></table>'
