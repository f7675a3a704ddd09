"""Malformed metas of a search: what the narrower refuses, and the path that it names."""

from typing import Any

from components.gallery.state import Group, State, malformed
from components.i18n import N_

_GOOD = {"url": "https://office.kittiwick.example/", "title": "Office"}


def _bad(id_: str, look: str, meta: Any, path: str, reason: str = "") -> State:
    return malformed("web_search", f"search-meta-{id_}", look, meta, path, reason)


def _second(**fields: Any) -> dict[str, Any]:
    """A meta whose second source of three has these fields."""
    return {"sources": [_GOOD, {**_GOOD, **fields}, _GOOD], "truncated": False}


GROUP = Group(
    "malformed-search",
    N_("Malformed search metas"),
    (
        _bad(
            "string",
            N_("The meta is a string: the reason says that an object was expected."),
            "sources",
            "$",
            "expected object, got str",
        ),
        _bad(
            "number",
            N_("The meta is a number: the reason says that an object was expected."),
            7,
            "$",
            "expected object, got int",
        ),
        _bad(
            "list",
            N_("The meta is a list: the reason says that an object was expected."),
            [_GOOD],
            "$",
            "expected object, got list",
        ),
        _bad(
            "false",
            N_("The meta is false: the reason says that an object was expected."),
            False,
            "$",
            "expected object, got bool",
        ),
        _bad(
            "empty-object",
            N_("The meta is {}: the first required field that lacks is named."),
            {},
            "$.sources",
            "required",
        ),
        _bad(
            "no-sources",
            N_("“sources” is missing: the reason names it."),
            {"truncated": False},
            "$.sources",
            "required",
        ),
        _bad(
            "no-truncated",
            N_("“truncated” is missing: the reason names it."),
            {"sources": []},
            "$.truncated",
            "required",
        ),
        _bad(
            "sources-null",
            N_("“sources” is null: not the same as an empty list."),
            {"sources": None, "truncated": False},
            "$.sources",
            "expected list, got null",
        ),
        _bad(
            "sources-object",
            N_("“sources” is an object in place of a list."),
            {"sources": {"0": _GOOD}, "truncated": False},
            "$.sources",
            "expected list, got object",
        ),
        _bad(
            "truncated-string",
            N_("“truncated” is the word “false”: a word is no yes or no."),
            {"sources": [], "truncated": "false"},
            "$.truncated",
            "expected bool, got str",
        ),
        _bad(
            "truncated-zero",
            N_("“truncated” is 0: a number is no yes or no."),
            {"sources": [], "truncated": 0},
            "$.truncated",
            "expected bool, got int",
        ),
        _bad(
            "truncated-null",
            N_("“truncated” is null."),
            {"sources": [], "truncated": None},
            "$.truncated",
            "expected bool, got null",
        ),
        _bad(
            "answer-null",
            N_("“answer” is null: an absent answer must be absent."),
            {"sources": [], "truncated": False, "answer": None},
            "$.answer",
            "expected str, got null",
        ),
        _bad(
            "answer-list",
            N_("“answer” is a list of paragraphs."),
            {"sources": [], "truncated": False, "answer": ["a", "b"]},
            "$.answer",
            "expected str, got list",
        ),
        _bad(
            "source-null",
            N_("The second source is null: one bad source spoils the list."),
            {"sources": [_GOOD, None], "truncated": False},
            "$.sources[1]",
            "expected object, got null",
        ),
        _bad(
            "source-string",
            N_("The first source is its bare URL."),
            {"sources": ["https://office.kittiwick.example/"], "truncated": False},
            "$.sources[0]",
            "expected object, got str",
        ),
        _bad(
            "source-no-url",
            N_("The second source has no URL: the path counts from 0, so it is sources[1]."),
            {"sources": [_GOOD, {"title": "No URL"}, _GOOD], "truncated": False},
            "$.sources[1].url",
            "required",
        ),
        _bad(
            "source-url-null",
            N_("The second source's URL is null."),
            _second(url=None),
            "$.sources[1].url",
            "expected str, got null",
        ),
        _bad(
            "source-url-number",
            N_("The second source's URL is a number."),
            _second(url=8443),
            "$.sources[1].url",
            "expected str, got int",
        ),
        _bad(
            "source-title-null",
            N_("The second source's title is null: an absent title must be absent."),
            _second(title=None),
            "$.sources[1].title",
            "expected str, got null",
        ),
        _bad(
            "source-title-number",
            N_("The second source's title is a number."),
            _second(title=2026),
            "$.sources[1].title",
            "expected str, got int",
        ),
        _bad(
            "source-snippet-list",
            N_("The second source's snippet is a list."),
            _second(snippet=["a", "b"]),
            "$.sources[1].snippet",
            "expected str, got list",
        ),
        _bad(
            "source-snippet-true",
            N_("The second source's snippet is true."),
            _second(snippet=True),
            "$.sources[1].snippet",
            "expected str, got bool",
        ),
        _bad(
            "source-date-number",
            N_("The second source's date is a number of seconds, not ISO 8601 text."),
            _second(publishedAt=1794441600),
            "$.sources[1].publishedAt",
            "expected str, got int",
        ),
        _bad(
            "source-last-of-100",
            N_("Only the last of a hundred sources is bad: the path leads straight to it."),
            lambda: {"sources": [*[_GOOD] * 99, {"url": 1}], "truncated": False},
            "$.sources[99].url",
            "expected str, got int",
        ),
        _bad(
            "snake-case",
            N_("“published_at” in snake case is an unknown key; the number in “title” is what spoils it."),
            _second(title=1, published_at="2026-11-12"),
            "$.sources[1].title",
            "expected str, got int",
        ),
    ),
)
