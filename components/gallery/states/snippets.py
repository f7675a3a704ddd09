"""Snippets below a source's label."""

from components.gallery.state import Group, search, source
from components.i18n import N_

_URL = "https://office.kittiwick.example/dues"
_LONG = "Dues are payable before noon at the harbour office, in coin or by the machine beside the slipway. " * 30

GROUP = Group(
    "snippets",
    N_("Snippets"),
    (
        search(
            "snippet-missing",
            N_("No snippet: the row is a label, a host and a date, with no gap where the snippet would be."),
            source(_URL, "Harbour dues", date="2026-01-02"),
            visible_text_lacks=["None", "undefined"],
        ),
        search(
            "snippet-blank",
            N_("A blank snippet counts as none: nothing to open, no empty line."),
            source(_URL, "Harbour dues", "", "2026-01-02"),
            source("https://wiki.kittiwick.example/Kittiwick", "Kittiwick", "   \n "),
            numbers=[1, 2],
        ),
        search(
            "snippet-short",
            N_("A short snippet is one line, and there is nothing to open."),
            source(_URL, "Harbour dues", "The dues for 2026."),
            visible_text_has=["The dues for 2026."],
            no_element=["details"],
        ),
        search(
            "snippet-long",
            N_("Two lines are shown; a click or Enter opens the other 2,900 characters, and closes them again."),
            source(_URL, "Harbour dues", _LONG),
            source("https://wiki.kittiwick.example/Kittiwick", "The source after it"),
            visible_text_has=[_LONG.strip(), "The source after it"],
        ),
        search(
            "snippet-markup",
            N_("Tags, frames and handlers in a snippet are text; no bold words, no box, no request."),
            source(_URL, "Harbour dues", '</a></li><iframe src="https://evil.example"></iframe><b onclick=x>bold</b>'),
            visible_text_has=['</a></li><iframe src="https://evil.example"></iframe><b onclick=x>bold</b>'],
            no_element=["iframe", "b"],
            no_attribute_matches="^on",
            no_third_party_requests=True,
        ),
        search(
            "snippet-markdown",
            N_("Markdown, an image and a formula in a snippet are shown letter by letter."),
            source(
                _URL,
                "Harbour dues",
                "![x](https://tracker.example/a.png) **bold** $\\frac{1}{2}$ :sunglasses: about ~10% to ~20%",
            ),
            visible_text_has=[
                "![x](https://tracker.example/a.png) **bold** $\\frac{1}{2}$ :sunglasses: about ~10% to ~20%"
            ],
            no_element=["img", "strong", "del", "s"],
        ),
        search(
            "snippet-query-words",
            N_("The query's words are marked in the snippet, and the marked text reads as before."),
            source(_URL, "Harbour dues", "The harbour office takes harbour dues before noon."),
            visible_text_has=["The harbour office takes harbour dues before noon."],
        ),
        search(
            "snippet-control-characters",
            N_("NUL, backspace and other control characters are gone; no box, no cut-off text."),
            source(_URL, "Harbour\x00 dues", "The\x08 dues \x1b[31mfor\x1b[0m 2026\x7f."),
            visible_text_has=["Harbour dues"],
        ),
        search(
            "snippet-one-long-word",
            N_("A word of 2,000 characters breaks inside the card, closed and opened."),
            source(_URL, "Harbour dues", "x" * 2000),
            visible_text_has=["x" * 2000],
        ),
    ),
)
