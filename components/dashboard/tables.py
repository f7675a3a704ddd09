"""The same numbers as a chart shows, as an HTML table: what a screen reader reads, and what a person
copies. Pure.
"""

from collections.abc import Iterable
from html import escape

from components.amounts import day_and_time, duration, number
from components.dashboard.wording import value_words
from components.i18n import _
from components.safe_text import display_text
from webcards.store.figures import Series, Slice
from webcards.store.latency import Latency

SHEET = """
.wc-table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}
.wc-table th,.wc-table td{padding:.25rem .6rem;text-align:end;
  border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent)}
.wc-table th:first-child,.wc-table td:first-child{text-align:start;overflow-wrap:anywhere}
"""


def series_table(series: Series, zone: str | None) -> str:
    """Calls over time; steps without a call are left out."""
    rows = [
        [day_and_time(step.start, zone), *map(number, (step.totals.ok, step.totals.errors, step.totals.unfinished))]
        for step in series.steps
        if step.totals.calls
    ]
    return _table(_("Calls over time"), [_("From"), _("Succeeded"), _("Failed"), _("Unfinished")], rows)


def latency_table(times: Latency) -> str:
    """The histogram of durations."""
    rows = [[f"{duration(part.low)} – {duration(part.high)}", number(part.calls)] for part in times.bins if part.calls]
    return _table(_("How long calls took"), [_("Took"), _("Calls")], rows)


def slices_table(dimension: str, title: str, slices: list[Slice]) -> str:
    """The sums for each value of a dimension."""
    rows = []
    for part in slices:
        sums = part.totals
        mean = duration(sums.elapsed_ms / sums.settled) if sums.settled else "–"
        counts = map(number, (sums.calls, sums.errors, sums.fell_back, sums.truncated))
        rows.append([value_words(dimension, part.value), *counts, mean])
    heads = [title, _("Calls"), _("Failed"), _("Fell back"), _("Truncated"), _("Mean time")]
    return _table(title, heads, rows)


def _table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f'<th scope="col">{_cell(text)}</th>' for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(text)}</td>' for text in row)}</tr>" for row in rows)
    return (
        f'<table class="wc-table" aria-label="{_cell(caption)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _cell(text: str) -> str:
    return escape(display_text(text), quote=True)
