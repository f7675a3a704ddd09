"""What a state of the card is: args, a result, a sentence on what to look for and the facts that must hold.

Plain data. Drawing it, checking it and turning it into a test case are left to the other modules here.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from webcards.contract import (
    WebSearchResult,
    WebSource,
    render_search_output,
)

RAW = "Sources:\n- raw text of the result"
"""The content of a result whose meta cannot be read: what the generic card has to show."""

Build = Callable[[], Any]


class State(Struct, frozen=True):
    """One state of the card.

    `build` makes the result, as JSON, when it is asked for: some are large. None is a call that still runs, with what
    it last said and the seconds it has taken. `expect` holds facts under the keys of a `card-render` test case.
    """

    id: str
    look: str
    tool: str
    args: Any
    build: Build | None
    expect: Mapping[str, Any]
    progress: str = ""
    seconds: float = 0

    @property
    def result(self) -> Any:
        """The result as JSON; None while the call runs."""
        return None if self.build is None else self.build()


class Group(Struct, frozen=True):
    """States that belong together. `title` and the states' `look` are message ids of the catalogues."""

    id: str
    title: str
    states: tuple[State, ...]


SEARCH_ARGS = {"query": "harbour dues"}
PAGE = "https://office.kittiwick.example/dues"
FETCH_ARGS = {"url": PAGE}


def source(url: str, title: str | None = None, snippet: str | None = None, date: str | None = None) -> dict[str, Any]:
    """One source; what is None is absent."""
    fields = {"url": url, "title": title, "snippet": snippet, "publishedAt": date}
    return {name: value for name, value in fields.items() if value is not None}


def result(text: str, meta: object = msgspec.UNSET, **extra: object) -> dict[str, Any]:
    """A settled result as a log holds it."""
    settled: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False, **extra}
    if meta is not msgspec.UNSET:
        settled["meta"] = meta
    return settled


def search(
    id: str,  # noqa: A002 (the field's own name)
    look: str,
    *sources: dict[str, Any],
    answer: str | None = None,
    truncated: bool = False,
    args: Any = SEARCH_ARGS,
    many: Callable[[], list[dict[str, Any]]] | None = None,
    extra: Mapping[str, Any] | None = None,
    **expect: Any,
) -> State:
    """A search that has its card. `many` makes the sources where they are too many to write down."""

    def build() -> dict[str, Any]:
        listed = many() if many else list(sources)
        meta: dict[str, Any] = {"sources": listed, "truncated": truncated, **(extra or {})}
        if answer is not None:
            meta["answer"] = answer
        return result(search_text(listed, truncated, answer), meta)

    return State(id, look, "web_search", args, build, {"card": "web", "kind": "search", **expect})


def search_text(sources: list[dict[str, Any]], truncated: bool, answer: str | None) -> str:
    """The content that goes with such a meta."""
    value = WebSearchResult(
        msgspec.convert(sources, list[WebSource]), truncated, msgspec.UNSET if answer is None else answer
    )
    return render_search_output(value)


def fetch(
    id: str,  # noqa: A002
    look: str,
    *,
    url: str = PAGE,
    status: int = 200,
    truncated: bool = False,
    body: str | Callable[[], str] = "Dues are payable at the harbour office before noon.",
    args: Any = FETCH_ARGS,
    **expect: Any,
) -> State:
    """A fetch that has its card. A `body` that is too long to write down is made when it is asked for."""

    def build() -> dict[str, Any]:
        text = body() if callable(body) else body
        header = f"Fetched {url} (HTTP {status})\n\n"
        whole, end = len(text) + 90_000, len(text)
        footer = f"\n\n[Cut: characters 0 to {end} of {whole}. To read on, fetch again with start={end}.]"
        meta = {"url": url, "statusCode": status, "truncated": truncated}
        return result(header + text + (footer if truncated else ""), meta)

    return State(id, look, "web_fetch", args, build, {"card": "web", "kind": "fetch", **expect})


def malformed(tool: str, id: str, look: str, meta: Any, path: str, reason: str = "") -> State:  # noqa: A002
    """A result whose meta must be refused at `path`, a JSON path; the raw content is what is left. `meta` may be made."""
    args = SEARCH_ARGS if tool == "web_search" else FETCH_ARGS
    pattern = "^" + "".join(f"\\{char}" if char in ".[]$" else char for char in path) + ": " + reason
    return State(
        id,
        look,
        tool,
        args,
        lambda: result(RAW, meta() if callable(meta) else meta),
        {"card": "generic", "visible_text_has": ["raw text of the result"], "reason_matches": pattern},
    )


def sources_numbered(count: int) -> list[dict[str, Any]]:
    """So many plausible sources, over a few hosts."""
    hosts = ("office.kittiwick.example", "gazette.kittiwick.example", "wiki.kittiwick.example", "lowwater.example")
    return [
        source(
            f"https://{hosts[n % len(hosts)]}/page/{n + 1}",
            f"Harbour dues, part {n + 1}",
            f"Section {n + 1}: what a boat of {6 + n % 20} metres pays for each night alongside, and how to pay it.",
            f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}",
        )
        for n in range(count)
    ]
