"""Compares two logs call by call: the same tool with the same args, and what differs in the card, not in the bytes."""

import json
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Any, Literal

from msgspec import UNSET, Struct

from webcards.contract.meta import Refusal
from webcards.contract.values import WebSource
from webcards.contract.views import WebFetchResultView, WebSearchResultView
from webcards.logs.model import LoggedCall, Position
from webcards.logs.view import explain, title_of


class Change(Struct, frozen=True):
    """One difference between two cards. `where` is the field, or the URL of the source; absent values are None."""

    kind: Literal["card", "source added", "source gone", "source moved", "title", "snippet", "date", "field"]
    where: str
    before: Any = None
    after: Any = None


class Pair(Struct, frozen=True):
    """A call of both logs, or of one: its place in each, and what differs. No changes: the cards are the same."""

    tool: str
    title: str | None
    before: Position | None
    after: Position | None
    changes: tuple[Change, ...] = ()
    before_n: int | None = None
    after_n: int | None = None

    @property
    def state(self) -> Literal["same", "changed", "only before", "only after"]:
        """What became of the call."""
        if self.before is None:
            return "only after"
        if self.after is None:
            return "only before"
        return "changed" if self.changes else "same"


class _Side(Struct, frozen=True):
    """What of a call is needed to compare its card: bodies and records are not kept."""

    n: int
    tool: str
    title: str | None
    position: Position
    view: WebSearchResultView | WebFetchResultView | Refusal
    failed: bool
    code: str | None


def compare(before: Iterable[LoggedCall], after: Iterable[LoggedCall]) -> list[Pair]:
    """The calls of two logs brought together by tool and args, in the order of the first log, then those only in the second.

    Calls that were made several times are brought together in their order.
    """
    waiting: dict[str, deque[_Side]] = defaultdict(deque)
    order: list[_Side] = []
    for n, call in enumerate(after, 1):
        side = _side(n, call)
        order.append(side)
        waiting[_key(call)].append(side)
    pairs = []
    matched: set[int] = set()
    for n, call in enumerate(before, 1):
        mine = _side(n, call)
        others = waiting.get(_key(call))
        other = others.popleft() if others else None
        if other is not None:
            matched.add(other.n)
        pairs.append(_pair(mine, other))
    pairs.extend(_pair(None, side) for side in order if side.n not in matched)
    return pairs


def differences(before: LoggedCall, after: LoggedCall) -> tuple[Change, ...]:
    """What differs between the cards of two calls."""
    return tuple(_changes(_side(1, before), _side(1, after)))


def _side(n: int, call: LoggedCall) -> _Side:
    title = title_of(call)
    code = call.error.code if call.error is not None else None
    return _Side(
        n, call.tool, title if isinstance(title, str) else None, call.position, explain(call), call.is_error, code
    )


def _key(call: LoggedCall) -> str:
    """Tool and args; `query` and a single entry of `queries` are the same question."""
    args = call.args if isinstance(call.args, dict) else {"": None if call.args is UNSET else call.args}
    args = dict(args)
    if isinstance(args.get("query"), str) and "queries" not in args:
        args["queries"] = [args.pop("query")]
    return f"{call.tool}\n{json.dumps(args, sort_keys=True, default=str)}"


def _pair(before: _Side | None, after: _Side | None) -> Pair:
    known = before or after
    assert known is not None
    changes = tuple(_changes(before, after)) if before is not None and after is not None else ()
    return Pair(
        tool=known.tool,
        title=known.title,
        before=before.position if before else None,
        after=after.position if after else None,
        changes=changes,
        before_n=before.n if before else None,
        after_n=after.n if after else None,
    )


def _changes(before: _Side, after: _Side) -> list[Change]:
    match before.view, after.view:
        case WebSearchResultView() as old, WebSearchResultView() as new:
            return [*_sources(old.sources, new.sources), *_fields(old, new, "answer", "truncated")]
        case WebFetchResultView() as old, WebFetchResultView() as new:
            return _fields(old, new, "url", "status_code", "truncated")
        case Refusal() as old, Refusal() as new if (str(old), before.code) == (str(new), after.code):
            return []
        case old, new:
            return [Change("card", "card", _named(before), _named(after))]


def _named(side: _Side) -> str:
    """What is drawn for a call, in words."""
    if isinstance(side.view, WebSearchResultView):
        return "search card"
    if isinstance(side.view, WebFetchResultView):
        return "fetch card"
    code = f" ({side.code})" if side.code else ""
    return f"error{code}" if side.failed else f"fell back: {side.view}"


def _fields(old: Any, new: Any, *names: str) -> list[Change]:
    pairs = [(name, _given(getattr(old, name)), _given(getattr(new, name))) for name in names]
    return [Change("field", name, before, after) for name, before, after in pairs if before != after]


def _given(value: Any) -> Any:
    return None if value is UNSET else value


def _sources(old: list[WebSource], new: list[WebSource]) -> list[Change]:
    """Sources by their URLs; one that is listed twice is compared in its order."""
    changes: list[Change] = []
    places: dict[str, deque[int]] = defaultdict(deque)
    for place, source in enumerate(new):
        places[source.url].append(place)
    kept: list[tuple[int, int]] = []
    for place, source in enumerate(old):
        if places[source.url]:
            kept.append((place, places[source.url].popleft()))
        else:
            changes.append(Change("source gone", source.url, place + 1))
    left = sorted(place for rest in places.values() for place in rest)
    changes.extend(Change("source added", new[place].url, None, place + 1) for place in left)
    moved = _moved([after for _, after in kept])
    for number, (before, after) in enumerate(kept):
        if number in moved:
            changes.append(Change("source moved", old[before].url, before + 1, after + 1))
        changes.extend(_fields_of(old[before], new[after]))
    return changes


def _moved(places: list[int]) -> set[int]:
    """The members that left their order: all but a longest run that is still in it (patience sorting)."""
    tops: list[int] = []
    holders: list[int] = []
    before: list[int | None] = []
    for number, place in enumerate(places):
        pile = bisect_left(tops, place)
        before.append(holders[pile - 1] if pile else None)
        if pile == len(tops):
            tops.append(place)
            holders.append(number)
        else:
            tops[pile], holders[pile] = place, number
    still: set[int] = set()
    member = holders[-1] if holders else None
    while member is not None:
        still.add(member)
        member = before[member]
    return set(range(len(places))) - still


def _fields_of(old: WebSource, new: WebSource) -> list[Change]:
    changes = []
    named: tuple[tuple[Literal["title", "snippet", "date"], str], ...] = (
        ("title", "title"),
        ("snippet", "snippet"),
        ("date", "published_at"),
    )
    for kind, name in named:
        before, after = _given(getattr(old, name)), _given(getattr(new, name))
        if before != after:
            changes.append(Change(kind, old.url, before, after))
    return changes
