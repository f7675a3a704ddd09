"""Results that no card is made for: unknown tools, cards and kinds, no meta at all, content of odd shapes."""

from typing import Any

from components.gallery.state import FETCH_ARGS, PAGE, RAW, SEARCH_ARGS, Group, State, result
from components.i18n import N_

_SEARCH_META: dict[str, Any] = {"sources": [{"url": "https://office.kittiwick.example/"}], "truncated": False}
_FETCH_META: dict[str, Any] = {"url": PAGE, "statusCode": 200, "truncated": False}
_SHOWS_RAW = {"card": "generic", "visible_text_has": ["raw text of the result"]}

GROUP = Group(
    "unknown",
    N_("Unknown"),
    (
        State(
            "unknown-tool",
            N_("A tool that has no card: the raw content is shown, and the reason names the tools that have one."),
            "weather_report",
            {"place": "Kittiwick"},
            lambda: result(RAW, _SEARCH_META),
            {**_SHOWS_RAW, "reason_matches": "weather_report has no card"},
        ),
        State(
            "unknown-card",
            N_("The meta claims a card of its own, “map”: it is an unknown key and is ignored; the web card is drawn."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(RAW, {**_SEARCH_META, "card": "map"}),
            {"card": "web", "kind": "search", "numbers": [1]},
        ),
        State(
            "unknown-kind",
            N_("The meta claims a kind of its own, “images”: the tool decides, so the search card is drawn."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(RAW, {**_SEARCH_META, "kind": "images"}),
            {"card": "web", "kind": "search", "numbers": [1]},
        ),
        State(
            "unknown-kind-only",
            N_(
                "A meta of a third kind, with fields that nobody here knows: raw content, and the first field that lacks."
            ),
            "web_search",
            SEARCH_ARGS,
            lambda: result(RAW, {"card": "web", "kind": "images", "images": []}),
            {**_SHOWS_RAW, "reason_matches": "^\\$\\.sources: required"},
        ),
        State(
            "unknown-other-tools-meta",
            N_("A search that carries a fetch's meta: raw content; a meta is read as its own tool's or not at all."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(RAW, _FETCH_META),
            {**_SHOWS_RAW, "reason_matches": "^\\$\\.sources: required"},
        ),
        State(
            "unknown-extra-keys",
            N_("Keys from a later version, at the top and in a source, are ignored; the card is drawn."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(
                RAW,
                {
                    "sources": [{"url": "https://a.example", "rank": 1, "score": None, "author": {"name": "A"}}],
                    "truncated": False,
                    "nextPage": "p2",
                    "schema": 9,
                },
            ),
            {"card": "web", "kind": "search", "hrefs_exact": ["https://a.example/"]},
        ),
        State(
            "unknown-no-meta",
            N_("An older log keeps no meta: the raw content, and the reason says that it is absent."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(RAW),
            {**_SHOWS_RAW, "reason_matches": "^\\$\\.meta: absent"},
        ),
        State(
            "unknown-null-meta",
            N_("A meta of null is the same as none."),
            "web_fetch",
            FETCH_ARGS,
            lambda: result(RAW, None),
            {**_SHOWS_RAW, "reason_matches": "^\\$\\.meta: absent"},
        ),
        State(
            "unknown-content-string",
            N_("The content is one string in place of a list of blocks: it is shown as it is."),
            "web_search",
            SEARCH_ARGS,
            lambda: {"content": RAW, "isError": False},
            _SHOWS_RAW,
        ),
        State(
            "unknown-content-blocks",
            N_("Blocks that are no text are shown as their JSON, so that nothing of the result is lost."),
            "web_search",
            SEARCH_ARGS,
            lambda: {
                "content": [{"type": "text", "text": RAW}, {"type": "chart", "points": [1, 2]}, 7, None],
                "isError": False,
            },
            {"card": "generic", "visible_text_has": ["raw text of the result", '"points":[1,2]']},
        ),
        State(
            "unknown-no-content",
            N_("Neither content nor meta: a generic card that says so, not an empty page."),
            "web_search",
            SEARCH_ARGS,
            lambda: {"isError": False},
            {"card": "generic", "reason_matches": "^\\$\\.meta: absent"},
        ),
        State(
            "unknown-result-shape",
            N_("The result is a number in place of an object: it is shown, and nothing fails."),
            "web_fetch",
            FETCH_ARGS,
            lambda: 42,
            {"card": "generic", "visible_text_has": ["42"]},
        ),
        State(
            "unknown-raw-hostile",
            N_("Raw content is text to the letter: tags, Markdown and shortcodes have no effect."),
            "web_search",
            SEARCH_ARGS,
            lambda: result("<img src=x onerror=alert(1)> **bold** :red[x] $a$ [l](javascript:alert(1))"),
            {
                "card": "generic",
                "visible_text_has": ["<img src=x onerror=alert(1)> **bold** :red[x] $a$ [l](javascript:alert(1))"],
                "no_element": ["img", "strong", "a"],
                "no_attribute_matches": "^on",
            },
        ),
    ),
)
