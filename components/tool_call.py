"""One call on a page, in any of its states: running, settled with its card, failed. Live or replayed, it looks the same."""

import streamlit as st

from components.i18n import _
from components.inspector import inspector
from components.live import Job
from components.web_card import pending_card, web_card
from webcards.contract import ErrorData, args_of_event, present_fields
from webcards.tools.presenters import present_call
from webcards.tools.registry import Execution


def running_call(job: Job) -> None:
    """Draws a running call: its pending card, and the button that cancels it."""
    args = args_of_event(present_fields(job.call))
    progress = job.look()
    key = job.call.data.call_id
    pending_card(present_call(job.call.data.name, args), progress.words if progress else "", job.seconds, key=key)
    if st.button(_("Cancel"), key=f"{key}-cancel", icon=":material/stop_circle:"):
        job.cancel()


def settled_call(execution: Execution, *, actions: bool = False, opened: bool = False) -> None:
    """Draws a settled call: its card, and below it what the card was made from."""
    key = execution.call.data.call_id
    result = execution.tool_result
    data = execution.result.data
    details = data.details if isinstance(data.details, dict) else {}
    web_card(
        execution.call.data.name,
        execution.args,
        result,
        key=key,
        page_title=str(details.get("title", "")),
        actions=actions,
        opened=opened,
        outcome=execution.outcome,
        error_code=data.error.code if isinstance(data.error, ErrorData) else "",
    )
    inspector(
        key=key,
        result=result,
        events=[present_fields(execution.call), present_fields(execution.result)],
        details=details,
        refusal=execution.refusal if not result.is_error else None,
    )
