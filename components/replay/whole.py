"""What is asked of a log as a whole: how far it is read, what could not be read, its checks, another log, its downloads."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import streamlit as st

from components.amounts import calls_in_words, number
from components.i18n import _, ngettext
from components.replay.bar import go_to
from components.replay.opened import OpenedLog, open_logs, outcome_of
from components.report import report_html
from components.safe_text import md_escape
from webcards.logs import LoggedCall, events_of, session_text
from webcards.logs.checks import Check
from webcards.logs.compare import Change, Pair
from webcards.logs.filters import Filters
from webcards.logs.index import LogIndex
from webcards.logs.masking import mask_call
from webcards.logs.sources import sources_csv, sources_markdown, write_sources_parquet

_LISTED_PROBLEMS = 50
_LISTED_FINDINGS = 20
_LISTED_PAIRS = 200
# More cards than this in one document are slow to open; the filter narrows them.
_MAX_REPORT = 2_000


def reading_bar(log: OpenedLog) -> None:
    """Draws how far the log is read. When it is read, or its first calls are there, the page is drawn anew."""
    progress = log.progress
    if not log.reading:
        st.rerun()
    if progress is None:
        st.progress(0.0, text=_("Opening the log"))
        return
    share = min(1.0, progress.done / progress.total) if progress.total else 0.0
    left = progress.seconds_left
    words = [
        _("%(done)s of %(all)s MB")
        % {"done": number(progress.done / 1e6, 1), "all": number((progress.total or 0) / 1e6, 1)},
        _("%(rate)s MB/s") % {"rate": number(progress.rate / 1e6)},
        calls_in_words(progress.calls),
    ]
    if left is not None:
        words.append(_("%(n)s s left") % {"n": number(left)})
    st.progress(share, text=" · ".join(words))
    if progress.calls and not st.session_state.get("replay-first"):
        st.session_state["replay-first"] = True
        st.rerun()


def problem_list(index: LogIndex) -> None:
    """Draws what could not be read, each with its line and column."""
    count = index.problem_count()
    if not count:
        return
    label = ngettext("%(n)d place could not be read", "%(n)d places could not be read", count) % {"n": count}
    with st.expander(label, icon=":material/warning:", expanded=not index.count()):
        for problem in index.problems(_LISTED_PROBLEMS):
            place = _("line %(line)d, column %(column)d") % {"line": problem.line, "column": problem.column}
            where = f"{problem.member}, {place}" if problem.member else place
            st.markdown(f"**{md_escape(where)}** {md_escape(problem.message)}")
        if count > _LISTED_PROBLEMS:
            st.caption(_("and %(n)s more") % {"n": number(count - _LISTED_PROBLEMS)})


def check_names() -> dict[str, str]:
    """What each check looks for, in words."""
    return {
        "fell_back": _("Calls without a card, and why"),
        "truncated_flag": _("Truncated flag that disagrees with the text"),
        "duplicate_urls": _("The same URL twice in one list"),
        "unsafe_links": _("Links that are not http(s)"),
        "unknown_citations": _("Citations that match no source"),
        "uncited_sources": _("Sources that were never cited"),
        "future_dates": _("Dates in the future"),
        "snippet_markup": _("Snippets with markup"),
        "no_result": _("Calls without a result"),
    }


def checks(log: OpenedLog) -> None:
    """Draws the checks over the whole log: a count each, and the list behind it."""
    with st.expander(_("Checks"), icon=":material/rule:"):
        if log.checks is None:
            st.button(_("Run the checks"), key="replay-checks", on_click=log.run_checks)
            return
        found: list[Check] | None = outcome_of(log.checks)
        if found is None:
            _wait(log.checks.done())
            return
        names = check_names()
        for check in found:
            st.markdown(f"**{number(check.count)}** {md_escape(names[check.name])}")
            for place, finding in enumerate(check.findings[:_LISTED_FINDINGS]):
                left, right = st.columns([6, 1], vertical_alignment="center")
                left.caption(f"{finding.n} · {md_escape(finding.detail[:300])}")
                if finding.n:
                    right.button(
                        _("Open"),
                        key=f"replay-{check.name}-{place}",
                        on_click=go_to,
                        args=(finding.n,),
                        type="tertiary",
                    )
            if check.count > _LISTED_FINDINGS:
                st.caption(_("and %(n)s more") % {"n": number(check.count - _LISTED_FINDINGS)})


def comparison(log: OpenedLog) -> None:
    """Draws what changed from this log to another."""
    with st.expander(_("Compare with a later log"), icon=":material/difference:"):
        other = st.file_uploader(_("The other log"), key=f"replay-other-{log.log_id}")
        if other is not None and st.button(_("Compare the logs"), key="replay-compare"):
            log.compare_with(open_logs().uploaded(other.name, other))
        if log.comparison is None:
            return
        pairs: list[Pair] | None = outcome_of(log.comparison)
        if pairs is None:
            _wait(log.comparison.done())
            return
        _pairs(pairs)


def _pairs(pairs: list[Pair]) -> None:
    names = {
        "same": _("the same"),
        "changed": _("changed"),
        "only before": _("only before"),
        "only after": _("only after"),
    }
    counts = [f"**{number(sum(pair.state == state for pair in pairs))}** {names[state]}" for state in names]
    st.markdown(" · ".join(counts))
    shown = [pair for pair in pairs if pair.state != "same"]
    for pair in shown[:_LISTED_PAIRS]:
        st.markdown(f"**{md_escape(pair.title or pair.tool)}** {names[pair.state]}")
        for change in pair.changes[:_LISTED_FINDINGS]:
            st.caption(md_escape(_change_in_words(change)))
    if len(shown) > _LISTED_PAIRS:
        st.caption(_("and %(n)s more") % {"n": number(len(shown) - _LISTED_PAIRS)})


def _change_in_words(change: Change) -> str:
    words = {
        "card": _("card"),
        "source added": _("source added"),
        "source gone": _("source gone"),
        "source moved": _("source moved"),
        "title": _("title"),
        "snippet": _("snippet"),
        "date": _("date"),
        "field": _("field"),
    }
    told = [str(value)[:200] for value in (change.before, change.after) if value is not None]
    return f"{words[change.kind]}: {change.where}: {' → '.join(told)}"


def downloads(log: OpenedLog, filters: Filters, listed: int, *, masked: bool) -> None:
    """Draws what can be taken along: the calls that the filter means."""

    def calls(limit: int | None = None) -> Iterator[LoggedCall]:
        with log.index() as index:
            for count, (_n, call) in enumerate(index.calls(filters)):
                if limit is not None and count >= limit:
                    return
                yield mask_call(call)[0] if masked else call

    made: dict[str, tuple[str, str, Callable[[], str | bytes]]] = {
        _("Report (HTML)"): ("report.html", "text/html", lambda: report_html(calls(_MAX_REPORT))),
        _("Session log"): (
            "session.jsonl",
            "application/x-ndjson",
            lambda: session_text(events_of(calls()), session_id=log.log_id, created_at=0),
        ),
        _("Sources (CSV)"): ("sources.csv", "text/csv", lambda: "".join(sources_csv(calls()))),
        _("Sources (Markdown)"): ("sources.md", "text/markdown", lambda: "".join(sources_markdown(calls()))),
        _("Sources (Parquet)"): ("sources.parquet", "application/vnd.apache.parquet", lambda: _parquet(calls())),
    }
    with st.popover(_("Download"), icon=":material/download:"):
        st.caption(_("The calls that the filter means."))
        if listed > _MAX_REPORT:
            words = _("The report has the first %(n)s of them: more cards than that are slow to open.")
            st.caption(md_escape(words % {"n": number(_MAX_REPORT)}))
        for label, (name, mime, make) in made.items():
            st.download_button(
                label,
                data=partial(_encoded, make),
                file_name=name,
                mime=mime,
                key=f"replay-{name}",
                on_click="ignore",
                width="stretch",
            )


def _encoded(make: Callable[[], str | bytes]) -> bytes:
    made = make()
    return made if isinstance(made, bytes) else made.encode("utf-8", "replace")


def _parquet(calls: Iterator[LoggedCall]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="webcards-sources-") as folder:
        path = Path(folder) / "sources.parquet"
        write_sources_parquet(calls, path)
        return path.read_bytes()


@st.fragment(run_every=0.5)
def _wait(done: bool) -> None:
    """Looks again in a moment; the page is drawn anew when the work is done."""
    if done:
        st.error(_("The log could not be read."), icon=":material/error:")
        return
    st.caption(_("Reading the whole log"))
    st.rerun()
