"""What all pages share: the set-up of the page, its heading, the choice of language, and how a fault is shown."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from components.i18n import LANGUAGES, _, choose, set_language
from components.safe_text import md_escape
from components.web_card import use_stylesheet
from webcards.contract import WebError
from webcards.settings import SettingsError

# White has to be read on the primary colour: the dark theme's is then too dark for words on the page's own background.
_SHEET = """
.stMainBlockContainer{padding-top:2.6rem;max-width:58rem}
.stHtml{overflow-wrap:anywhere}
footer{visibility:hidden}
[data-testid="stCaptionContainer"][data-testid]{opacity:1;color:light-dark(#5a6472,#a3adba)}
.stButton kbd{opacity:1;color:light-dark(#5a6472,#a3adba)}
.stButton [kind="primary"] kbd{color:inherit}
.stApp :is(.stButtonGroup,.stTabs) :is([data-selected],[aria-checked="true"],[aria-selected="true"]),
.stApp [data-testid^="stBaseButton"]:not([kind^="primary"]):is(:hover,:focus-visible)
{color:light-dark(#0a5a5a,#5fd0c5)!important}
"""


def language_choice() -> None:
    """Draws the choice of language and puts it in force; the browser's language until one is chosen."""
    locale = getattr(st.context, "locale", None)
    browser = choose(locale)
    wanted = st.query_params.get("lang")
    options = list(LANGUAGES)
    current = choose(wanted) if wanted else browser
    set_language(current, browser=locale)
    with st.sidebar:
        chosen = st.selectbox(
            _("Language"),
            options,
            index=options.index(current),
            format_func=lambda code: LANGUAGES[code],
            key="language",
        )
    if chosen != current:
        st.query_params["lang"] = chosen
    set_language(chosen, browser=locale)


def demo_asked() -> bool:
    """Whether the page's address asks for demo mode."""
    return st.query_params.get("demo") == "1"


def heading(title: str, purpose: str) -> None:
    """The page's title and the one sentence that says what it is for, and the styles that every page needs."""
    st.html(f"<style>{_SHEET}</style>")
    use_stylesheet()
    st.title(title, anchor=False)
    st.caption(purpose)


@contextmanager
def faults_in_words() -> Iterator[None]:
    """Shows an error that a person can mend in words, in place of the rest of the page."""
    try:
        yield
    except (SettingsError, WebError) as error:
        st.error(md_escape(str(error)), icon=":material/error:")
