"""Two engines asked the same: runs both, and draws their answers aligned and as cards."""

import time
from dataclasses import dataclass

import streamlit as st

from components.amounts import duration, percent
from components.i18n import _, ngettext
from components.live import live
from components.safe_text import md_escape
from components.web_card import web_card
from webcards.contract import (
    WebError,
    WebSearchResult,
    link_host,
    render_search_output,
    safe_link,
    search_meta_from_value,
    source_label,
)
from webcards.search.comparison import Comparison, compare
from webcards.search.provider import SearchProvider, SearchRequest, label_of

RESULTS = 20


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared."""

    query: str
    left: SearchProvider
    right: SearchProvider


@dataclass(frozen=True, slots=True)
class Answer:
    """What one engine gave, and how long it took, in milliseconds."""

    result: WebSearchResult | WebError
    elapsed_ms: float


def compared(sides: Sides) -> tuple[Answer, Answer]:
    """Both answers; the same comparison is not asked again while the session lasts."""
    key = ("comparison", sides.query, sides.left.id, sides.right.id)
    kept = st.session_state.get("compared")
    if kept is None or kept[0] != key:
        with st.spinner(_("Asking both engines")):
            running = [live().ask(_answer(engine, sides.query)) for engine in (sides.left, sides.right)]
            try:
                kept = (key, (running[0].result(), running[1].result()))
            finally:
                for future in running:
                    future.cancel()
        st.session_state["compared"] = kept
    answers: tuple[Answer, Answer] = kept[1]
    return answers


async def _answer(engine: SearchProvider, query: str) -> Answer:
    began = time.perf_counter()
    try:
        result: WebSearchResult | WebError = await engine.search(SearchRequest(query=query, max_results=RESULTS))
    except WebError as error:
        result = error
    return Answer(result, (time.perf_counter() - began) * 1000)


def draw_comparison(sides: Sides, answers: tuple[Answer, Answer]) -> None:
    """Draws the figures, the aligned list, and both cards."""
    left, right = answers
    if isinstance(left.result, WebSearchResult) and isinstance(right.result, WebSearchResult):
        _figures(compare(left.result, right.result))
        _aligned(sides, compare(left.result, right.result))
    for engine, answer, column in zip((sides.left, sides.right), answers, st.columns(2), strict=True):
        with column:
            st.subheader(md_escape(label_of(engine)), anchor=False)
            st.caption(duration(answer.elapsed_ms))
            _card(sides.query, engine, answer)


def _figures(comparison: Comparison) -> None:
    figures = {
        _("In both"): str(comparison.shared),
        _("Only left"): str(comparison.only_left),
        _("Only right"): str(comparison.only_right),
        _("Overlap in the first 5"): percent(comparison.overlap(5)),
        _("Overlap in the first 10"): percent(comparison.overlap(10)),
    }
    for column, (name, value) in zip(st.columns(len(figures)), figures.items(), strict=True):
        column.metric(name, value)


def _aligned(sides: Sides, comparison: Comparison) -> None:
    heads = [label_of(sides.left), label_of(sides.right), _("Move"), _("Source")]
    lines = ["| " + " | ".join(md_escape(head) for head in heads) + " |", "|--:|--:|:-:|---|"]
    for row in comparison.rows:
        label = md_escape(source_label(row.source))
        href = safe_link(row.source.url)
        host = link_host(row.source.url)
        where = f" · {md_escape(host.ascii)}" if host and host.ascii != source_label(row.source) else ""
        source = (f"[{label}](<{href}>)" if href else label) + where
        moved = row.moved
        move = "" if moved is None else "＝" if moved == 0 else f"▲ {moved}" if moved > 0 else f"▼ {-moved}"
        lines.append(f"| {row.left or '–'} | {row.right or '–'} | {move} | {source} |")
    label = ngettext("%(n)d source in all", "%(n)d sources in all", len(comparison.rows)) % {"n": len(comparison.rows)}
    with st.expander(label, expanded=True):
        st.markdown("\n".join(lines))


def _card(query: str, engine: SearchProvider, answer: Answer) -> None:
    key = f"compare-{engine.id}"
    match answer.result:
        case WebError() as error:
            text = {"content": [{"type": "text", "text": f"Error: {error.message}"}], "isError": True}
            web_card("web_search", {"query": query}, text, key=key, error_code=error.code)
        case result:
            settled = {
                "content": [{"type": "text", "text": render_search_output(result)}],
                "isError": False,
                "meta": search_meta_from_value(result),
            }
            web_card("web_search", {"query": query}, settled, key=key)
