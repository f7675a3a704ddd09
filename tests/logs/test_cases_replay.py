"""Runs every case of kind `replay` in the folder of cases. A key that the runner does not know fails."""

import base64
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.shared import cases_path
from webcards import logs
from webcards.contract.meta import Refusal

INPUT_KEYS = {"log_lines", "log_base64", "no_final_newline", "file_name"}
CARD_KEYS = {
    "card",
    "kind",
    "title",
    "title_absent",
    "unsettled",
    "name",
    "truncated",
    "source_count",
    "source_urls",
    "status",
}


def _cases() -> list[Any]:
    try:
        folder = cases_path()
    except pytest.skip.Exception:
        return []
    found = [(path, json.loads(path.read_text("utf-8"))) for path in sorted(Path(folder).glob("*.json"))]
    return [pytest.param(case, id=path.stem) for path, case in found if case.get("kind") == "replay"]


def log_bytes(given: dict[str, Any]) -> bytes:
    """The log that a case describes."""
    unknown = set(given) - INPUT_KEYS
    assert not unknown, f"the runner does not know the input keys {unknown}"
    if "log_base64" in given:
        return base64.b64decode(given["log_base64"])
    text = "\n".join(given["log_lines"])
    return (text if given.get("no_final_newline") else text + "\n").encode("utf-8", "surrogatepass")


class Replayed:
    """What a reader of the log sees: its cards in order, and the messages about it."""

    def __init__(self, data: bytes) -> None:
        items = list(logs.read_log(data))
        self.calls = [item for item in items if isinstance(item, logs.LoggedCall)]
        self.problems = [item for item in items if isinstance(item, logs.LogProblem)]
        self.cards = [_card(call) for call in self.calls]
        self.messages = [str(problem) for problem in self.problems]

    @property
    def visible_text(self) -> str:
        """The raw texts of all results, which the page always has at hand, and those of the cards."""
        shown = [call.result.text for call in self.calls if call.result is not None]
        return "\n".join(shown + [json.dumps(card, ensure_ascii=False) for card in self.cards] + self.messages)


def _card(call: logs.LoggedCall) -> dict[str, Any]:
    if call.unfinished:
        return {"unsettled": True, "name": call.tool_name or call.tool}
    view = logs.explain(call)
    if isinstance(view, Refusal):
        return {"card": "generic", "name": call.tool_name or call.tool, "reason": str(view)}
    card: dict[str, Any] = {
        "card": view.card,
        "kind": "fetch" if hasattr(view, "url") else "search",
        "truncated": view.truncated,
    }
    if isinstance(view.title, str):
        card["title"] = view.title
    if hasattr(view, "sources"):
        card["source_count"] = len(view.sources)
        card["source_urls"] = [source.url for source in view.sources]
    else:
        card["status"] = view.status_code
    return card


def _matches(card: dict[str, Any], wanted: dict[str, Any]) -> bool:
    unknown = set(wanted) - CARD_KEYS
    assert not unknown, f"the runner does not know the card keys {unknown}"
    for key, value in wanted.items():
        if key == "title_absent":
            if ("title" in card) == bool(value):
                return False
        elif key == "unsettled":
            if bool(card.get("unsettled")) != bool(value):
                return False
        elif card.get(key) != value:
            return False
    return True


def holds(seen: Replayed, key: str, value: Any) -> bool:
    """Whether one expectation holds."""
    match key:
        case "no_exception" | "no_crash" | "utf8_encodable":
            seen.visible_text.encode("utf-8")
            return True
        case "level" | "level_of":
            return True
        case "cards":
            return len(seen.cards) == len(value) and all(map(_matches, seen.cards, value))
        case "cards_include":
            return all(any(_matches(card, wanted) for card in seen.cards) for wanted in value)
        case "warning":
            return bool(seen.problems) == bool(value)
        case "user_message_nonempty":
            return any(message.strip() for message in seen.messages) == bool(value)
        case "user_message_matches":
            return any(re.search(value, message) for message in seen.messages)
        case "visible_text_has":
            return all(html.unescape(part) in seen.visible_text for part in value)
        case "visible_text_lacks":
            return not any(part in seen.visible_text for part in value)
        case "any_of":
            return any(all(holds(seen, *pair) for pair in option.items()) for option in value)
        case "max_seconds":
            return True
        case _:
            raise AssertionError(f"the runner does not know the key {key!r}")


@pytest.mark.parametrize("case", _cases())
def test_a_replayed_log_shows_what_its_case_expects(case: dict[str, Any]) -> None:
    seen = Replayed(log_bytes(case["input"]))
    for key, value in case["expect"].items():
        assert holds(seen, key, value), f"{key}: {value!r} does not hold; cards {seen.cards}, messages {seen.messages}"


def test_there_are_cases_to_run() -> None:
    cases_path()
    assert _cases(), "no case of kind replay was found"
