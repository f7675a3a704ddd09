"""Dates of sources: shown as they were recorded, a full ISO date without its time of day."""

from components.gallery.state import Group, search, source
from components.i18n import N_

GROUP = Group(
    "dates",
    N_("Dates"),
    (
        search(
            "date-missing",
            N_("No date is recorded: none is shown, and none is made up."),
            source("https://gazette.kittiwick.example/a", "The gale", "It blew."),
            no_element=["time"],
        ),
        search(
            "date-day",
            N_("A plain day is shown as recorded."),
            source("https://gazette.kittiwick.example/a", "The gale", date="2026-11-12"),
            visible_text_has=["2026-11-12"],
        ),
        search(
            "date-instant",
            N_("An instant is shown as its day; machines find the whole of it in the element."),
            source("https://gazette.kittiwick.example/a", "The gale", date="2026-11-12T23:59:59.123+14:00"),
            visible_text_has=["2026-11-12"],
            visible_text_lacks=["23:59"],
        ),
        search(
            "date-relative",
            N_("“3 days ago” is no date: it stays the words that were recorded, for they were true only then."),
            source("https://gazette.kittiwick.example/a", "The gale", date="3 days ago"),
            visible_text_has=["3 days ago"],
        ),
        search(
            "date-words",
            N_("A date in words, in another language, and one in a national form: each as it was recorded."),
            source("https://gazette.kittiwick.example/a", "The gale", date="12 November 2026"),
            source("https://gazette.kittiwick.example/b", "The gale", date="2026年11月12日"),
            source("https://gazette.kittiwick.example/c", "The gale", date="11/12/2026"),
            visible_text_has=["12 November 2026", "2026年11月12日", "11/12/2026"],
        ),
        search(
            "date-year-or-month",
            N_("A year, a month, a week: shown as recorded, nothing is filled up to a day."),
            source("https://gazette.kittiwick.example/a", "The gale", date="2026"),
            source("https://gazette.kittiwick.example/b", "The gale", date="2026-11"),
            source("https://gazette.kittiwick.example/c", "The gale", date="2026-W46"),
            visible_text_has=["2026", "2026-11", "2026-W46"],
            visible_text_lacks=["2026-11-01", "2026-01-01"],
        ),
        search(
            "date-impossible",
            N_("The 31st of February, the month 13 and a number: shown as recorded, and nothing fails."),
            source("https://gazette.kittiwick.example/a", "The gale", date="2026-02-31"),
            source("https://gazette.kittiwick.example/b", "The gale", date="2026-13-01T00:00:00Z"),
            source("https://gazette.kittiwick.example/c", "The gale", date="1794441600"),
            visible_text_has=["2026-02-31", "2026-13-01", "1794441600"],
        ),
        search(
            "date-far",
            N_("Years far back and far ahead are shown like any other."),
            source("https://gazette.kittiwick.example/a", "The gale", date="0001-01-01"),
            source("https://gazette.kittiwick.example/b", "The gale", date="9999-12-31"),
            source("https://gazette.kittiwick.example/c", "The gale", date="-0044-03-15"),
            visible_text_has=["0001-01-01", "9999-12-31", "-0044-03-15"],
        ),
        search(
            "date-blank",
            N_("An empty date counts as none."),
            source("https://gazette.kittiwick.example/a", "The gale", date=""),
            no_element=["time"],
        ),
        search(
            "date-hostile",
            N_("Markup in a date is text, and a date of 300 characters breaks inside the card."),
            source("https://gazette.kittiwick.example/a", "The gale", date="<b>today</b>"),
            source("https://gazette.kittiwick.example/b", "The gale", date="long ago, " * 30),
            visible_text_has=["<b>today</b>"],
            no_element=["b"],
        ),
    ),
)
