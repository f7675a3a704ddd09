"""The Dashboard's charts: pure functions from figures to Altair charts, in colours that read in both themes.

Each has a selection named `pick`, from which the page learns what was clicked.
"""

import json
from typing import Any

from components.amounts import duration
from components.dashboard.wording import outcomes, value_words
from components.i18n import _
from webcards.store.figures import Series, Slice
from webcards.store.filters import DAY
from webcards.store.latency import Latency

# Told apart by people who see no red or green, and with a contrast of at least 3 to 1 on both backgrounds.
COLOURS = {"ok": "#1f8a8a", "error": "#cf4d5c", "unfinished": "#8a8f98"}
HEIGHT = 220
PICK = "pick"


def over_time(series: Series) -> Any:
    """Stacked bars: calls by outcome in each step; `pick` gives the `start` of the step that was clicked."""
    import altair as alt

    words = outcomes()
    rows = [
        {"start": step.start, "end": step.start + series.width, "outcome": words[name], "calls": count, "order": order}
        for step in series.steps
        for order, (name, count) in enumerate(
            (("ok", step.totals.ok), ("error", step.totals.errors), ("unfinished", step.totals.unfinished))
        )
        if count or name == "ok"
    ]
    pick = alt.selection_point(name=PICK, fields=["start"], on="click", clear="dblclick")
    return (
        alt.Chart(_data(alt, rows))
        .mark_bar()
        .encode(
            x=alt.X("start:T", title=None, axis=alt.Axis(format=_time_format(series), labelOverlap=True)),
            x2=alt.X2("end:T"),
            y=alt.Y("sum(calls):Q", title=_("Calls"), axis=alt.Axis(tickMinStep=1)),
            color=_outcome_colours(alt),
            order="order:Q",
            opacity=alt.condition(pick, alt.value(1), alt.value(0.45)),
            tooltip=[
                alt.Tooltip("start:T", title=_("From"), format="%d %b %Y %H:%M"),
                alt.Tooltip("outcome:N", title=_("Outcome")),
                alt.Tooltip("sum(calls):Q", title=_("Calls")),
            ],
        )
        .add_params(pick)
        .properties(height=HEIGHT)
    )


def latency(times: Latency) -> Any:
    """A histogram of durations; `pick` gives the `low` and `high` of the bin that was clicked."""
    import altair as alt

    rows = [
        {
            "low": part.low,
            "high": part.high,
            "calls": part.calls,
            "span": f"{duration(part.low)} – {duration(part.high)}",
        }
        for part in times.bins
    ]
    pick = alt.selection_point(name=PICK, fields=["low", "high"], on="click", clear="dblclick")
    scale = alt.Scale(type="symlog", constant=1)
    bars = (
        alt.Chart(_data(alt, rows))
        .mark_bar(color=COLOURS["ok"])
        .encode(
            x=alt.X("low:Q", title=_("Took"), scale=scale, axis=_time_axis(alt, times)),
            x2=alt.X2("high:Q"),
            y=alt.Y("calls:Q", title=_("Calls"), axis=alt.Axis(tickMinStep=1)),
            y2=alt.Y2Datum(0),
            opacity=alt.condition(pick, alt.value(1), alt.value(0.45)),
            tooltip=[alt.Tooltip("span:N", title=_("Took")), alt.Tooltip("calls:Q", title=_("Calls"))],
        )
        .add_params(pick)
    )
    marks = [
        {"at": at, "name": name} for name, at in (("p50", times.p50), ("p95", times.p95), ("p99", times.p99)) if at
    ]
    rules = alt.Chart(_data(alt, marks)).mark_rule(strokeDash=[4, 3], color=COLOURS["unfinished"]).encode(x="at:Q")
    names = (
        alt.Chart(_data(alt, marks))
        .mark_text(align="left", dx=4, y=8, color=COLOURS["unfinished"])
        .encode(x="at:Q", text="name:N")
    )
    return alt.layer(bars, rules, names).properties(height=HEIGHT)


def _time_axis(alt: Any, times: Latency) -> Any:
    """Powers of ten, which the scale spreads evenly, as people say them."""
    most = times.bins[-1].high if times.bins else 1
    ticks = [10**power for power in range(8) if 10**power <= most]
    said = {str(tick): duration(tick) for tick in ticks}
    return alt.Axis(values=ticks, labelExpr=f"({json.dumps(said)})[datum.value]", grid=False)


def by_dimension(dimension: str, slices: list[Slice]) -> Any:
    """Stacked bars, one a value; `pick` gives the `index` of the slice that was clicked."""
    import altair as alt

    words = outcomes()
    names = [value_words(dimension, part.value)[:60] for part in slices]
    rows = [
        {"index": index, "name": name, "outcome": words[outcome], "calls": count, "order": order}
        for index, (name, part) in enumerate(zip(names, slices, strict=True))
        for order, (outcome, count) in enumerate(
            (("ok", part.totals.ok), ("error", part.totals.errors), ("unfinished", part.totals.unfinished))
        )
    ]
    pick = alt.selection_point(name=PICK, fields=["index"], on="click", clear="dblclick")
    return (
        alt.Chart(_data(alt, rows))
        .mark_bar()
        .encode(
            y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=220)),
            x=alt.X("calls:Q", title=_("Calls"), axis=alt.Axis(tickMinStep=1)),
            color=_outcome_colours(alt),
            order="order:Q",
            opacity=alt.condition(pick, alt.value(1), alt.value(0.45)),
            tooltip=[
                alt.Tooltip("name:N", title=" "),
                alt.Tooltip("outcome:N", title=_("Outcome")),
                alt.Tooltip("calls:Q", title=_("Calls")),
            ],
        )
        .add_params(pick)
        .properties(height=140 + 28 * len(slices))
    )


def _time_format(series: Series) -> str:
    span = series.steps[-1].start - series.steps[0].start if series.steps else 0
    if series.width >= DAY:
        return "%d %b %Y" if span > 300 * DAY else "%d %b"
    return "%d %b %H:%M" if span > DAY else "%H:%M"


def _data(alt: Any, rows: list[dict[str, Any]]) -> Any:
    return alt.Data(values=rows)


def _outcome_colours(alt: Any) -> Any:
    words = outcomes()
    scale = alt.Scale(domain=[words[name] for name in COLOURS], range=list(COLOURS.values()))
    return alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="top"))
