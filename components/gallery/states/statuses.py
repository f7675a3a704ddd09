"""Fetches by HTTP status: each class, and numbers that no standard knows."""

from components.gallery.state import Group, State, fetch, result
from components.i18n import N_

_STATUSES = (
    (0, N_("0 is no HTTP status: the number is shown, neutral, without a phrase.")),
    (100, N_("100 is informational: neutral, with its standard phrase.")),
    (103, N_("103 is informational: neutral, with its standard phrase.")),
    (200, N_("200 is green, with “OK”.")),
    (204, N_("204 has no body: the card ends after its head.")),
    (206, N_("206 is green, with its standard phrase.")),
    (299, N_("299 has no standard phrase: the number stands alone, green like its class.")),
    (301, N_("301 as a final status: blue, with its standard phrase.")),
    (304, N_("304 as a final status: blue, with its standard phrase.")),
    (400, N_("400 is amber, with its standard phrase.")),
    (401, N_("401 is amber, with its standard phrase.")),
    (403, N_("403 is amber, with its standard phrase.")),
    (404, N_("404 is a result, not an error: the card is drawn, and the page that came with it can be read.")),
    (410, N_("410 is amber, with its standard phrase.")),
    (418, N_("418 is amber, with its phrase.")),
    (429, N_("429 is amber, with its standard phrase.")),
    (451, N_("451 is amber, with its long phrase where there is room for it.")),
    (500, N_("500 is red, with its standard phrase.")),
    (503, N_("503 is red, with its standard phrase.")),
    (599, N_("599 has no standard phrase: the number stands alone, red like its class.")),
    (600, N_("600 belongs to no class: the number is shown, neutral.")),
    (999, N_("999, which some sites send, belongs to no class: the number is shown, neutral.")),
    (-1, N_("A negative number is shown as it is, neutral.")),
    (1234567890123, N_("A number of thirteen digits does not push anything out of the card.")),
)


def _status(code: int, look: str) -> State:
    shown = [f"HTTP {code}"] if abs(code) < 10**12 else []
    return fetch(
        f"status-{code}",
        look,
        status=code,
        body="" if code in (204, 304) else f"The page that came with {code}.",
        visible_text_has=shown,
    )


GROUP = Group(
    "statuses",
    N_("Statuses"),
    (
        *(_status(code, look) for code, look in _STATUSES),
        State(
            "status-as-decimal",
            N_("200.0 is a whole number: the card shows 200."),
            "web_fetch",
            {"url": "https://office.kittiwick.example/dues"},
            lambda: result(
                "Fetched https://office.kittiwick.example/dues (HTTP 200)\n\nDues.",
                {"url": "https://office.kittiwick.example/dues", "statusCode": 200.0, "truncated": False},
            ),
            {"card": "web", "kind": "fetch", "visible_text_has": ["HTTP 200"], "visible_text_lacks": ["200.0"]},
        ),
    ),
)
