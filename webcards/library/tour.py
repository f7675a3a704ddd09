"""The presenter's walk through the demo web: ten calls, each with the sentence that goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from webcards.library.specimens import SPECIMENS


class TourStep(msgspec.Struct, frozen=True):
    """One step: what to call it, what to say, and the call to make."""

    title: str
    text: str
    tool: Literal["web_search", "web_fetch"]
    args: Mapping[str, str | list[str]]


TOUR: Final[list[TourStep]] = [
    TourStep(
        "One question",
        "A storm hit a small harbour town: the newspaper, the wiki, the forum and a blog each tell it in their own way.",
        "web_search",
        {"query": "Martinmas gale"},
    ),
    TourStep(
        "Three questions at once",
        "Three searches run side by side, and one list takes the best of each in turn.",
        "web_search",
        {"queries": ["which anchor holds in mud", "when does the gate of the inner basin open", "electric ferry"]},
    ),
    TourStep(
        "In other scripts",
        "Chinese has no spaces and Arabic runs from right to left; the list copes with both.",
        "web_search",
        {"queries": ["怎样看潮汐表", "حكاية التوأمة"]},
    ),
    TourStep(
        "Read one of them",
        "A fetch keeps the article and leaves out the navigation, the share buttons and the cookie note.",
        "web_fetch",
        {"url": SPECIMENS["article"]},
    ),
    TourStep(
        "Too long to read whole",
        "A year of the harbour's logbook is cut where it must be, and the card says so.",
        "web_fetch",
        {"url": SPECIMENS["long"]},
    ),
    TourStep(
        "Not only web pages",
        "The tide table is a PDF; its text comes out all the same.",
        "web_fetch",
        {"url": SPECIMENS["pdf"]},
    ),
    TourStep(
        "A page that is not there",
        "A 404 is an answer like any other, with its status on the card.",
        "web_fetch",
        {"url": SPECIMENS["not-found"]},
    ),
    TourStep(
        "A door that stays shut",
        "This is the address where cloud machines keep their secrets, and no connection is ever made to it.",
        "web_fetch",
        {"url": "http://169.254.169.254/"},
    ),
    TourStep(
        "A page that means harm",
        "Scripts, false links, hidden text and orders to the machine: all of it is shown as text, and none of it runs.",
        "web_fetch",
        {"url": SPECIMENS["hostile"]},
    ),
    TourStep(
        "A page that takes its time",
        "It answers after six seconds; the pending card says so at once, and can be cancelled.",
        "web_fetch",
        {"url": SPECIMENS["slow"]},
    ),
]
"""The steps in order; every call works offline."""
