"""A field for JSON that says each change at once, as it is typed, and marks the line that a fault is on."""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
_HTML = (
    '<div class="editor"><label><span class="label"></span>'
    '<span class="box"><textarea spellcheck="false" autocapitalize="off" dir="ltr"></textarea>'
    '<span class="place" hidden></span></span></label><p class="status" role="status"></p></div>'
)

_field = st.components.v2.component(
    "webcards_json_editor",
    html=_HTML,
    css=(_HERE / "json_editor.css").read_text(encoding="utf-8"),
    js=(_HERE / "json_editor.js").read_text(encoding="utf-8"),
)


def typed_text(key: str, text: str) -> str:
    """What stands in the field `key` by now; `text` is what it begins with. To be asked before the field is drawn."""
    state = st.session_state.get(key)
    typed = state.get("text") if state is not None and hasattr(state, "get") else None
    return typed if isinstance(typed, str) else text


def json_editor(label: str, text: str, *, key: str, rows: int, fault: str, fine: str, line: int = 0) -> None:
    """Draws the field. A new `key` begins anew with `text`.

    `fault`, or `fine` if there is none, is said below the field; `line`, from 1, is marked, 0 marks none.
    """
    _field(
        key=key,
        data={"label": label, "text": text, "rows": rows, "fault": fault, "fine": fine, "line": line, "mark": key},
        default={"text": text},
        on_text_change=lambda: None,
    )
