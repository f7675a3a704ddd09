"""How many sources a search has, and whether the list was cut."""

from components.gallery.state import Group, search, source, sources_numbered
from components.i18n import N_

_SAME = source("https://office.kittiwick.example/dues", "Harbour dues", "The dues for 2026.", "2026-01-02")

GROUP = Group(
    "sources",
    N_("Sources"),
    (
        search(
            "sources-0",
            N_("“No results found” stands where the list would be; there is no empty box and no count."),
            visible_text_has=["No results found"],
            numbers=[],
        ),
        search("sources-1", N_("One source, numbered 1; the head says “1 source”."), _SAME, numbers=[1], links_count=1),
        search(
            "sources-3",
            N_("Three sources, numbered 1, 2, 3, each with a label, a host, a snippet and a date."),
            many=lambda: sources_numbered(3),
            numbered=[[1, "Harbour dues, part 1"], [2, "Harbour dues, part 2"], [3, "Harbour dues, part 3"]],
        ),
        search(
            "sources-8",
            N_("Eight sources: the list is taller than its box and scrolls in place, also with the arrow keys."),
            many=lambda: sources_numbered(8),
            numbers=list(range(1, 9)),
        ),
        search(
            "sources-100",
            N_("A hundred sources: three digits fit beside the labels, and the card is no taller than with eight."),
            many=lambda: sources_numbered(100),
            numbers=list(range(1, 101)),
        ),
        search(
            "sources-1000",
            N_("A thousand sources: the card is there at once, scrolls smoothly, and the last number is 1000."),
            many=lambda: sources_numbered(1000),
            numbers=list(range(1, 1001)),
        ),
        search(
            "sources-truncated",
            N_("The badge says “truncated”, and a note below the list says how many are shown."),
            many=lambda: sources_numbered(8),
            truncated=True,
            badge="truncated",
            numbers=list(range(1, 9)),
        ),
        search(
            "sources-not-truncated",
            N_("The list is whole: no badge, and no note below it."),
            many=lambda: sources_numbered(4),
            no_badge="truncated",
        ),
        search(
            "sources-0-truncated",
            N_("An empty list that was cut all the same: both are said, and neither hides the other."),
            truncated=True,
            badge="truncated",
            visible_text_has=["No results found"],
        ),
        search(
            "sources-duplicates",
            N_("The same source three times is drawn three times: the numbers are those that the model cites."),
            _SAME,
            _SAME,
            _SAME,
            numbers=[1, 2, 3],
            links_count=3,
        ),
        search(
            "sources-several-queries",
            N_("Four queries stand in the head, joined by commas; the list below is one."),
            many=lambda: sources_numbered(4),
            args={"queries": ["harbour dues", "mooring fees", "tide table", "storm warning"]},
            title="harbour dues, mooring fees, tide table, storm warning",
        ),
        search(
            "sources-no-args",
            N_("The args are lost: there is no title, and the card is drawn all the same."),
            _SAME,
            args=None,
            title_absent=True,
            numbers=[1],
        ),
        search(
            "sources-odd-args",
            N_("The args are a list of numbers: there is no title, and nothing is made up for it."),
            _SAME,
            args=[1, 2, {"query": 3}],
            title_absent=True,
        ),
        search(
            "sources-nothing-but-url",
            N_("A source with nothing but its URL shows its host as the label; no “None”, no empty line."),
            source("https://wiki.kittiwick.example/Rule_of_twelfths"),
            visible_text_lacks=["None", "undefined", "null", "NaN"],
            links=[{"text": "wiki.kittiwick.example", "href": "https://wiki.kittiwick.example/Rule_of_twelfths"}],
        ),
    ),
)
