"""Two engines asked the same: asks both side by side, each in its own time, and draws their answers, aligned and as cards."""

import asyncio
import logging
import time
from collections import OrderedDict
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field

import streamlit as st

from components.aligned import aligned_html
from components.amounts import duration
from components.answering import engine_short
from components.i18n import _, ngettext
from components.live import live
from components.polled import polled
from components.safe_text import md_escape
from components.web_card import pending_card, web_card
from webcards.contract import WebError, WebSearchResult, render_search_output, search_meta_from_value
from webcards.search.comparison import compare
from webcards.search.provider import SearchProvider, SearchRequest
from webcards.tools.presenters import present_call

RESULTS = 20
MOST_KEPT = 8
"""Comparisons of one session that a step back finds again without asking."""

_COMPARISONS = "comparisons"

log = logging.getLogger(__name__)


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


@dataclass(slots=True)
class Asked:
    """One engine that was asked. `began` is on the monotonic clock, in seconds."""

    engine: SearchProvider
    future: Future[Answer]
    began: float = field(default_factory=time.monotonic)
    settled: Answer | None = None

    @property
    def seconds(self) -> float:
        """How long ago it was asked."""
        return time.monotonic() - self.began

    def answer(self) -> Answer | None:
        """What it gave, once it has; a cancelled one gave an error that says so."""
        if self.settled is None and self.future.done():
            try:
                self.settled = self.future.result()
            except (CancelledError, asyncio.CancelledError):
                error = WebError("WEB_ABORTED", _("The call was cancelled before it was done."))
                self.settled = Answer(error, self.seconds * 1000)
        return self.settled


Pair = tuple[Asked, Asked]


class Comparisons:
    """The comparisons of one session, the newest last."""

    def __init__(self) -> None:
        self._pairs: OrderedDict[tuple[str, str, str], Pair] = OrderedDict()

    def of(self, sides: Sides, *, anew: bool) -> Pair:
        """Both engines as they were asked; they are asked now if they were not yet, or if it is to be `anew`.

        Raises `WebError` where whoever looks at the page may not ask anything, or not yet again.
        """
        key = (sides.query, sides.left.id, sides.right.id)
        if anew or key not in self._pairs:
            self.cancel_all()
            left = _ask(sides.left, sides.query)
            try:
                right = _ask(sides.right, sides.query)
            except WebError as error:
                # One call was left, and it is made: that there was no second is an answer of its side alone.
                right = Asked(sides.right, _settled(Answer(error, 0)))
            self._pairs[key] = (left, right)
            self._pairs.move_to_end(key)
            while len(self._pairs) > MOST_KEPT:
                self._pairs.popitem(last=False)
        return self._pairs[key]

    def cancel_all(self) -> None:
        """Cancels what still runs."""
        for pair in self._pairs.values():
            for asked in pair:
                asked.future.cancel()


class _Kept(list[Comparisons]):
    """What ends with the session."""

    def cancel_all(self) -> None:
        for one in self:
            one.cancel_all()


@st.cache_resource(show_spinner=False, scope="session", on_release=_Kept.cancel_all)
def _ending() -> _Kept:
    return _Kept()


def comparisons() -> Comparisons:
    """This session's comparisons; closing the tab cancels what runs."""
    kept: Comparisons | None = st.session_state.get(_COMPARISONS)
    if kept is None:
        kept = st.session_state[_COMPARISONS] = Comparisons()
        _ending().append(kept)
    return kept


def _ask(engine: SearchProvider, query: str) -> Asked:
    return Asked(engine, live().ask(answer_of(engine, query, live().settings.search_timeout)))


def _settled(answer: Answer) -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future


async def answer_of(engine: SearchProvider, query: str, seconds: float) -> Answer:
    """The engine's answer, or the error that it ended in, whatever a plug-in does. It has so many seconds."""
    began = time.perf_counter()
    result: WebSearchResult | WebError
    try:
        async with asyncio.timeout(seconds):
            result = await engine.search(SearchRequest(query=query, max_results=RESULTS))
    except WebError as error:
        result = error
    except TimeoutError:
        words = ngettext("No answer within %(n)d second.", "No answer within %(n)d seconds.", round(seconds))
        result = WebError("WEB_FETCH_TIMEOUT", words % {"n": round(seconds)})
    except Exception as error:  # a plug-in's fault is an answer of this side, and not the end of the page
        log.exception("%s failed in a way that it should not", engine.id)
        words = _("%(engine)s failed because of a fault of its own (%(fault)s); the log has more.")
        told = {"engine": engine_short(engine), "fault": type(error).__name__}
        result = WebError("WEB_PROVIDER_ERROR", words % told)
    return Answer(result, (time.perf_counter() - began) * 1000)


def draw_comparison(sides: Sides, pair: Pair) -> None:
    """Draws what there is: each answer as soon as it is there, and both aligned when both are."""
    running = any(asked.answer() is None for asked in pair)
    polled(_draw, 0.2 if running else None, sides, pair, running)


def _draw(sides: Sides, pair: Pair, was_running: bool) -> None:
    answers = [asked.answer() for asked in pair]
    running = None in answers
    if was_running and not running:
        # The whole page, so that nothing looks again and again at what has ended.
        st.rerun()
    results = [answer.result for answer in answers if answer and isinstance(answer.result, WebSearchResult)]
    if len(results) == 2 and any(result.sources for result in results):
        st.html(aligned_html(engine_short(sides.left), engine_short(sides.right), compare(*results)))
    if running and st.button(_("Cancel"), key="compare-cancel", icon=":material/stop_circle:"):
        for asked in pair:
            asked.future.cancel()
    for side, asked, column in zip(("left", "right"), pair, st.columns(2), strict=True):
        with column:
            st.subheader(md_escape(engine_short(asked.engine)), anchor=False)
            _side(sides.query, asked, f"compare-{side}")


def _side(query: str, asked: Asked, key: str) -> None:
    args = {"query": query}
    answer = asked.answer()
    if answer is None:
        st.caption(_("Still asking"))
        pending_card(present_call("web_search", args), "", asked.seconds, key=key)
        return
    match answer.result:
        case WebError() as error:
            st.caption(duration(answer.elapsed_ms))
            text = {"content": [{"type": "text", "text": f"Error: {error.message}"}], "isError": True}
            web_card("web_search", args, text, key=key, error_code=error.code)
        case result:
            count = len(result.sources)
            sources = ngettext("%(n)d source", "%(n)d sources", count) % {"n": count}
            st.caption(f"{duration(answer.elapsed_ms)} · {sources}")
            settled = {
                "content": [{"type": "text", "text": render_search_output(result)}],
                "isError": False,
                "meta": search_meta_from_value(result),
            }
            web_card("web_search", args, settled, key=key)
