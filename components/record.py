"""The recorded calls that the pages ask: one store a process, opened as the settings say."""

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from components.i18n import _
from components.safe_text import md_escape
from webcards.settings import load_settings
from webcards.store import Store
from webcards.store.location import DatabaseError
from webcards.store.opening import open_store


@st.cache_resource(show_spinner=False, on_release=Store.close)
def record() -> Store:
    """The store. Raises DatabaseError, in words for people, where it cannot be opened."""
    return open_store(load_settings())


def opened_record() -> Store | None:
    """The store, or None, and the page says why."""
    try:
        return record()
    except DatabaseError as error:
        st.error(md_escape(str(error)), icon=":material/database_off:")
    except SQLAlchemyError:
        st.error(
            _("The database of recorded calls does not answer. Look at WEBCARDS_DATABASE_URL, then try again."),
            icon=":material/database_off:",
        )
    return None
