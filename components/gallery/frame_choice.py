"""The choice of what is around a card, width, theme, direction and language, and of a state to compare it with."""

import streamlit as st

from components.gallery.catalogue import states
from components.gallery.drawing import Frame
from components.gallery.state import State
from components.i18n import LANGUAGES, _


def frame_choice(state: State) -> tuple[Frame, State | None]:
    """Draws the choices; gives the frame and the state to compare with."""
    widths = {"full": _("Full"), "768": "768", "390": "390"}
    themes = {"app": _("As the app"), "light": _("Light"), "dark": _("Dark")}
    directions = {"ltr": _("Left to right"), "rtl": _("Right to left")}
    languages = {"": _("As the app"), **LANGUAGES}
    others = {"": _("nothing"), **{name: name for name in states() if name != state.id}}
    with st.container(horizontal=True):
        width = _one_of(_("Width (px)"), widths, "width")
        theme = _one_of(_("Theme"), themes, "theme")
        direction = _one_of(_("Direction"), directions, "dir")
        tongue = _one_of(_("Language of the card"), languages, "cardlang")
        other = _one_of(_("Side by side with"), others, "with")
    frame = Frame(width=width, theme=theme, direction=direction, language=tongue)  # type: ignore[arg-type]
    return frame, states().get(other)


def _one_of(label: str, options: dict[str, str], name: str) -> str:
    """A field of options, kept in the page's address under `name`; the first is the default."""
    names = list(options)
    asked = st.query_params.get(name, "")
    chosen = st.selectbox(
        label,
        names,
        index=names.index(asked) if asked in options else 0,
        format_func=lambda option: options.get(option, option),
        key=f"gallery-{name}",
        width=168,
    )
    if chosen and chosen != names[0]:
        st.query_params[name] = chosen
    elif name in st.query_params:
        del st.query_params[name]
    return chosen or names[0]
