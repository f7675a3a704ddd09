"""Who looks at the page: their time zone, and who they are where the app knows."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def zone() -> str | None:
    """The reader's time zone, if it is one that is known here."""
    name = getattr(st.context, "timezone", None)
    try:
        return str(ZoneInfo(name).key) if isinstance(name, str) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def person() -> str | None:
    """The e-mail address of who has signed in; None where nobody has to."""
    if not getattr(st.user, "is_logged_in", False):
        return None
    email = st.user.get("email")
    return email if isinstance(email, str) else None
