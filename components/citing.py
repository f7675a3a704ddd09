"""What a person takes along from a search: its sources as citations, copied or downloaded."""

from collections.abc import Sequence

import streamlit as st

from components.i18n import _
from components.safe_text import display_text
from webcards.contract import WebSource
from webcards.search.citations import FORMATS


def citing(sources: Sequence[WebSource], *, key: str) -> None:
    """Draws a button that opens the citations in the format of choice."""
    with st.popover(_("Cite"), icon=":material/format_quote:"):
        chosen = st.segmented_control(
            _("Format"),
            list(FORMATS),
            default="Markdown",
            key=f"{key}-format",
            label_visibility="collapsed",
            required=True,
        )
        ending, write = FORMATS[str(chosen)]
        text = write(sources)
        st.code(display_text(text), language=None, wrap_lines=True, height=320 if text.count("\n") > 10 else "content")
        st.download_button(
            _("Download"),
            data=text,
            file_name=f"sources.{ending}",
            key=f"{key}-cite",
            on_click="ignore",
            icon=":material/download:",
        )
