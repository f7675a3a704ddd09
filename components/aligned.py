"""Two engines' answers aligned, as markup: a pure function. Every value in it is another's and stands in it as text."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from markupsafe import Markup

from components.amounts import percent
from components.i18n import _, language, ngettext
from components.safe_text import display_text
from webcards.contract import link_host, safe_link, source_label
from webcards.search.comparison import Aligned, Comparison

SHEET = Path(__file__).parent / "templates" / "aligned.css"


@lru_cache(maxsize=1)
def _sheet() -> Markup:
    return Markup(SHEET.read_text(encoding="utf-8"))  # noqa: S704 (our own file)


def aligned_html(left: str, right: str, comparison: Comparison) -> str:
    """The figures, and a table with a row a source: its rank on either side, and how far it moved. `left` and `right`
    name the engines.
    """
    figures = {
        _("In both"): str(comparison.shared),
        _("Only left"): str(comparison.only_left),
        _("Only right"): str(comparison.only_right),
        _("Overlap in the first 5"): percent(comparison.overlap(5)),
        _("Overlap in the first 10"): percent(comparison.overlap(10)),
    }
    count = len(comparison.rows)
    heads = (display_text(left), display_text(right), _("Move"))
    return Markup(
        "<style>{sheet}</style>"
        '<section class="wca" lang="{lang}" aria-label="{title}"><dl>{figures}</dl>'
        "<details open><summary>{all}</summary>"
        '<div class="wca-rows" tabindex="0" role="group" aria-label="{all}"><table>'
        '<thead><tr>{heads}<th scope="col">{source}</th></tr></thead><tbody>{rows}</tbody></table></div></details></section>'
    ).format(
        sheet=_sheet(),
        lang=language(),
        title=_("Both answers, aligned"),
        figures=_joined(Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(*figure) for figure in figures.items()),
        all=ngettext("%(n)d source in all", "%(n)d sources in all", count) % {"n": count},
        heads=_joined(Markup('<th scope="col" class="wca-n">{}</th>').format(head) for head in heads),
        source=_("Source"),
        rows=_joined(_row(row) for row in comparison.rows),
    )


def _row(row: Aligned) -> Markup:
    moved = row.moved
    move = "" if moved is None else "＝" if moved == 0 else f"▲ {moved}" if moved > 0 else f"▼ {-moved}"
    label, href, host = source_label(row.source), safe_link(row.source.url), link_host(row.source.url)
    link = Markup('<a dir="auto" href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    named = (
        link.format(href, display_text(label))
        if href
        else Markup('<span dir="auto">{}</span>').format(display_text(label))
    )
    place = host.ascii if host else ""
    where = Markup('<span class="wca-host" dir="ltr">{}</span>').format(place) if place not in ("", label) else ""
    cell = Markup('<td class="wca-n">{}</td>')
    numbers = _joined(cell.format(value) for value in (row.left or "–", row.right or "–", move))
    return Markup("<tr>{}<td>{}{}</td></tr>").format(numbers, named, where)


def _joined(parts: Iterable[Markup]) -> Markup:
    return Markup("").join(parts)
