"""Breaking a result: the grid of malformed metas around a good one, which of them fell back, and why."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, NamedTuple

import streamlit as st

from components.gallery.catalogue import states
from components.gallery.json_text import Fault, read
from components.gallery.mutator import Mutation, Verdict, expected_to_fall_back, verdicts
from components.i18n import _, ngettext
from components.safe_text import display_text, md_escape
from components.session import calls
from webcards.contract import Refusal, WebSearchResultView, result_of_event
from webcards.tools.presenters import PRESENTERS, explain

PASTED = "paste"


class Origin(NamedTuple):
    """A good result to break. `state` is its id in the catalogue, "" for a call of this session."""

    label: str
    tool: str
    args: Any
    result: Callable[[], Any]
    state: str


def breaking() -> None:
    """Draws the choice of a result and the grid around it."""
    known = origins()
    st.session_state.setdefault("gallery-origin", _asked(known))
    name = st.selectbox(
        _("A good result to break"),
        list(known),
        key="gallery-origin",
        format_func=lambda key: known[key].label if key in known else key,
        help=_(
            "The calls that you have run in this session come first, then the states of the gallery that have a card."
        ),
    )
    origin = pasted() if name == PASTED else known.get(str(name))
    if origin is None:
        return
    if origin.state:
        st.query_params["state"] = origin.state
    found = verdicts(origin.tool, origin.args, origin.result())
    wrong = [verdict for verdict in found if _unexpected(origin.tool, verdict)]
    fell = sum(verdict.refusal is not None for verdict in found)
    st.html(
        f'<p class="gallery-count"><strong>{len(found)}</strong> {escape(_("changed metas"))} · '
        f"<strong>{fell}</strong> {escape(_('fell back'))} · <strong>{len(found) - fell}</strong> {escape(_('drawn'))}</p>"
    )
    if wrong:
        st.error(
            ngettext("%(n)d is not as the contract says.", "%(n)d are not as the contract says.", len(wrong))
            % {"n": len(wrong)},
            icon=":material/error:",
        )
    else:
        st.success(_("Each of them is as the contract says."), icon=":material/check_circle:")
    shown = _filtered(origin.tool, found)
    if shown:
        st.html(grid(origin, shown))
    else:
        st.info(_("None of the changed metas is of that sort."))


def origins() -> dict[str, Origin]:
    """The good results: the calls of this session that have a card, then the states."""
    out: dict[str, Origin] = {}
    for execution in calls():
        if execution.view is not None:
            title = execution.view.title if isinstance(execution.view, WebSearchResultView) else execution.view.url
            label = _("This session: %(title)s") % {"title": display_text(str(title))[:80]}
            result = {"content": execution.tool_result.content, "isError": False, "meta": execution.tool_result.meta}
            out[execution.call.data.call_id] = Origin(
                label, execution.call.data.name, execution.args, partial(_same, result), ""
            )
    out[PASTED] = Origin(_("One that I paste"), "", None, partial(_same, None), "")
    for state in states().values():
        if state.expect.get("card") == "web":
            out[state.id] = Origin(state.id, state.tool, state.args, partial(getattr, state, "result"), state.id)
    return out


def pasted() -> Origin | None:
    """Draws a field for a result from elsewhere; gives it once it can be read and has a meta."""
    tool = st.selectbox(_("Tool"), list(PRESENTERS), key="gallery-pasted-tool")
    text = st.text_area(
        _("The result as JSON"),
        key="gallery-pasted",
        height=160,
        placeholder='{"content": […], "isError": false, "meta": {…}}',
        help=_("A result with its meta, a line of a session log that holds one, or the meta alone."),
    )
    if not text.strip():
        return None
    value = read(text)
    if isinstance(value, Fault):
        st.warning(md_escape(_("Line %(n)d") % {"n": value.line} + f": {value.words}"))
        return None
    result = _result_in(value)
    refused = explain(str(tool), None, result)
    if isinstance(refused, Refusal):
        st.warning(_("This result is not good to begin with") + md_escape(f": {refused}"))
        return None
    return Origin(_("Pasted"), str(tool), None, partial(_same, result), "")


def _result_in(value: Any) -> Any:
    """The result that a pasted value is, carries as an event, or is the meta of."""
    if isinstance(value, dict) and value.get("type") == "tool/result":
        settled = result_of_event(value)
        return {"content": settled.content, "isError": settled.is_error, "meta": settled.meta}
    if isinstance(value, dict) and ("meta" in value or "content" in value):
        return value
    return {"content": [], "isError": False, "meta": value}


def _same(value: Any) -> Any:
    return value


def _asked(known: dict[str, Origin]) -> str:
    asked = st.query_params.get("state", "")
    return (
        asked
        if asked in known
        else next((name for name, origin in known.items() if not origin.state and name != PASTED), "sources-3")
    )


def _unexpected(tool: str, verdict: Verdict) -> bool:
    expected = expected_to_fall_back(tool, verdict.mutation)
    return expected is not None and expected != (verdict.refusal is not None)


def _filtered(tool: str, found: list[Verdict]) -> list[tuple[int, Verdict]]:
    """Draws the filter; gives what passes it, each with its number."""
    counts = Counter("fell" if verdict.refusal else "drawn" for verdict in found)
    names = {"all": _("All"), "fell": _("Fell back"), "drawn": _("Drawn"), "wrong": _("Not as the contract says")}
    chosen = st.pills(
        _("Show"),
        [name for name in names if name in ("all", "wrong") or counts[name]],
        default="all",
        format_func=lambda name: names[name],
        key="gallery-broken",
        required=True,
    )
    return [
        (number, verdict)
        for number, verdict in enumerate(found)
        if chosen == "all"
        or (chosen == "fell" and verdict.refusal is not None)
        or (chosen == "drawn" and verdict.refusal is None)
        or (chosen == "wrong" and _unexpected(tool, verdict))
    ]


def how_in_words(mutation: Mutation) -> str:
    """What was changed, for people."""
    match mutation.how:
        case "removed":
            return _("removed")
        case "null":
            return _("null")
        case "type":
            return _("of another type: %(what)s") % {"what": mutation.with_}
        case "whole":
            return _("the whole meta: %(what)s") % {"what": mutation.with_}
        case "extra":
            return _("an unknown key: %(what)s") % {"what": mutation.with_}
        case "deep":
            return _("nested too deep: %(what)s") % {"what": mutation.with_}
        case "huge":
            return _("huge: %(what)s") % {"what": mutation.with_}


def grid(origin: Origin, shown: list[tuple[int, Verdict]]) -> str:
    """The changed metas as a table: what was changed, where, and what became of it."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in (_("Where"), _("Change"), _("Outcome"), _("Why")))
    rows = "".join(_row(origin, number, verdict) for number, verdict in shown)
    label = escape(_("Changed metas"), quote=True)
    return (
        f'<div class="gallery-scroll" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="gallery-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(origin: Origin, number: int, verdict: Verdict) -> str:
    mutation, refusal = verdict.mutation, verdict.refusal
    place = f"<code>{escape(display_text(mutation.path))}</code>"
    if origin.state:
        address = escape(f"?view=state&state={origin.state}&change={number}", quote=True)
        place = f'<a href="{address}">{place}</a>'
    sort = "fail" if _unexpected(origin.tool, verdict) else "none" if refusal is None else "pass"
    outcome = _("fell back") if refusal else _("drawn")
    why = f"<code>{escape(display_text(refusal.path))}</code> {escape(display_text(refusal.reason))}" if refusal else ""
    return (
        f'<tr><th scope="row">{place}</th><td>{escape(how_in_words(mutation))}</td>'
        f'<td class="gallery-{sort}"><span>{escape(outcome)}</span></td><td>{why}</td></tr>'
    )


def changed_caption(mutation: Mutation) -> str:
    """Says on the workbench which change of a state is shown."""
    return _("Changed at %(path)s: %(how)s") % {
        "path": md_escape(mutation.path),
        "how": md_escape(how_in_words(mutation)),
    }
