"""The checklist: one state after another, marked pass, fail or skip with a note, and the report of the whole pass."""

from datetime import UTC, datetime
from html import escape

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from components.access import runner_needed
from components.gallery.browse import checks_line, state_head
from components.gallery.catalogue import GROUPS, states
from components.gallery.drawing import PLAIN, framed_state, state_html
from components.gallery.marks import Marks, MarksClosedError, counted, marks, marks_to_change, new_mark
from components.gallery.pictures import take_pictures
from components.gallery.report import make_report, report_json, report_markdown
from components.gallery.state import State
from components.i18n import _, language, ngettext
from components.safe_text import display_text, md_escape
from webcards import __version__
from webcards.store.marks import Mark, Verdict


@st.fragment
def checklist() -> None:
    """Draws the progress, the state that is next, the marks so far and the report."""
    try:
        _pass_through(marks())
    except SQLAlchemyError:
        st.session_state[_LOST] = True
    if st.session_state.pop(_LOST, False):
        st.error(
            _(
                "The store does not answer, so no mark can be read or kept. Look at WEBCARDS_DATABASE_URL, then try again."
            ),
            icon=":material/database_off:",
        )


_LOST = "checklist-lost"


def _keep(state: str, verdict: Verdict) -> None:
    """Keeps a mark, with the note that stands in the field."""
    note, person = (st.session_state.get(name, "") for name in (f"note-{state}", "checklist-person"))
    try:
        marks_to_change().put(new_mark(state, verdict, note, person))
    except MarksClosedError:
        # The page that was open when the role changed says so when it is drawn anew.
        return
    except SQLAlchemyError:
        st.session_state[_LOST] = True


def _forget(found: list[str]) -> None:
    """Takes all marks back."""
    try:
        marks_to_change().clear(found)
    except MarksClosedError:
        return
    except SQLAlchemyError:
        st.session_state[_LOST] = True


def _pass_through(kept: Marks) -> None:
    found = kept.all()
    closed = runner_needed()
    _progress(found)
    state = _next_state(found)
    if state is None:
        st.success(_("Every state of this choice is marked."), icon=":material/done_all:")
    else:
        _look(state, found)
        if not closed:
            _mark(state, found)
    with st.expander(_("All marks")):
        st.html(marks_table(found))
        if found and not closed:
            _clear(found)
    _report(found)
    st.caption(md_escape(kept.place))


def _progress(found: dict[str, Mark]) -> None:
    known = {name: mark for name, mark in found.items() if name in states()}
    counts, total = counted(known), len(states())
    words = _("%(done)d of %(all)d marked: %(pass)d pass, %(fail)d fail, %(skip)d skipped · version %(version)s") % {
        "done": len(known),
        "all": total,
        "pass": counts["pass"],
        "fail": counts["fail"],
        "skip": counts["skip"],
        "version": __version__,
    }
    st.progress(len(known) / total, text=words)


def _next_state(found: dict[str, Mark]) -> State | None:
    """Draws what to look at; gives the state that is next."""
    group_field, which_field = st.columns([3, 2], vertical_alignment="bottom")
    titles = {"": _("All groups"), **{group.id: _(group.title) for group in GROUPS}}
    group = group_field.selectbox(
        _("Group"), list(titles), format_func=lambda name: titles[name], key="checklist-group"
    )
    sorts = {"unmarked": _("Not marked"), "fail": _("Failed"), "all": _("All")}
    sort = which_field.segmented_control(
        _("Show"),
        list(sorts),
        default="unmarked",
        format_func=lambda name: sorts[name],
        key="checklist-sort",
        required=True,
    )
    members = [state for item in GROUPS if group in ("", item.id) for state in item.states]
    listed = [
        state
        for state in members
        if sort == "all"
        or (sort == "unmarked" and state.id not in found)
        or (sort == "fail" and state.id in found and found[state.id].mark == "fail")
    ]
    if not listed:
        return None
    place = min(st.session_state.get("checklist-place", 0), len(listed) - 1) if sort != "unmarked" else 0
    names = [state.id for state in listed]
    if sort != "unmarked":
        left, right = st.columns(2)
        left.button(_("Previous"), disabled=place == 0, on_click=_move, args=(place - 1,), width="stretch")
        right.button(_("Next"), disabled=place == len(names) - 1, on_click=_move, args=(place + 1,), width="stretch")
    st.caption(ngettext("%(n)d state in this choice", "%(n)d states in this choice", len(listed)) % {"n": len(listed)})
    return listed[place]


