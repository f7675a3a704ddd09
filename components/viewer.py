"""What is known of who looks at the page, beside what the door knows (access.py): their time zone."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def zone() -> str | None:
    """The reader's time zone, if it is one that is known here."""
    name = getattr(st.context, "timezone", None)
    try:
        return str(ZoneInfo(name).key) if isinstance(name, str) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
