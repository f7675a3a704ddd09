"""What one response body of a search service records: calls with what they found. Shared by the readers of such bodies."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from webcards.contract.values import WebSource
from webcards.logs.fields import text_blocks
from webcards.logs.format import Format, document_format
from webcards.logs.framing import Row
from webcards.logs.model import Found, FoundPage, FoundSources, LoggedError, LoggedResult, LogItem
from webcards.logs.naming import WEB_FETCH, WEB_SEARCH
from webcards.logs.pairing import Draft


class Outcome(Struct, frozen=True, kw_only=True):
    """One call that a body records. `text` None: the body itself is the text that was recorded."""

    found: Found | None = None
    tool: str = WEB_SEARCH
    args: Any = UNSET
    error: LoggedError | None = None
    text: str | None = None
    notes: tuple[str, ...] = ()


def search_outcome(
    sources: Iterable[WebSource | None],
    *,
    query: Any = None,
    answer: str | UnsetType = UNSET,
    truncated: bool = False,
) -> Outcome:
    """A search. Rows without a URL (None) are counted in a note: a card lists addresses."""
    rows = list(sources)
    kept = [row for row in rows if row is not None]
    lost = len(rows) - len(kept)
    notes = (f"{lost} of {len(rows)} recorded results have no URL and are not in the list",) if lost else ()
    return Outcome(found=FoundSources(kept, answer, truncated), args=query_args(query), notes=notes)


def page_outcome(url: str, *, text: str | None, status: int | None = None, failed: str | None = None) -> Outcome:
    """A fetched page, or a page that could not be fetched (`failed`: the service's own words)."""
    return Outcome(
        tool=WEB_FETCH,
        args={"url": url},
        found=None if failed is not None else FoundPage(url, UNSET if status is None else status),
        error=LoggedError(message=failed) if failed is not None else None,
        text=failed if failed is not None else text,
    )


def failed_outcome(code: Any, message: Any, *, query: Any = None) -> Outcome:
    """A search that the service refused."""
    words = message if isinstance(message, str) else None
    return Outcome(
        args=query_args(query), error=LoggedError(code=None if code is None else str(code), message=words), text=words
    )


def query_args(query: Any) -> Any:
    """The args of a search, if the body repeats its query."""
    return {"query": query} if isinstance(query, str) else UNSET


def body_format(name: str, recognises: Callable[[Any], bool], outcomes: Callable[[Any], Iterator[Outcome]]) -> Format:
    """The format of bodies that stand alone, one or more calls each; its outcomes are found in tool results as well."""

    def read(row: Row) -> Iterator[LogItem]:
        for outcome in outcomes(row.value):
            yield draft_of(name, row, outcome).freeze()

    known = document_format(name, recognises, read)
    return Format(known.name, known.recognises, known.reader, stream=False, outcomes=outcomes)


def draft_of(name: str, row: Row, outcome: Outcome) -> Draft:
    """The settled call of an outcome."""
    draft = Draft(name, row.position, tool=outcome.tool, args=outcome.args, raw=row.raw)
    words = outcome.text if outcome.text is not None else row.raw.decode("utf-8", "replace")
    draft.result = LoggedResult(content=text_blocks(words), is_error=outcome.error is not None)
    draft.error, draft.found = outcome.error, outcome.found
    draft.notes.extend([*outcome.notes, *row.notes])
    return draft
