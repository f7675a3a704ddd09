"""Reads the fault cases: one JSON file each, an input and the facts that must hold."""

import json
from typing import Any

import pytest

from tests.shared import cases_path

# Keys beside the facts: how sure a fact is, and words for people.
NOT_FACTS = {"level", "level_of", "note", "any_of"}


def load_cases(kind: str) -> list[Any]:
    """The cases of a kind as pytest parameters named by their id; one skipping parameter where the folder is absent."""
    try:
        folder = cases_path()
    except pytest.skip.Exception as reason:
        return [pytest.param({}, id="none", marks=pytest.mark.skip(reason=str(reason)))]
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return [pytest.param(case, id=case["id"]) for case in cases if case["kind"] == kind]


def alternatives(expect: dict[str, Any]) -> list[dict[str, Any]]:
    """The sets of facts of which one must hold: the plain ones, each with one of `any_of` where that is given."""
    facts = {key: value for key, value in expect.items() if key not in NOT_FACTS}
    return [{**facts, **choice} for choice in expect.get("any_of", [{}])]
