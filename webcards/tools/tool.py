"""What a tool declares: the seam between the registry, which runs any tool, and each tool, which knows its own values."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from webcards.contract import Refusal, ToolCallView, WebError, WebResultView

V = TypeVar("V")
A = TypeVar("A", bound=Struct)


class Progress(Struct, frozen=True):
    """Where a running call is: a few words for a person, and the share that is done (0 to 1) where it is known."""

    words: str
    done: float | None = None


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Outcome(Generic[V]):
    """What `execute` brings: the value, and what is known of the retrieval beyond it, as JSON."""

    value: V
    details: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Tool(Generic[A, V]):
    """One tool. `args_type` reads the args; `timeout` is in seconds and holds for the whole call.

    `render` and `presentation_meta` are given the args too: what part of a page is asked for stands there.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    args_type: type[A]
    timeout: float
    execute: Callable[[A, OnProgress], Awaitable[Outcome[V]]]
    render: Callable[[V, A], str]
    presentation_meta: Callable[[V, A], Mapping[str, object]]
    present_call: Callable[[object], ToolCallView]
    explain_result: Callable[[object, object], WebResultView | Refusal]

    def present_result(self, args: object, result: object) -> WebResultView | None:
        """The card's view, or None: draw the generic card."""
        view = self.explain_result(args, result)
        return None if isinstance(view, Refusal) else view

    def read_args(self, args: object) -> A:
        """The args as the tool's own type. Raises `WebError` (WEB_INVALID_ARGUMENTS) that says what is wrong where."""
        if not isinstance(args, Mapping):
            raise WebError("WEB_INVALID_ARGUMENTS", f"{self.name} takes a JSON object of arguments.")
        known = set(self.parameters["properties"])
        unknown = sorted(str(key) for key in args if key not in known)
        if unknown:
            raise WebError(
                "WEB_INVALID_ARGUMENTS",
                f"{self.name} has no argument {', '.join(unknown)}; it takes {', '.join(sorted(known))}.",
            )
        # A model that leaves an argument out often writes null for it, or an empty text or list.
        required = self.parameters.get("required", ())
        asked = {
            key: value for key, value in args.items() if value is not None and (key in required or not _is_empty(value))
        }
        try:
            return msgspec.convert(asked, self.args_type, strict=False)
        except msgspec.ValidationError as error:
            what = str(error).replace("`", "").replace("Object missing required field", "missing argument")
            raise WebError("WEB_INVALID_ARGUMENTS", f"{self.name}: {what}.") from None


def _is_empty(value: object) -> bool:
    return value == [] or (isinstance(value, str) and not value.strip())
