"""A log's cards as one HTML document that loads nothing: to keep, to send, to print."""

from collections.abc import Iterable

from msgspec import UNSET

from components.amounts import day_and_time
from components.i18n import _
from components.markup import card_html, generic_html, page_html, pending_html
from components.safe_text import display_text
from webcards.contract import Refusal, ToolCallView
from webcards.logs import LoggedCall, explain, title_of
from webcards.logs.times import milliseconds


def report_html(calls: Iterable[LoggedCall]) -> str:
    """The document. Mask the calls first: what is in them is in it."""
    return page_html("\n".join(logged_card_html(call, card_id=f"call{n}") for n, call in enumerate(calls, 1)))


def logged_card_html(call: LoggedCall, *, card_id: str, opened: bool = False) -> str:
    """The card of one call of a log, in whichever state the log left it."""
    view = explain(call)
    if call.result is None:
        return pending_html(asked_view(call), _("Unfinished: the log holds no result."), card_id=card_id)
    if isinstance(view, Refusal):
        code = (call.error.code or "") if call.error is not None else ""
        return generic_html(asked_view(call).title, call.result.text, refusal=view, error_code=code, card_id=card_id)
    return card_html(view, call.result.text, card_id=card_id, opened=opened)


def asked_view(call: LoggedCall) -> ToolCallView:
    """A call as what it asks for."""
    title = title_of(call)
    kinds = {"web_search": "search", "web_fetch": "fetch"}
    kind = kinds.get(call.tool, "other")
    words = title if isinstance(title, str) else call.tool_name or call.tool
    raw = None if call.args is UNSET else call.args
    return ToolCallView(words, kind, raw_input=raw)  # type: ignore[arg-type]


def when(call: LoggedCall, zone: str | None = None) -> str:
    """The time of a call by the reader's clock; as it was recorded where that is no moment; "" where there is none."""
    ms = milliseconds(call.time)
    if ms is not None:
        return day_and_time(ms, zone)
    return "" if call.time is None else display_text(str(call.time))[:60]
