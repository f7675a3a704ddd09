"""Which tool a recorded call belongs to, by its name alone: enough to draw a card, without the means to run anything."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from webcards.contract import (
    Refusal,
    ToolCallView,
    WebResultView,
    explain_fetch_result,
    explain_search_result,
    present_fetch_call,
    present_search_call,
)

ToolName = Literal["web_search", "web_fetch"]


class Presenter(Struct, frozen=True):
    """How a tool's call and result are presented."""

    present_call: Callable[[object], ToolCallView]
    explain_result: Callable[[object, object], WebResultView | Refusal]


PRESENTERS: dict[str, Presenter] = {
    "web_search": Presenter(present_search_call, explain_search_result),
    "web_fetch": Presenter(present_fetch_call, explain_fetch_result),
}


def explain(tool: str, args: object, result: object) -> WebResultView | Refusal:
    """The view of a recorded result, or why there is none; an unknown tool has no card. Never raises."""
    presenter = PRESENTERS.get(tool)
    if presenter is None:
        return Refusal("$", f"{tool} has no card: only {' and '.join(PRESENTERS)} have one")
    return presenter.explain_result(args, result)


def present_call(tool: str, args: object) -> ToolCallView:
    """The pending card of a call, of an unknown tool too. Never raises."""
    presenter = PRESENTERS.get(tool)
    return presenter.present_call(args) if presenter else ToolCallView(tool, "other", raw_input=args)
