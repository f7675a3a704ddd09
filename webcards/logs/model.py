"""What reading a log gives: calls, answers and problems, each with its place in the log. Values only, no reading."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from webcards.contract.present import block_text
from webcards.contract.values import WebSource


class Position(Struct, frozen=True, kw_only=True, gc=False):
    """Where a record stands: the file inside an archive or folder (`member`), its line (from 1), and its bytes.

    `offset` and `length` count bytes of the text as UTF-8, after decompression. `path` is the JSON path of the part of
    that record which is meant.
    """

    line: int
    offset: int
    length: int
    member: str = ""
    path: str = "$"


class LogProblem(Struct, frozen=True):
    """Something in the log that could not be read. Lines and columns count from 1."""

    line: int
    column: int
    message: str
    member: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        return f"{self.member}: {place}: {self.message}" if self.member else f"{place}: {self.message}"


class LoggedError(Struct, frozen=True):
    """The error of a failed call, as far as the log has it."""

    name: str | None = None
    code: str | None = None
    message: str | None = None


class LoggedResult(Struct, frozen=True, kw_only=True, gc=False):
    """What came back: the content blocks, whether it is an error, and the contract's meta if the log carries one."""

    content: list[Any]
    is_error: bool = False
    meta: Any = UNSET
    details: Any = UNSET

    @property
    def text(self) -> str:
        """The model-facing text."""
        return "\n".join(block_text(block) for block in self.content)


class FoundSources(Struct, frozen=True, tag_field="kind", tag="search"):
    """The sources that a foreign log records for a search, each field as recorded."""

    sources: list[WebSource]
    answer: str | UnsetType = UNSET
    truncated: bool = False


class FoundPage(Struct, frozen=True, tag_field="kind", tag="fetch", rename="camel"):
    """The page that a foreign log records for a fetch. Most logs record no status."""

    url: str
    status_code: int | UnsetType = UNSET
    truncated: bool = False


Found = FoundSources | FoundPage


class LoggedCall(Struct, frozen=True, kw_only=True, gc=False):
    """One call of a web tool.

    `tool` is `web_search`, `web_fetch` or the recorded name; `tool_name` is always the recorded one. `args` is `UNSET`
    where the log lost them. `result` None: the call is unfinished. `found` is what another system's log records of
    the outcome (a native log has the meta instead). `time` is as recorded: a number, or text. `origin` is the format
    that a converted call had at first. `records` are the log's records that the call was read from, `raw` the same as
    bytes.
    """

    call_id: str | None
    tool: str
    tool_name: str | None
    args: Any = UNSET
    result: LoggedResult | None = None
    error: LoggedError | None = None
    found: Found | None = None
    time: str | int | float | None = None
    format: str
    origin: str | None = None
    position: Position
    records: tuple[Position, ...] = ()
    raw: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[LogProblem, ...] = ()

    @property
    def unfinished(self) -> bool:
        """Whether the log holds no result for this call."""
        return self.result is None

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.result is not None and self.result.is_error


class LoggedAnswer(Struct, frozen=True, kw_only=True):
    """A text that the assistant wrote to the person, and the URLs that its annotations cite."""

    text: str
    cited: tuple[str, ...] = ()
    format: str
    position: Position


LogItem = LoggedCall | LoggedAnswer | LogProblem
