"""The Dashboard's figures, each a click away from the calls behind it, and compared with the period before."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from components.amounts import duration, number, percent
from components.dashboard import charts, tables
from components.dashboard.address import lead_to_narrowed, open_call, put
from components.dashboard.wording import call_line, dead_line, dimensions, host_line, value_words
from components.i18n import _, ngettext
from components.rows import rows
from components.safe_text import md_escape
from webcards.store import Call, Filter, Store, figures
from webcards.store.calls import list_calls
from webcards.store.figures import Dimension, Series, Slice, Totals
from webcards.store.hosts import Host
from webcards.store.latency import Latency
from webcards.store.links import DeadLink, dead_links

LISTED = 10
SLICES = 12


class Metric(NamedTuple):
    """One number of the top row; `behind` is how many calls `narrowing` leads to."""

    label: str
    value: str
    delta: str | None = None
    colour: Literal["normal", "inverse", "off"] = "normal"
    behind: int = 0
    narrowing: dict[str, Any] | None = None


class Figures(NamedTuple):
    """All that the page draws of the calls that a filter means."""

    totals: Totals
    before: Totals | None
    series: Series
    latency: Latency
    latency_before: Latency | None
    slices: list[Slice]
    hosts: list[Host]
    dead: list[DeadLink]
    slowest: list[Call]
    largest: list[Call]


def ask(store: Store, wanted: Filter, dimension: Dimension, *, now: int, zone: ZoneInfo | None) -> Figures:
    """Asks the store for all figures, over one connection and one range."""
    store.refresh()
    fixed = wanted.at(now)
    earlier = wanted.before(now)
    with store.reading() as connection:
        return Figures(
            figures.totals(connection, fixed, now=now),
            figures.totals(connection, earlier, now=now) if earlier else None,
            figures.over_time(connection, fixed, now=now, zone=zone),
            figures.latency(connection, fixed, now=now),
            figures.latency(connection, earlier, now=now) if earlier else None,
            figures.by(connection, dimension, fixed, now=now, limit=SLICES),
            figures.top_hosts(connection, fixed, now=now, limit=LISTED),
            dead_links(connection, fixed, now=now, limit=LISTED),
            list_calls(connection, fixed, now=now, order="slowest", limit=LISTED).calls,
            list_calls(connection, fixed, now=now, order="largest", limit=LISTED).calls,
        )


def asked_dimension() -> Dimension:
    """What the address groups by."""
    asked: Any = st.query_params.get("by")
    return asked if asked in dimensions() else "tool"


def overview(found: Figures, dimension: Dimension, zone: str | None) -> None:
    """Draws the figures."""
    _metrics(found)
    _over_time(found.series, zone)
    left, right = st.columns(2)
    with left:
        _latency(found.latency)
    with right:
        _slices(dimension, found.slices)
    names = {
        "hosts": _("Top hosts"),
        "dead": _("Dead links"),
        "slowest": _("Slowest"),
        "largest": _("Largest"),
    }
    hosts, dead, slowest, largest = st.tabs(list(names.values()))
    with hosts:
        rows(
            found.hosts, "host", host_line, lambda host: lead_to_narrowed(**_host_filter(host)), empty=_("No host yet.")
        )
    with dead:
        rows(
            found.dead,
            "dead",
            lambda link: dead_line(link, zone),
            lambda link: lead_to_narrowed(words=link.url[:300], tool="web_fetch"),
            empty=_("No dead link: every URL answered when it was last fetched."),
        )
    with slowest:
        call_rows(found.slowest, "slow", zone)
    with largest:
        call_rows(found.largest, "large", zone)


def call_rows(calls: list[Call], key: str, zone: str | None) -> None:
    """Draws a list of calls; each opens by itself."""
    rows(calls, key, lambda call: call_line(call, zone), lambda call: open_call(call.id), empty=_("No call yet."))


def _host_filter(host: Host) -> dict[str, str]:
    return {"host": host.host} if host.fetched >= host.cited else {"cited": host.host}


def _metrics(found: Figures) -> None:
    sums, before = found.totals, found.before
    p95, p95_before = found.latency.p95, found.latency_before.p95 if found.latency_before else None
    calls_delta = _delta(sums.calls, before.calls if before else None, number)
    shown_metrics: list[Metric] = [
        Metric(_("Calls"), number(sums.calls), calls_delta, "off", sums.calls, {}),
        _share(_("Failed"), sums, before, "errors", {"outcome": "error"}),
        _share(_("Fell back"), sums, before, "fell_back", {"fell_back": True}),
        _share(_("Truncated"), sums, before, "truncated", {"truncated": True}),
        Metric(
            _("95 % took less than"),
            "–" if p95 is None else duration(p95),
            None if p95 is None or p95_before is None else _delta(p95, p95_before, duration),
            "inverse",
            sums.settled // 20,
            None if p95 is None else {"slower": float(round(p95))},
        ),
        Metric(
            _("Sources a search"),
            "–" if sums.sources_a_search is None else number(sums.sources_a_search, 1),
            behind=sums.searches,
            narrowing={"tool": "web_search"},
        ),
    ]
    if sums.unfinished:
        unfinished = {"outcome": "unfinished"}
        shown_metrics.append(
            Metric(_("Unfinished"), number(sums.unfinished), behind=sums.unfinished, narrowing=unfinished)
        )
    grid = st.grid(columns="auto", min_column_width=200, border=True, key="dashboard-metrics")
    for metric in shown_metrics:
        with grid.cell():
            st.metric(
                md_escape(metric.label),
                metric.value,
                metric.delta,
                delta_color=metric.colour,
                delta_description=_("against before") if metric.delta else None,
            )
            behind = ngettext("Show %(n)s call", "Show %(n)s calls", metric.behind) % {"n": number(metric.behind)}
            if metric.narrowing is None or not metric.behind:
                continue
            if st.button(behind, key=f"metric-{metric.label}", type="tertiary", icon=":material/list:"):
                lead_to_narrowed(**metric.narrowing)
                st.rerun()


def _share(label: str, sums: Totals, before: Totals | None, name: str, narrowing: dict[str, Any]) -> Metric:
    count = getattr(sums, name)
    share = sums.share(count)
    earlier = before.share(getattr(before, name)) if before else None
    delta = None if share is None or earlier is None else _delta(share, earlier, _points)
    return Metric(label, "–" if share is None else percent(share), delta, "inverse", count, narrowing)


def _points(share: float) -> str:
    return _("%(n)s pp") % {"n": number(share * 100, 1)}


def _delta(value: float, before: float | None, words: Callable[[float], str]) -> str | None:
    if before is None:
        return None
    change = value - before
    if words(abs(change)) == words(0):
        # Too little to be told.
        return None
    # The arrow follows the sign, so that one must not be escaped.
    return f"{'-' if change < 0 else '+'}{md_escape(words(abs(change)))}" if change else None


def _over_time(series: Series, zone: str | None) -> None:
    st.subheader(_("Calls over time"), anchor=False)
    picked = _picked(charts.over_time(series), "chart-time")
    if picked and isinstance(start := picked.get("start"), int | float):
        lead_to_narrowed(since=int(start), until=int(start) + series.width)
        st.rerun()
    with st.expander(_("As a table")):
        st.html(tables.series_table(series, zone))


def _latency(times: Latency) -> None:
    st.subheader(_("How long calls took"), anchor=False)
    if not times.calls:
        st.caption(_("No call has settled yet."))
        return
    words = {name: duration(getattr(times, name) or 0) for name in ("p50", "p95", "p99")}
    st.caption(md_escape(" · ".join(f"{name} {value}" for name, value in words.items())))
    picked = _picked(charts.latency(times), "chart-latency")
    if picked and isinstance(low := picked.get("low"), int | float):
        lead_to_narrowed(slower=round(float(low), 3), faster=round(float(picked.get("high", low)), 3))
        st.rerun()
    with st.expander(_("As a table")):
        st.html(tables.latency_table(times))


def _slices(dimension: Dimension, slices: list[Slice]) -> None:
    titles = dimensions()
    key = f"by-{dimension}"
    st.selectbox(
        _("By"),
        list(titles),
        index=list(titles).index(dimension),
        format_func=lambda name: titles[name],
        key=key,
        on_change=lambda: put("by", st.session_state.get(key)),
    )
    if not slices:
        st.caption(_("No call yet."))
        return
    picked = _picked(charts.by_dimension(dimension, slices), f"chart-{dimension}")
    if picked and isinstance(index := picked.get("index"), int) and index < len(slices):
        _show(dimension, slices[index])
    with st.expander(_("As a table")):
        st.html(tables.slices_table(dimension, titles[dimension], slices))
        for index, part in enumerate(slices):
            words = md_escape(value_words(dimension, part.value))
            if part.value is not None and st.button(
                _("Show the calls of %(value)s") % {"value": words}, key=f"slice-{index}", type="tertiary"
            ):
                _show(dimension, part)


def _show(dimension: Dimension, part: Slice) -> None:
    if part.value is not None:
        lead_to_narrowed(**{dimension: part.value})
        st.rerun()


def _picked(chart: Any, key: str) -> dict[str, Any] | None:
    """Draws a chart; gives what was clicked in it, if anything was."""
    event: Any = st.altair_chart(chart, width="stretch", key=key, on_select="rerun", selection_mode=charts.PICK)
    points = event.get("selection", {}).get(charts.PICK) if event else None
    return points[0] if points else None
