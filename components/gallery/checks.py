"""What can be checked of a card without an eye: links, numbers, contrast, names, what is said of a cut, and what fits."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import Struct

from components.gallery.cascade import Cascade
from components.gallery.contrast import ENOUGH, contrasts
from components.gallery.fitting import cut_texts
from components.i18n import _, ngettext
from webcards.contract import ToolResult, safe_link

Verdict = Literal["pass", "fail", "none"]
NARROW = 390
# More rows, paragraphs or marked words than this look no different from these.
_ROWS = 10


class Check(Struct, frozen=True):
    """One check of one card. "none" is a check that has nothing to look at here."""

    id: str
    title: str
    verdict: Verdict
    words: str


def check_card(card: str, result: object = None) -> list[Check]:
    """The checks of a card's HTML; `result` is what it was drawn from, None while the call runs."""
    from lxml import html as lxml_html

    tree = lxml_html.fromstring(card)
    checks = [
        _made("links", _("Links are safe"), _links, tree),
        _made("numbers", _("Numbers run from 1 without a gap"), _numbers, tree),
        _made("names", _("Everything that can be used has a name"), _names, tree),
        _truncated(tree, result),
    ]
    for extra in tree.xpath("//*/*[position() > $rows]", rows=_ROWS):
        extra.getparent().remove(extra)
    cascade = Cascade(tree)
    return [*checks, _contrast(tree, cascade), _fits(tree, cascade)]


def _made(name: str, title: str, look: Callable[[Any], Iterator[str | int]], tree: Any) -> Check:
    """A check from a function that gives each fault in words and, as the last thing, how many things it looked at."""
    *faults, count = look(tree)
    if faults:
        return Check(name, title, "fail", "; ".join(str(fault) for fault in faults[:3]))
    return Check(name, title, "pass" if count else "none", str(count) if count else _("nothing to check"))


def _links(tree: Any) -> Iterator[str | int]:
    links = tree.xpath("//a")
    ids = set(tree.xpath("//@id"))
    for link in links:
        href = link.get("href", "")
        if href.startswith("#"):
            if href[1:] not in ids:
                yield _("%(href)s leads nowhere") % {"href": href[:80]}
        elif safe_link(href) is None:
            yield _("%(href)s is no http(s) address") % {"href": href[:80]}
        elif link.get("target") != "_blank" or set(link.get("rel", "").split()) < {"noopener", "noreferrer"}:
            yield _("%(href)s opens without noopener and noreferrer") % {"href": href[:80]}
    for element in tree.xpath("//*[@src or @srcset or @action or @formaction or @data]"):
        yield _("<%(tag)s> loads or sends something") % {"tag": element.tag}
    yield len(links)


def _numbers(tree: Any) -> Iterator[str | int]:
    values = [row.get("value") for row in tree.xpath("//ol[contains(@class, 'wc-list')]/li")]
    for place, value in enumerate(values, 1):
        if value != str(place):
            yield _("place %(place)d has the number %(value)s") % {"place": place, "value": value}
    yield len(values)


def _names(tree: Any) -> Iterator[str | int]:
    things = tree.xpath("//a | //button | //summary | //article | //*[@tabindex] | //input | //*[@role='group']")
    for thing in things:
        text = thing.text_content() if thing.tag in ("a", "button", "summary", "p", "span", "pre", "table") else ""
        if not (thing.get("aria-label") or text).strip():
            yield _("<%(tag)s> has no name") % {"tag": thing.tag}
    for name, count in Counter(tree.xpath("//@id")).items():
        if count == 1:
            continue
        yield _("the id %(id)s is there twice") % {"id": name}
    yield len(things)


_SEARCH_NOTE = re.compile(r"^Only \d+ sources? (?:is|are) shown; more were found\.$", re.MULTILINE)
_FETCH_NOTE = re.compile(r"\n\n\[(?:Cut: characters \d+ to \d+ of |The page was too large and was cut)[^\]]*\]\s*$")
_OURS = re.compile(r"(?:Fetched [^\n]* \(HTTP -?\d+\)\n|(?:.*\n)*?(?:Sources:|No results found\.)(?:\n|$))")


def _truncated(tree: Any, result: object) -> Check:
    title = _("“Truncated” agrees with the text")
    text = ToolResult.from_json(result).text if result is not None else ""
    if (
        tree.xpath("boolean(//*[@aria-busy])")
        or "wc-generic" in tree.get("class", "")
        or not _OURS.match(text[:100_000])
    ):
        return Check("truncated", title, "none", _("nothing to check"))
    badge = bool(tree.xpath("//*[@data-badge='truncated']"))
    said = bool(_SEARCH_NOTE.search(text) or _FETCH_NOTE.search(text[-400:]))
    match badge, said:
        case True, False:
            return Check("truncated", title, "fail", _("the card says so, the text that the model read does not"))
        case False, True:
            return Check("truncated", title, "fail", _("the text that the model read says so, the card does not"))
        case _:
            return Check("truncated", title, "pass", _("both say so") if badge else _("neither says so"))


def _contrast(tree: Any, cascade: Cascade) -> Check:
    title = _("Contrast is at least 4.5 : 1 in both themes")
    found = sorted(set(contrasts(tree, cascade)))
    if not found:
        return Check("contrast", title, "none", _("nothing to check"))
    words = ", ".join(
        f"{item.ratio:.2f} {item.where} ({_('light') if item.theme == 'light' else _('dark')})" for item in found[:2]
    )
    return Check("contrast", title, "pass" if found[0].ratio >= ENOUGH else "fail", words)


def _fits(tree: Any, cascade: Cascade) -> Check:
    title = _("No text is cut off at 390 px")
    cut = list(dict.fromkeys(cut_texts(tree, cascade, NARROW)))
    if cut:
        return Check("fits", title, "fail", ", ".join(cut[:4]))
    return Check("fits", title, "pass", _("by estimate"))


def failed(checks: list[Check]) -> list[Check]:
    """The checks that failed."""
    return [check for check in checks if check.verdict == "fail"]


def summary(checks: list[Check]) -> str:
    """The checks in a few words."""
    count = len(failed(checks))
    if not count:
        return _("All checks pass")
    return ngettext("%(n)d check fails", "%(n)d checks fail", count) % {"n": count}
