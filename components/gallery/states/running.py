"""Calls that run, and one that was stopped."""

from components.gallery.state import FETCH_ARGS, SEARCH_ARGS, Group, State, result
from components.i18n import N_

GROUP = Group(
    "running",
    N_("Running"),
    (
        State(
            "running-search",
            N_(
                "The query stands in the head, “running” in the badge; no source, no number, nothing that looks settled."
            ),
            "web_search",
            SEARCH_ARGS,
            None,
            {"visible_text_has": ["harbour dues"], "numbers": []},
            seconds=0.4,
        ),
        State(
            "running-several-queries",
            N_("All queries stand in the head, joined by commas, in the order in which they were asked."),
            "web_search",
            {"queries": ["harbour dues", "mooring fees", "潮汐"]},
            None,
            {"visible_text_has": ["harbour dues, mooring fees, 潮汐"]},
            seconds=1.2,
        ),
        State(
            "running-fetch",
            N_("The address stands in the head as plain text: a page that is not read yet is no link."),
            "web_fetch",
            FETCH_ARGS,
            None,
            {"visible_text_has": [FETCH_ARGS["url"]], "links_count": 0},
            progress="Reading the page",
            seconds=2,
        ),
        State(
            "running-long",
            N_("After nearly an hour the seconds are still readable and the card is no taller."),
            "web_fetch",
            FETCH_ARGS,
            None,
            {"visible_text_has": ["3599 s"]},
            progress="Waiting for office.kittiwick.example, which has answered nothing so far",
            seconds=3599,
        ),
        State(
            "running-without-args",
            N_("Without readable args the tool's name stands in the head; the card is drawn all the same."),
            "web_search",
            None,
            None,
            {"visible_text_has": ["web_search"]},
            seconds=3,
        ),
        State(
            "running-unknown-tool",
            N_("A tool that nobody here knows has a neutral sign and its own name in the head."),
            "weather_report",
            {"place": "Kittiwick"},
            None,
            {"visible_text_has": ["weather_report"]},
            seconds=1,
        ),
        State(
            "running-hostile-progress",
            N_("Markup in the query and in the progress is text: nothing is bold, nothing is loaded."),
            "web_search",
            {"query": "<b>dues</b> :red[now]"},
            None,
            {"visible_text_has": ["<b>dues</b> :red[now]", "<img src=x>"], "no_element": ["b", "img"]},
            progress="<img src=x> asking",
            seconds=1,
        ),
        State(
            "cancelled",
            N_("A cancelled call is an error result: WEB_ABORTED in the badge, and no number or link is left over."),
            "web_search",
            SEARCH_ARGS,
            lambda: result(
                "Error: The call was cancelled before it was done.",
                isError=True,
                error={"name": "WebError", "code": "WEB_ABORTED"},
            ),
            {"card": "generic", "visible_text_has": ["WEB_ABORTED", "cancelled before it was done"], "numbers": []},
        ),
    ),
)
