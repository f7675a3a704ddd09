"""Which log is shown: an upload, a path on the server, or what the page's address names."""

from pathlib import Path

import streamlit as st

from components.i18n import _
from components.replay.opened import UPLOAD, OpenedLog, open_logs
from components.safe_text import display_text, md_escape
from webcards.logs.opening import Source
from webcards.logs.roots import OutsideRootsError, allowed_paths
from webcards.settings import load_settings


def chosen_log() -> OpenedLog | None:
    """Draws how a log is opened; gives the one that is, or None, and the page says what to do."""
    roots = load_settings().log_roots
    uploaded = st.file_uploader(
        _("A log: JSON Lines, JSON, server-sent events; packed or not; or a ZIP of several"),
        key="replay-upload",
        on_change=_take_upload,
    )
    if roots:
        st.text_input(
            _("A path, a pattern or a folder on the server"),
            key="replay-path",
            placeholder=_("such as session.jsonl"),
            on_change=_take_path,
        )
    asked = st.query_params.get("log")
    if not asked:
        if uploaded is None:
            st.info(
                _("Drop the log of any agent here, and every web call in it shows as a card."),
                icon=":material/upload_file:",
            )
        return None
    return opened_by_name(asked)


def opened_by_name(asked: str) -> OpenedLog | None:
    """The log of this name: an upload of this session, or a path inside the folders that may be read."""
    logs = open_logs()
    if asked.startswith(UPLOAD):
        if asked in logs:
            return logs[asked]
        st.warning(
            _("This link leads to a log that was uploaded elsewhere. Upload the same file here, and it works."),
            icon=":material/link_off:",
        )
        return None
    try:
        paths = allowed_paths(asked, load_settings().log_roots)
    except OutsideRootsError:
        st.error(
            _("This path is not inside the folders that may be read. WEBCARDS_LOG_ROOTS names them."),
            icon=":material/lock:",
        )
        return None
    except FileNotFoundError:
        st.error(_("Nothing is there: %(path)s") % {"path": md_escape(asked)}, icon=":material/search_off:")
        return None
    source: Source = paths[0] if len(paths) == 1 else paths
    return logs.on_server(asked, display_text(Path(asked).name or asked), source)


def _take_upload() -> None:
    file = st.session_state.get("replay-upload")
    if file is not None:
        _go(open_logs().uploaded(file.name, file).log_id)


def _take_path() -> None:
    asked = str(st.session_state.get("replay-path") or "").strip()
    if asked:
        _go(asked)


def _go(log_id: str) -> None:
    st.query_params["log"] = log_id
    st.query_params.pop("call", None)
    st.session_state["replay-page"] = 1
