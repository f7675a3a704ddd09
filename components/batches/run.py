"""One run: how far it is and its buttons, its results as a list and as cards, and what changed since an earlier one."""

import streamlit as st

from components.access import may_run
from components.amounts import day_and_time, duration, number
from components.batches.wording import change_line, kinds, result_line, states
from components.dashboard.one_call import recorded_card
from components.i18n import _, ngettext
from components.rows import rows
from components.safe_text import md_escape
from webcards.batch import batches, changes
from webcards.batch.batches import Batch, Progress, Result, Run
from webcards.batch.changes import Change, Kind
from webcards.settings import load_settings
from webcards.store import Store

A_PAGE = 25
MOST_CHANGES = 100
CARDS_A_PAGE = 10


def run_head(store: Store, run: Run, batch: Batch, zone: str | None) -> None:
    """Draws how far the run is; called again and again while it runs."""
    found = batches.get_run(store, run.id) or run
    done = batches.progress(store, run.id)
    share = done.settled / done.total if done.total else 1.0
    st.progress(share, text=md_escape(_progress_words(done, found)))
    if found.reason:
        st.caption(md_escape(found.reason))
    if found.state == "running" and run.person and (limits := _limit_words()):
        st.caption(md_escape(limits))
    if may_run():
        _buttons(store, found)
    facts = [
        batch.name,
        _("run %(n)d") % {"n": run.id},
        _("started %(when)s") % {"when": day_and_time(run.started_at, zone)},
        _("on workers") if run.on_workers else "",
        run.person or "",
    ]
    st.caption(md_escape(" · ".join(fact for fact in facts if fact)))
    if found.state != run.state:
        # The page below belongs to a run that is under way, or to one that is not: it is drawn anew.
        st.rerun()


def _limit_words() -> str:
    """How many calls whose run it is may start in a while; nothing where there is no limit."""
    settings = load_settings()
    a_minute, a_day = settings.calls_per_minute, settings.calls_per_day
    parts = [
        ngettext("%(n)s call a minute", "%(n)s calls a minute", a_minute) % {"n": number(a_minute)} if a_minute else "",
        ngettext("%(n)s call in 24 hours", "%(n)s calls in 24 hours", a_day) % {"n": number(a_day)} if a_day else "",
    ]
    told = ", ".join(part for part in parts if part)
    return _("It goes on within what one person may start: %(limits)s.") % {"limits": told} if told else ""


def _buttons(store: Store, run: Run) -> None:
    with st.container(horizontal=True, key="run-buttons"):
        if run.state == "running":
            if st.button(_("Pause"), icon=":material/pause:") and batches.pause(store, run.id):
                st.rerun()
            if st.button(_("Stop"), icon=":material/stop:") and batches.stop(store, run.id):
                st.rerun()
        halted = run.state in {"paused", "stopped"}
        if halted and st.button(_("Go on"), icon=":material/play_arrow:") and batches.resume(store, run.id):
            st.rerun()


def _progress_words(done: Progress, run: Run) -> str:
    words = [
        states()[run.state],
        _("%(settled)s of %(total)s") % {"settled": number(done.settled), "total": number(done.total)},
        ngettext("%(n)s error", "%(n)s errors", done.errors) % {"n": number(done.errors)},
    ]
    if run.state == "running":
        words.append(_("%(rate)s a second") % {"rate": number(done.rate, 1)})
        if done.seconds_left is not None:
            words.append(_("%(time)s left") % {"time": duration(done.seconds_left * 1000)})
    elif run.ended_at is not None:
        words.append(_("took %(time)s") % {"time": duration(run.ended_at - run.started_at)})
    return " · ".join(words)


def results(store: Store, run: Run) -> None:
    """Draws the results, a page at a time, as a list or as cards."""
    shown = st.segmented_control(
        _("Results as"), ["list", "cards"], format_func=lambda kind: _("List") if kind == "list" else _("Cards"),
        default="list", key="results-as", label_visibility="collapsed",
    )  # fmt: skip
    only = st.toggle(_("Only errors"), key="results-errors")
    pages: list[int] = st.session_state.setdefault(f"results-pages-{run.id}-{shown}-{only}", [0])
    size = CARDS_A_PAGE if shown == "cards" else A_PAGE
    outcome = "error" if only else None
    found = batches.results(store, run.id, after=pages[-1], limit=size + 1, outcome=outcome)
    if shown == "cards":
        for result in found[:size]:
            _card(store, result)
    else:
        rows(
            found[:size],
            "result",
            result_line,
            lambda result: _open(result.record),
            empty=_("Nothing here yet."),
            leads=lambda result: result.record is not None,
        )
    with st.container(horizontal=True):
        if len(pages) > 1:
            st.button(_("Earlier"), icon=":material/chevron_left:", on_click=_turn_back, args=(pages,))
        if len(found) > size:
            last = found[size - 1].position
            st.button(_("Later"), icon=":material/chevron_right:", on_click=pages.append, args=(last,))


def _turn_back(pages: list[int]) -> None:
    pages.pop()


def _open(record: int | None) -> None:
    st.query_params["call"] = str(record)


def _card(store: Store, result: Result) -> None:
    found = store.get(result.record) if result.record is not None else None
    if found is None:
        st.caption(result_line(result))
    else:
        recorded_card(found, key=f"result{result.position}")


def differences(store: Store, run: Run, zone: str | None) -> None:
    """Draws what changed since an earlier run of the same batch."""
    earlier = [other for other in batches.list_runs(store, run.batch) if other.id < run.id]
    if not earlier:
        st.caption(_("This is the first run of the batch; a later one can be compared with it."))
        return
    labels = {
        other.id: f"{other.id} · {day_and_time(other.started_at, zone)} · {states()[other.state]}" for other in earlier
    }
    before = st.selectbox(_("Compared with run"), list(labels), format_func=lambda number: labels[number])
    found = changes.compare(store, int(before), run.id)
    counted = changes.counts(found)
    names = kinds()
    present: list[Kind] = [kind for kind in changes.KINDS if counted[kind]]
    default: list[Kind] = [kind for kind in present if kind != "same"]
    chosen = st.pills(
        _("Changes"),
        present,
        format_func=lambda kind: f"{names[kind]} ({number(counted[kind])})",
        selection_mode="multi",
        default=default,
        key=f"changes-{run.id}-{before}",
    )
    meant = [change for change in found if set(change.kinds) & set(chosen)]
    rows(
        meant[:MOST_CHANGES],
        "change",
        change_line,
        lambda change: _open(_record_of(change)),
        empty=_("No change of the chosen sorts."),
        leads=lambda change: _record_of(change) is not None,
    )
    if len(meant) > MOST_CHANGES:
        st.caption(_("The first %(n)d are shown.") % {"n": MOST_CHANGES})


def _record_of(change: Change) -> int | None:
    side = change.after or change.before
    return side.record if side else None
