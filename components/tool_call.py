"""One call on a page, in any of its states: running, settled with its card, failed. Live or replayed, it looks the same."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from msgspec.structs import replace

from components.amounts import duration, number
from components.answering import facts, who_answered
from components.i18n import _, ngettext
from components.inspector import inspector
from components.live import Job
from components.safe_text import md_escape
from components.session import joined_details, joined_text
from components.web_card import pending_card, web_card
from webcards.contract import ErrorData, WebFetchResultView, WebSearchResultView, args_of_event, present_fields
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


def settled_call(
    execution: Execution, *, read_on: Sequence[Execution] = (), actions: bool = False, opened: bool = False
) -> None:
    """Draws a settled call: its card, and below it what the card was made from.

    `read_on` are the calls that went on reading the same page: their text is added to the card's.
    """
    key = execution.call.data.call_id
    chain = [execution, *read_on]
    result = execution.tool_result
    data = execution.result.data
    details = joined_details(chain)
    outcome = execution.outcome
    if read_on and isinstance(outcome, WebFetchResultView):
        last = chain[-1].view
        outcome = replace(outcome, truncated=isinstance(last, WebFetchResultView) and last.truncated)
        result = replace(result, content=[joined_text(chain)])
    web_card(
        execution.call.data.name,
        execution.args,
        result,
        key=key,
        page_title=str(details.get("title", "")),
        actions=actions,
        opened=opened,
        outcome=outcome,
        error_code=data.error.code if isinstance(data.error, ErrorData) else "",
    )
    st.caption(md_escape(_summary(chain, details)))
    inspector(
        key=key,
        result=result,
        events=[present_fields(event) for call in chain for event in (call.call, call.result)],
        details=facts(details),
        refusal=execution.refusal if not result.is_error else None,
    )


def _summary(chain: Sequence[Execution], details: Mapping[str, Any]) -> str:
    """In one line: who answered, how long it took, how much came of it; of a page read in parts, all of them together."""
    words = [*who_answered(details), duration(sum(execution.elapsed_ms for execution in chain))]
    view = chain[0].view
    if isinstance(view, WebSearchResultView):
        count = len(view.sources)
        words.append(ngettext("%(n)d source", "%(n)d sources", count) % {"n": count})
    kept, known = details.get("charactersKept"), details.get("characters")
    if isinstance(kept, int):
        everything = known if isinstance(known, int) else kept
        words.append(_("%(kept)s of %(all)s characters") % {"kept": number(kept), "all": number(everything)})
    if len(chain) > 1:
        words.append(ngettext("%(n)d part", "%(n)d parts", len(chain)) % {"n": len(chain)})
    if details.get("fromLibrary"):
        words.append(_("from the built-in library"))
    return " · ".join(words)
