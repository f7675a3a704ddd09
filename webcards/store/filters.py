"""Which calls are meant: a filter that a person sees in the address bar, and its meaning in SQL.

The same filter narrows each figure and lists the calls behind it. Times are milliseconds since the epoch.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Table, literal_column, select

from webcards.store.schema import calls, sources

HOUR: Final = 3_600_000
DAY: Final = 24 * HOUR
SPANS: Final = {"1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "90d": 90 * DAY, "365d": 365 * DAY}
ALWAYS: Final = "all"
DEFAULT_SPAN: Final = "24h"
NEVER: Final = 1 << 53  # a time after every call; the largest whole number that JSON keeps

_OUTCOMES = frozenset({"ok", "error", "unfinished"})
# Columns of the sums by hour: a filter on nothing else is answered from them.
_SUMMED = frozenset(
    {"tool", "provider", "source", "outcome", "status_class", "error_code", "fell_back", "fallback", "truncated"}
)
_LIMIT = 300
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Each field that is not None must hold.

    Attributes:
        span: one of SPANS, counted back from now, or "all"; `since` and `until` go before it.
        since, until: from, up to (exclusive), in milliseconds since the epoch.
        host: of the fetched page.
        cited: a host among a search's sources.
        fallback: the path and reason why the card fell back, list positions left out.
        words: part of the query or URL.
        slower, faster: at least, less than so many milliseconds.
    """

    span: str = DEFAULT_SPAN
    since: int | None = None
    until: int | None = None
    tool: str | None = None
    provider: str | None = None
    host: str | None = None
    cited: str | None = None
    source: str | None = None
    outcome: str | None = None
    status_class: int | None = None
    error_code: str | None = None
    fell_back: bool | None = None
    fallback: str | None = None
    truncated: bool | None = None
    person: str | None = None
    run: int | None = None
    words: str | None = None
    slower: float | None = None
    faster: float | None = None

    def narrow(self, **changes: Any) -> Self:
        """The same filter with some fields set."""
        return replace(self, **changes)

    def window(self, now: int) -> tuple[int, int]:
        """The time range: from, up to."""
        until = NEVER if self.until is None else self.until
        if self.since is not None:
            return self.since, max(until, self.since)
        span = SPANS.get(self.span)
        if span is None:
            return 0, until
        return (min(until, now) - span), until

    def at(self, now: int) -> Self:
        """The same filter with its range fixed, so that figures asked for one after another agree."""
        since, until = self.window(now)
        return replace(self, since=since, until=until)

    def before(self, now: int) -> Self | None:
        """The same filter for the period of equal length before; None where the range has no beginning."""
        since, until = self.window(now)
        if since <= 0:
            return None
        return replace(self, since=since - (min(until, now) - since), until=since)

    @property
    def summed(self) -> bool:
        """Whether the sums by hour can answer, as far as their hours go."""
        return not self.fields_set - _SUMMED

    @property
    def rare(self) -> bool:
        """Whether the filter may mean few of many calls: better to find those and sort them than to look
        through all.
        """
        common = {"tool", "provider", "source", "truncated"}
        return bool(self.fields_set - common - ({"outcome"} if self.outcome == "ok" else set()))

    @property
    def fields_set(self) -> set[str]:
        """The names of the fields that narrow, the time range left out."""
        return {name for name, _ in self._set()}

    def _set(self) -> list[tuple[str, Any]]:
        ranges = {"span", "since", "until"}
        return [
            (f.name, value)
            for f in fields(self)
            if f.name not in ranges and (value := getattr(self, f.name)) is not None
        ]

    def conditions(self, table: Table) -> list[ColumnElement[bool]]:
        """What must hold of a row of `calls` or `call_hours`, the time range left out."""
        return [condition for name, value in self._set() for condition in _conditions(table, name, value)]

    def to_params(self) -> dict[str, str]:
        """As query parameters; what is left at its default is left out."""
        made = {} if self.span == DEFAULT_SPAN else {"span": self.span}
        for name in ("since", "until"):
            if (time := getattr(self, name)) is not None:
                made[name] = str(time)
        for name, value in self._set():
            made[name] = _text(value)
        return made

    @classmethod
    def from_params(cls, params: Mapping[str, object]) -> Self:
        """Reads query parameters. What is unknown or makes no sense is left out: an address is typed by
        anyone.
        """
        read: dict[str, Any] = {}
        for field in fields(cls):
            raw = params.get(field.name)
            raw = raw[-1] if isinstance(raw, list) and raw else raw
            if isinstance(raw, str) and (value := _read(field.name, raw)) is not None:
                read[field.name] = value
        return cls(**read)


def _text(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
        case _:
            return str(value)


def _read(name: str, raw: str) -> Any:
    match name:
        case "span":
            return raw if raw in SPANS or raw == ALWAYS else None
        case "since" | "until" | "run" | "status_class":
            return int(raw) if re.fullmatch(r"[0-9]{1,15}", raw) else None
        case "slower" | "faster":
            return float(raw) if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,17})?(e[+-]?[0-9]{1,2})?", raw) else None
        case "fell_back" | "truncated":
            return {"yes": True, "no": False}.get(raw)
        case "outcome":
            return raw if raw in _OUTCOMES else None
        case _:
            cleaned = _CONTROL.sub("", raw)[:_LIMIT].strip()
            return cleaned or None


def _conditions(table: Table, name: str, value: Any) -> list[ColumnElement[bool]]:
    columns = table.c
    match name:
        case "words":
            return [columns.query.icontains(value, autoescape=True) | columns.url.icontains(value, autoescape=True)]
        case "cited":
            return [calls.c.id.in_(select(sources.c.call).where(sources.c.host == value))]
        case "run":
            return [columns.run_id == value]
        case "slower":
            return [columns.elapsed_ms >= value, _plain("elapsed_ms > 0")]
        case "faster":
            return [columns.elapsed_ms < value]
        case "status_class" if value != 2 and table is calls:
            # Said again as a plain term, so that the partial index is recognised whatever is bound.
            return [columns.status_class == value, _plain("status_class != 2")]
        case "fell_back" | "truncated":
            return [columns[name].is_(value)]
        case "outcome" if value == "error" and table is calls:
            # Every failed call has a code, and those that have one are indexed.
            return [columns.outcome == value, columns.error_code.is_not(None)]
        case _:
            return [columns[name] == value]


def _plain(term: str) -> ColumnElement[bool]:
    made: ColumnElement[bool] = literal_column(f"({term})")
    return made
