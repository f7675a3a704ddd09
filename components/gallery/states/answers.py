"""Answers that a provider wrote: Markdown from outside, with citations of every sort."""

from components.gallery.state import Group, search, source
from components.i18n import N_

_THREE = (
    source("https://office.kittiwick.example/dues", "Harbour dues", "The dues for 2026."),
    source("https://gazette.kittiwick.example/2026/11/surge-barrier-vote", "Council votes on the barrier"),
    source("https://wiki.kittiwick.example/Kittiwick", "Kittiwick"),
)

GROUP = Group(
    "answers",
    N_("Answers"),
    (
        search(
            "answer-with-sources",
            N_("The answer stands in a box of its own above the numbered list."),
            *_THREE,
            answer="A boat of nine metres pays 14.20 a night.",
            visible_text_has=["A boat of nine metres pays 14.20 a night."],
            numbers=[1, 2, 3],
        ),
        search(
            "answer-without-sources",
            N_("There is an answer and no list; “No results found” is not said."),
            answer="A boat of nine metres pays 14.20 a night.",
            visible_text_has=["A boat of nine metres pays 14.20 a night."],
            visible_text_lacks=["No results found"],
        ),
        search(
            "answer-blank",
            N_("An answer of nothing but white space counts as none: there is no empty box."),
            answer="  \n\t ",
            visible_text_has=["No results found"],
        ),
        search(
            "answer-markdown",
            N_("Headings, lists, a table, code and a quotation keep their structure and stay in the answer's box."),
            *_THREE,
            answer=(
                "## Dues\n\n1. **By length**\n2. *By season*\n   - summer\n   - winter\n\n| Length | A night |\n|---|--:|\n"
                "| 9 m | 14.20 |\n| 12 m | 19.80 |\n\n> Paid before noon.\n\n```python\ndues = length * 1.58\n```\n\n"
                "See [the office](https://office.kittiwick.example/dues), ~~not~~ `the map`."
            ),
            hrefs_include=["https://office.kittiwick.example/dues"],
            visible_text_lacks=["**", "|---|", "```"],
        ),
        search(
            "answer-citations-brackets",
            N_("[1] and [3] are chips that lead to the sources 1 and 3; [9] has no source and stays text."),
            *_THREE,
            answer="Dues are paid by length [1] since the vote [2][3], some say [9]; an array is `a[1]`.",
            visible_text_has=["[9]", "a[1]"],
            visible_text_lacks=["[2]", "[3]"],
        ),
        search(
            "answer-citations-lenticular",
            N_("【1†source】 and 【2】 are chips as well; their brackets and daggers are gone."),
            *_THREE,
            answer="Dues are paid by length【1†source】 since the vote【2】【3†L12-L20】.",
            visible_text_lacks=["†", "【"],
        ),
        search(
            "answer-citations-private-use",
            N_(
                "Marks in private-use characters are chips where they name a source, and gone without a trace where not."
            ),
            *_THREE,
            answer=(
                "Dues are paid by length\ue200cite\ue202turn0search1\ue201 since the vote"
                "\ue200cite\ue202turn0search2\ue202turn0search3\ue201."
            ),
            visible_text_has=["Dues are paid by length2 since the vote3."],
            visible_text_lacks=["turn0search", "cite", "\ue200", "\ue202"],
        ),
        search(
            "answer-citation-zero-and-huge",
            N_("[0], [007] and a number beyond the list: none leads to a source that is not there."),
            *_THREE,
            answer="Zero [0], padded [002], beyond [4], far beyond [99999].",
            visible_text_has=["[0]", "[4]", "[99999]"],
        ),
        search(
            "answer-hostile",
            N_("Script, frame, form, image and style are text or gone; only the honest link is a link."),
            *_THREE,
            answer=(
                "<script>alert(1)</script><img src=https://tracker.example/p.gif><iframe src=//evil.example></iframe>"
                "<form action=https://evil.example><input name=p></form><style>body{display:none}</style>\n\n"
                "![dot](https://tracker.example/dot.png) [run](javascript:alert(2)) [data](data:text/html,x) "
                "[honest](https://ok.example/)"
            ),
            no_element=["script", "img", "iframe", "form", "input", "style", "object"],
            no_attribute_matches="^on",
            no_href_scheme=["javascript", "data"],
            hrefs_include=["https://ok.example/"],
            no_third_party_requests=True,
        ),
        search(
            "answer-directives",
            N_("Colours, icons, formulas and shortcodes of other systems are text, letter by letter."),
            *_THREE,
            answer="Costs $5 or $6 :red[now] :material/home: :smile: ::leaf[x] a -> b <- c",
            visible_text_has=["Costs $5 or $6 :red[now] :material/home: :smile: ::leaf[x] a -> b <- c"],
        ),
        search(
            "answer-long-code-line",
            N_("A line of code of 400 characters scrolls in its own box; the page does not."),
            *_THREE,
            answer="```\n" + "dues(" * 80 + "\n```",
            visible_text_has=["dues(dues("],
        ),
        search(
            "answer-wide-table",
            N_("A table of twelve columns scrolls in its own box at 390 px; the page does not."),
            *_THREE,
            answer="|"
            + "|".join(f"Month {n}" for n in range(1, 13))
            + "|\n"
            + "|---" * 12
            + "|\n"
            + "|123.45" * 12
            + "|",
            visible_text_has=["Month 12"],
        ),
        search(
            "answer-right-to-left",
            N_("An Arabic answer begins at the right; the list below it is as ever."),
            *_THREE,
            answer="رسوم الميناء تُدفع قبل الظهر [1] في المكتب.",
            visible_text_has=["رسوم الميناء تُدفع قبل الظهر"],
        ),
        search(
            "answer-unclosed",
            N_("A fence, a link and an emphasis that are never closed swallow nothing of what follows the answer."),
            *_THREE,
            answer="**bold [link](https://ok.example/ and\n\n```\nnever closed",
            visible_text_has=["never closed", "Council votes on the barrier"],
            numbers=[1, 2, 3],
        ),
    ),
)
