"""A state as HTML, in the frame that a tester chose: a width, a theme, a language, a text direction. Pure functions."""

from html import escape
from typing import Literal

from msgspec import Struct

from components.gallery.state import State
from components.i18n import in_language, language
from components.markup import pending_html, result_html
from components.web_card import running_words
from webcards.tools.presenters import present_call

Theme = Literal["app", "light", "dark"]
Width = Literal["390", "768", "full"]
Direction = Literal["ltr", "rtl"]


class Frame(Struct, frozen=True):
    """What is around a card. `language` is a code of `LANGUAGES`; "" is the language of the page."""

    width: Width = "full"
    theme: Theme = "app"
    direction: Direction = "ltr"
    language: str = ""


PLAIN = Frame()


def state_html(state: State, *, card_id: str) -> str:
    """The card of a state, or what stands in its place."""
    if state.build is None:
        view = present_call(state.tool, state.args)
        return pending_html(view, running_words(state.progress, state.seconds), card_id=card_id)
    return result_html(state.tool, state.args, state.result, card_id=card_id)


def framed_result(tool: str, args: object, result: object, frame: Frame, *, card_id: str) -> str:
    """The card of a result in a frame."""
    with in_language(frame.language or language()):
        return in_frame(result_html(tool, args, result, card_id=card_id), frame)


def framed_state(state: State, frame: Frame, *, card_id: str) -> str:
    """The card of a state in a frame."""
    with in_language(frame.language or language()):
        return in_frame(state_html(state, card_id=card_id), frame)


def in_frame(card: str, frame: Frame) -> str:
    """A card in a box of the frame's width, theme and direction."""
    style = "" if frame.width == "full" else f"max-width:{frame.width}px;"
    if frame.theme != "app":
        style += f"color-scheme:{frame.theme};"
    shown = escape(style, quote=True)
    return f'<div class="gallery-frame gallery-{frame.theme}" dir="{frame.direction}" style="{shown}">{card}</div>'
