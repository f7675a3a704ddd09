"""One recorded call by itself: its card as it was seen, what the model read, the events, and the facts of
the record.
"""

from collections.abc import Callable

import streamlit as st

from components.access import may_run
from components.amounts import day_and_time, duration, size
from components.dashboard.wording import result_words
from components.i18n import _
from components.inspector import inspector
from components.safe_text import md_escape
from components.web_card import pending_card, web_card
from webcards.contract import Refusal, args_of_event, result_of_event
from webcards.store import Recorded, Store
from webcards.tools.presenters import present_call


def one_call(store: Store, record: int, zone: str | None, *, back: str, leave: Callable[[], None]) -> None:
    """Draws a call, or says that there is none of that number. `leave` changes the address; `back` is its button."""
    st.button(back, icon=":material/arrow_back:", on_click=leave)
    found = store.get(record)
    if found is None:
        st.warning(
            _("There is no recorded call of this number. It may have been deleted."), icon=":material/search_off:"
        )
        return
    recorded_card(found, key=f"record{record}", opened=True)
    _facts(found, zone)
    if not may_run():
        return
    with st.popover(_("Delete"), icon=":material/delete:"):
        st.write(_("The call, its text and its sources are deleted for good."))
        if st.button(_("Delete this call"), type="primary"):
            store.delete(record)
            leave()
            st.rerun()


def recorded_card(found: Recorded, *, key: str, opened: bool = False) -> None:
    """Draws a recorded call's card and, below it, what it was made from; an unfinished one as it last was."""
    args = args_of_event(found.call_event)
    if found.result_event is None:
        pending_card(present_call(found.call.tool, args), _("Unfinished: no result was ever recorded."), 0, key=key)
        return
    result = result_of_event(found.result_event)
    details = found.result_event.get("data", {}).get("details")
    known = details if isinstance(details, dict) else {}
    drawn = web_card(
        found.call.tool,
        args,
        result,
        key=key,
        page_title=str(known.get("title", "")),
        opened=opened,
        error_code=found.call.error_code or "",
    )
    inspector(
        key=key,
        result=result,
        events=[found.call_event, found.result_event],
        details=known,
        refusal=drawn if isinstance(drawn, Refusal) and not result.is_error else None,
    )


def _facts(found: Recorded, zone: str | None) -> None:
    call = found.call
    facts = {
        _("Result"): result_words(call),
        _("Started"): day_and_time(call.started_at, zone),
        _("Took"): "" if call.elapsed_ms is None else duration(call.elapsed_ms),
        _("Read"): "" if not call.bytes else size(call.bytes),
        _("Provider"): call.provider or "",
        _("Host"): call.host or "",
        _("Source"): call.source,
        _("Person"): call.person or "",
        _("Batch run"): "" if call.run_id is None else str(call.run_id),
        _("Fell back because"): f"{call.fallback_path}: {call.fallback_reason}" if call.fell_back else "",
    }
    lines = [f"**{md_escape(name)}** {md_escape(value)}" for name, value in facts.items() if value]
    st.caption("  \n".join(lines))
