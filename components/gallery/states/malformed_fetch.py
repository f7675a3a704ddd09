"""Malformed metas of a fetch: what the narrower refuses, and the path that it names."""

from typing import Any

from components.gallery.state import PAGE, Group, State, malformed
from components.i18n import N_


def _bad(id_: str, look: str, meta: Any, path: str, reason: str = "") -> State:
    return malformed("web_fetch", f"fetch-meta-{id_}", look, meta, path, reason)


def _with(**fields: Any) -> dict[str, Any]:
    return {"url": PAGE, "statusCode": 200, "truncated": False, **fields}


def _without(field: str) -> dict[str, Any]:
    return {name: value for name, value in _with().items() if name != field}


GROUP = Group(
    "malformed-fetch",
    N_("Malformed fetch metas"),
    (
        _bad(
            "list",
            N_("The meta is a list: the reason says that an object was expected."),
            [],
            "$",
            "expected object, got list",
        ),
        _bad(
            "empty-object", N_("The meta is {}: the first required field that lacks is named."), {}, "$.url", "required"
        ),
        _bad("no-url", N_("“url” is missing: the reason names it."), _without("url"), "$.url", "required"),
        _bad(
            "no-status",
            N_("“statusCode” is missing: no status is made up."),
            _without("statusCode"),
            "$.statusCode",
            "required",
        ),
        _bad(
            "no-truncated",
            N_("“truncated” is missing: the reason names it."),
            _without("truncated"),
            "$.truncated",
            "required",
        ),
        _bad("url-null", N_("“url” is null."), _with(url=None), "$.url", "expected str, got null"),
        _bad("url-object", N_("“url” is an object."), _with(url={"href": PAGE}), "$.url", "expected str, got object"),
        _bad(
            "status-string",
            N_("“statusCode” is the text “200”: a text is no number."),
            _with(statusCode="200"),
            "$.statusCode",
            "expected int, got str",
        ),
        _bad(
            "status-true",
            N_("“statusCode” is true: true is no number."),
            _with(statusCode=True),
            "$.statusCode",
            "expected int, got bool",
        ),
        _bad(
            "status-null", N_("“statusCode” is null."), _with(statusCode=None), "$.statusCode", "expected int, got null"
        ),
        _bad(
            "status-fraction",
            N_("“statusCode” is 200.5: a status is a whole number."),
            _with(statusCode=200.5),
            "$.statusCode",
        ),
        _bad(
            "truncated-string",
            N_("“truncated” is the word “yes”."),
            _with(truncated="yes"),
            "$.truncated",
            "expected bool, got str",
        ),
        _bad(
            "truncated-one",
            N_("“truncated” is 1: a number is no yes or no."),
            _with(truncated=1),
            "$.truncated",
            "expected bool, got int",
        ),
        _bad(
            "snake-case",
            N_("“status_code” in snake case is an unknown key: “statusCode” is what lacks."),
            {**_without("statusCode"), "status_code": 200},
            "$.statusCode",
            "required",
        ),
        _bad(
            "search-meta",
            N_("A search's meta on a fetch: the first field that lacks is named."),
            {"sources": [], "truncated": False},
            "$.url",
            "required",
        ),
    ),
)
