"""Checks that run over a whole log: each counts what it finds, and lists it with its place."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from webcards.contract.links import safe_link
from webcards.contract.meta import Refusal
from webcards.contract.views import WebFetchResultView, WebSearchResultView
from webcards.logs.model import LoggedAnswer, LoggedCall, LogItem, Position
from webcards.logs.naming import WEB_FETCH
from webcards.logs.times import moment
from webcards.logs.view import explain, foreign_format
from webcards.search.cited import citations_in_markdown, same_address

# So many findings of each check are listed; all are counted.
MAX_LISTED = 1_000
# How far a day may reach into the future before it is one: dates without a zone are read as UTC.
_GRACE = timedelta(days=1)
_FOOTER = re.compile(
    r"""(?ix) \[cut:\ characters | \[the\ page\ was\ too\ large\ and\ was\ cut | content\ truncated
        | \[?(?:output|text|page|body|response|result)?\s?(?:was\ )?truncated\b | to\ read\ on,\ fetch\ again | start_index\ of
        | \.\.\.\s?\[\d[\d,]*\ (?:more\ )?(?:characters|chars|bytes)"""
)
_SEARCH_NOTE = re.compile(
    r"""(?ix) (?:only\ )?(?:the\ )?first\ \d+\ (?:sources|results) | \b\d+\ of\ (?:more\ than\ )?\d+\ (?:sources|results)
        | list\ (?:was|is)\ (?:cut|truncated) | sources?\ (?:is\ |are\ )?shown | more\ were\ found"""
)
_TAIL = 600
_MOST_TEXT = 2_000_000
_MARKUP = re.compile(r"<(?:/?[a-zA-Z][\w-]*)(?:\s[^<>]*)?/?>|&(?:[a-zA-Z]{2,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_LINK = re.compile(r"\]\((https?://[^\s<>]+?)\)|(?<![(\w])(https?://[^\s<>()\[\]\"'`]+)")


class Finding(Struct, frozen=True):
    """One thing that a check found. `n` counts the log's calls from 1; an answer has the number of the call before it."""

    n: int
    call_id: str | None
    position: Position
    detail: str


class Check(Struct):
    """One check's result: its name, what it means, how many it found, and the list."""

    name: str
    title: str
    count: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Counts a finding, and lists it if there is room."""
        self.count += 1
        if len(self.findings) < MAX_LISTED:
            self.findings.append(finding)


_CHECKS = {
    "fell_back": "Calls without a card, and why",
    "truncated_flag": "Truncated flag that disagrees with the text",
    "duplicate_urls": "The same URL twice in one list",
    "unsafe_links": "Links that are not http(s)",
    "unknown_citations": "Citations that match no source",
    "uncited_sources": "Sources that were never cited",
    "future_dates": "Dates in the future",
    "snippet_markup": "Snippets with markup",
    "no_result": "Calls without a result",
}


class Checks:
    """Takes a log's items one by one and keeps what is needed of each. `report` gives the results at the end."""

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime.now(UTC)
        self._checks = {name: Check(name, title) for name, title in _CHECKS.items()}
        self._n = 0
        self._last: Position | None = None
        self._urls: dict[str, Finding | None] = {}
        self._answered = False
        self._texts: set[int] = set()
        self._cited: list[tuple[str, Finding]] = []
        # The sources of the searches since the last answer, up to two: numbers are those of a list, if there is but one.
        self._lists: list[list[str]] = []

    def take(self, item: LogItem) -> None:
        """Looks at one item of the log."""
        match item:
            case LoggedCall():
                self._n += 1
                self._last = item.position
                for name, detail in _findings(item, self._now):
                    self._checks[name].add(Finding(self._n, item.call_id, item.position, detail))
                self._remember(item)
            case LoggedAnswer():
                only = self._lists[0] if len(self._lists) == 1 else None
                self._lists = []
                self._take_answer(item.text, item.cited, only, Finding(self._n, None, item.position, ""))
            case _:
                pass

    def report(self) -> list[Check]:
        """Every check, in a fixed order, those that found nothing included."""
        cited = set()
        for url, place in self._cited:
            cited.add(url)
            if url not in self._urls:
                self._checks["unknown_citations"].add(place)
        self._cited = []
        if self._answered:
            for url, listed in self._urls.items():
                if listed is not None and url not in cited:
                    self._checks["uncited_sources"].add(listed)
        self._urls = {}
        return list(self._checks.values())

    def _take_answer(self, text: str, cited: tuple[str, ...], listed: list[str] | None, place: Finding) -> None:
        """What an answer cites: URLs, in its annotations and in its text, and the numbers of `listed` sources.

        An answer that a card shows as well counts once.
        """
        self._answered = True
        if hash(text) in self._texts:
            return
        self._texts.add(hash(text))
        for url in dict.fromkeys([*cited, *_urls_in(text)]):
            self._cited.append((same_address(url), replace(place, detail=url)))
        if listed is None:
            return
        numbers: set[int] = set()
        missing: dict[str, None] = {}
        for mark, found in citations_in_markdown(text[:_MOST_TEXT], len(listed)):
            numbers.update(found.numbers)
            if found.missing:
                missing[mark] = None
        self._cited += [(same_address(listed[number - 1]), place) for number in numbers]
        # As they are written, which no URL is.
        self._cited += [(mark, replace(place, detail=mark)) for mark in missing]

    def _remember(self, call: LoggedCall) -> None:
        """The sources and pages that an answer may cite, each with its first place."""
        view = explain(call)
        match view:
            case WebSearchResultView():
                listed = [source.url for source in view.sources]
                self._lists = [*self._lists[:1], listed]
                for url in listed:
                    self._urls.setdefault(same_address(url), Finding(self._n, call.call_id, call.position, url))
                if isinstance(view.answer, str):
                    self._take_answer(view.answer, (), listed, Finding(self._n, call.call_id, call.position, ""))
            case WebFetchResultView():
                self._urls.setdefault(same_address(view.url), None)
            case _:
                pass
        asked = call.args.get("url") if isinstance(call.args, dict) else None
        if call.tool == WEB_FETCH and isinstance(asked, str):
            self._urls.setdefault(same_address(asked), None)


def run_checks(items: Iterable[LogItem], now: datetime | None = None) -> list[Check]:
    """Every check over a whole log. `now`: what counts as the future, where a call has no time of its own."""
    checks = Checks(now)
    for item in items:
        checks.take(item)
    return checks.report()


def _findings(call: LoggedCall, now: datetime) -> Iterator[tuple[str, str]]:
    """What the checks of single calls find in one: the check's name, and the detail."""
    if call.result is None:
        yield "no_result", f"{call.tool_name or call.tool}: the log holds no result for this call"
        return
    view = explain(call)
    match view:
        case Refusal():
            yield "fell_back", str(view)
        case WebSearchResultView():
            yield from _of_sources(view, call, now)
            if foreign_format(call) is None:
                yield from _of_flag(view.truncated, call.result.text, _SEARCH_NOTE)
        case WebFetchResultView():
            if safe_link(view.url) is None:
                yield "unsafe_links", view.url
            yield from _of_flag(view.truncated, call.result.text, _FOOTER)


def _of_sources(view: WebSearchResultView, call: LoggedCall, now: datetime) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    limit = (moment(call.time) or now) + _GRACE
    for source in view.sources:
        if source.url in seen:
            yield "duplicate_urls", source.url
        seen.add(source.url)
        if safe_link(source.url) is None:
            yield "unsafe_links", source.url
        if isinstance(source.published_at, str):
            date = moment(source.published_at)
            if date is not None and date > limit:
                yield "future_dates", f"{source.published_at}: {source.url}"
        if isinstance(source.snippet, str) and (markup := _MARKUP.search(source.snippet)):
            yield "snippet_markup", f"{markup[0]}: {source.url}"


def _of_flag(truncated: bool, text: str, footer: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The flag against the end of the text. A log that keeps no text cannot disagree."""
    if not text.strip():
        return
    said = footer.search(text[-_TAIL:]) is not None
    if truncated and not said:
        yield "truncated_flag", "the flag says truncated, the text does not"
    elif said and not truncated:
        yield "truncated_flag", "the text says that it was cut, the flag does not"


def _urls_in(text: str) -> Iterator[str]:
    for found in _LINK.finditer(text[:_MOST_TEXT]):
        yield found[1] or found[2].rstrip(".,;:!?*_")