def _move(place: int) -> None:
    st.session_state["checklist-place"] = max(0, place)


def _look(state: State, found: dict[str, Mark]) -> None:
    """Draws a state, and what it was marked."""
    st.html(state_head(state))
    st.html(framed_state(state, PLAIN, card_id=f"m-{state.id}") + checks_line(state.id, language()))
    if before := found.get(state.id):
        st.caption(_("Marked %(mark)s so far") % {"mark": mark_in_words(before.mark)})


def _mark(state: State, found: dict[str, Mark]) -> None:
    """Draws a state's buttons; a click keeps the mark, and the next state follows."""
    before = found.get(state.id)
    st.text_input(
        _("Note"),
        value=before.note if before else "",
        key=f"note-{state.id}",
        placeholder=_("What is wrong, where, in which browser"),
        max_chars=2_000,
    )
    buttons: tuple[tuple[Verdict, str, str, str], ...] = (
        ("pass", _("Pass"), ":material/check:", "Alt+P"),
        ("fail", _("Fail"), ":material/close:", "Alt+F"),
        ("skip", _("Skip"), ":material/redo:", "Alt+S"),
    )
    row = st.container(horizontal=True)
    for verdict, label, icon, shortcut in buttons:
        row.button(
            label,
            icon=icon,
            shortcut=shortcut,
            key=f"mark-{verdict}",
            on_click=_keep,
            args=(state.id, verdict),
        )
    st.text_input(_("Your name, for the report"), key="checklist-person", max_chars=200)


def mark_in_words(mark: Verdict) -> str:
    """A mark, for people."""
    match mark:
        case "pass":
            return _("pass")
        case "fail":
            return _("fail")
        case "skip":
            return _("skipped")


def marks_table(found: dict[str, Mark]) -> str:
    """All states with their marks; a state's name leads to the workbench."""
    rows = "".join(_row(state, found.get(state.id)) for state in states().values())
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in (_("State"), _("Mark"), _("Note")))
    label = escape(_("All marks"), quote=True)
    return (
        f'<div class="gallery-scroll gallery-tall" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="gallery-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(state: State, mark: Mark | None) -> str:
    name = f'<a href="?view=state&amp;state={escape(state.id)}">{escape(state.id)}</a>'
    sort = {"pass": "pass", "fail": "fail"}.get(mark.mark, "none") if mark else "none"
    words = mark_in_words(mark.mark) if mark else "–"
    note = escape(display_text(mark.note)) if mark else ""
    return f'<tr><th scope="row">{name}</th><td class="gallery-{sort}"><span>{escape(words)}</span></td><td>{note}</td></tr>'


def _clear(found: dict[str, Mark]) -> None:
    sure = st.checkbox(_("I want to lose all marks of this version"), key="checklist-sure")
    st.button(
        _("Begin anew"),
        icon=":material/restart_alt:",
        disabled=not sure,
        key="checklist-clear",
        on_click=_forget,
        args=(list(found),),
    )


def _report(found: dict[str, Mark]) -> None:
    """The report: made on a click, for its pictures take a moment, then there to be downloaded."""
    st.html(f'<h2 class="gallery-heading">{escape(_("Report"))}</h2>')
    failures = [states()[name] for name, mark in found.items() if mark.mark == "fail" and name in states()]
    if st.button(
        _("Make the report"),
        icon=":material/summarize:",
        key="checklist-report",
        help=_("Markdown and JSON, with the version of the app and a picture of each failed state."),
    ):
        with st.spinner(_("Taking pictures …") if failures else _("Writing …")):
            pictures = take_pictures([(state.id, state_html(state, card_id="s")) for state in failures])
            report = make_report(found, made_at=datetime.now(UTC), language=language(), pictures=pictures)
        st.session_state["checklist-made"] = (
            report_markdown(report),
            report_json(report),
            report.pictures,
            report.made_at,
        )
    made = st.session_state.get("checklist-made")
    if made is None:
        return
    markdown, as_json, pictures_words, made_at = made
    st.caption(md_escape(f"{made_at} · {pictures_words}"))
    name = f"webcards-{__version__}-gallery"
    left, right = st.columns(2)
    left.download_button(
        "Markdown",
        data=markdown.encode(),
        file_name=f"{name}.md",
        mime="text/markdown",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        "JSON", data=as_json, file_name=f"{name}.json", mime="application/json", on_click="ignore", width="stretch"
    )
