"""Every recorded log beside the project against what was written down from it: the calls, and each source's four fields.

`samples.json` was taken from the recordings by their own field names, without the readers. A long text is kept as how
it begins and ends, and how long it is.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.shared import shared_path
from webcards import logs
from webcards.contract.meta import Refusal
from webcards.contract.views import WebFetchResultView, WebSearchResultView

EXPECTED: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "samples.json").read_text("utf-8"))


def _squeezed(value: Any) -> Any:
    if isinstance(value, str) and len(value) > 400:
        return {"starts": value[:120], "ends": value[-60:], "length": len(value)}
    return [_squeezed(item) for item in value] if isinstance(value, list) else value


def _given(value: Any) -> Any:
    return None if value is UNSET else value


def _seen(call: logs.LoggedCall, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the reader found, for the keys that are written down."""
    view = logs.explain(call)
    seen: dict[str, Any] = {"tool": call.tool, "title": _given(logs.title_of(call))}
    seen["callId"], seen["toolName"] = call.call_id, call.tool_name
    if call.is_error:
        seen["error"] = call.error.code if call.error else None
    match view:
        case Refusal():
            seen["fallback"] = view.path
        case WebSearchResultView():
            sources = [[item.url, item.title, item.snippet, item.published_at] for item in view.sources]
            seen["sources"] = _squeezed([[_given(field) for field in source] for source in sources])
            seen["answer"], seen["truncated"] = _squeezed(_given(view.answer)), view.truncated
        case WebFetchResultView():
            seen["url"], seen["status"], seen["truncated"] = view.url, _given(view.status_code), view.truncated
    return {key: seen.get(key, "absent") for key in wanted}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_recorded_log_is_read_exactly_as_it_was_recorded(name: str) -> None:
    items = list(logs.read_log(shared_path("logs") / name))
    calls = [item for item in items if isinstance(item, logs.LoggedCall)]
    wanted = EXPECTED[name]
    assert [_seen(call, want) for call, want in zip(calls, wanted, strict=True)] == wanted
    assert all(call.format == name.split("/")[0] for call in calls)


def test_every_recorded_log_is_written_down() -> None:
    folder = shared_path("logs")
    recorded = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.parent != folder}
    assert recorded == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_converted_log_gives_the_same_views(name: str) -> None:
    calls = list(logs.read(shared_path("logs") / name))
    native = logs.session_text(logs.events_of(calls), session_id="converted", created_at=0)
    again = list(logs.read(native.encode()))
    assert [logs.explain(call) for call in again] == [logs.explain(call) for call in calls]
    assert [call.is_error for call in again] == [call.is_error for call in calls]


def test_the_recordings_are_read_alike_from_a_folder_and_one_by_one() -> None:
    folder = shared_path("logs")
    together = [logs.title_of(call) for call in logs.read(folder)]
    apart = [logs.title_of(call) for name in sorted(EXPECTED) for call in logs.read(folder / name)]
    assert len(together) == len(apart) > 90
    assert sorted(map(str, together)) == sorted(map(str, apart))
