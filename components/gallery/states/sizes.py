"""Metas of extreme depth and size: they are drawn or refused like any other, and nothing fails."""

from typing import Any

from components.gallery.state import PAGE, RAW, Group, State, fetch, malformed, result, search, source
from components.i18n import N_

_OFFICE = "https://office.kittiwick.example/"


def nested(levels: int) -> Any:
    """Lists within lists, so many levels deep."""
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


GROUP = Group(
    "sizes",
    N_("Depth and size"),
    (
        search(
            "deep-extra-key",
            N_("An unknown key nested 500 levels deep is ignored like any unknown key."),
            source(_OFFICE, "Office"),
            extra={"trace": nested(500)},
            numbers=[1],
        ),
        malformed(
            "web_search",
            "deep-title",
            N_("A title nested 500 levels deep is refused at once, at the title, not somewhere inside it."),
            lambda: {"sources": [{"url": _OFFICE, "title": nested(500)}], "truncated": False},
            "$.sources[0].title",
            "expected str, got list",
        ),
        malformed(
            "web_search",
            "deep-meta",
            N_("A meta that is nothing but lists within lists, 500 deep: an object was expected."),
            lambda: nested(500),
            "$",
            "expected object, got list",
        ),
        malformed(
            "web_fetch",
            "deep-objects",
            N_("Objects within objects, 400 deep, under “url”: refused at the URL."),
            lambda: {"url": _objects(400), "statusCode": 200, "truncated": False},
            "$.url",
            "expected str, got object",
        ),
        search(
            "huge-snippet",
            N_("A snippet of 200,000 characters shows two lines and opens; the page stays quick."),
            many=lambda: [source(_OFFICE, "Office", "The harbour bylaws. " * 10_000)],
            numbers=[1],
        ),
        search(
            "huge-answer",
            N_("An answer of 100,000 characters is there as a whole above the list."),
            source(_OFFICE, "Office"),
            answer="The harbour bylaws of 1931. " * 3_600,
            numbers=[1],
        ),
        search(
            "huge-extra-keys",
            N_("Five thousand unknown keys change nothing."),
            source(_OFFICE, "Office"),
            extra={f"key{n}": n for n in range(5_000)},
            numbers=[1],
        ),
        fetch(
            "huge-status",
            N_("A status of forty digits is shown in short and pushes nothing out of the card."),
            status=10**40,
            visible_text_lacks=["0" * 20],
        ),
        State(
            "huge-raw",
            N_("A raw content of half a million characters is shown in part; a note says how many are left out."),
            "web_fetch",
            {"url": PAGE},
            lambda: result(RAW + "\n" + "The harbour bylaws of 1931. " * 19_000),
            {"card": "generic", "visible_text_has": ["raw text of the result", "more characters are not shown here"]},
        ),
    ),
)


def _objects(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = {"in": value}
    return value
