"""Every fault case of kind `url`: what may be fetched, what may become a link, and what either makes of the address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.cases import read_case, run_case
from tests.fetch.expectations import Check, Seen, broken, links, same_url
from tests.shared import cases_path
from webcards.contract.links import safe_link
from webcards.contract.markdown import link_destination


def _files() -> list[Path]:
    try:
        folder = cases_path()
    except pytest.skip.Exception:
        return []
    files = sorted(folder.glob("*.json"))
    return [path for path in files if json.loads(path.read_text(encoding="utf-8"))["kind"] == "url"]


FILES = _files()


@pytest.mark.skipif(
    not FILES, reason="no cases: they are kept beside the project, not in it (WEBCARDS_CASES names their folder)"
)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_the_facts_of_the_case_hold(path: Path) -> None:
    case = read_case(path)
    seen = await run_case(case)
    assert _broken(case["expect"], case["input"]["url"], seen) == []


def _broken(expect: dict[str, Any], url: str, seen: Seen) -> list[str]:
    """The keys that only this kind has are about the URL itself; all others are about the call."""
    faults = [
        f"{key}: wanted {wanted!r}, found {found!r}"
        for key, wanted in expect.items()
        if key in OWN and (found := OWN[key](wanted, Seen(seen.execution, dialled=seen.dialled, notes={"url": url})))
    ]
    return faults + broken({key: wanted for key, wanted in expect.items() if key not in OWN}, seen)


def _fetch(wanted: str, seen: Seen) -> str | None:
    found = "allowed" if not seen.is_error else "blocked" if seen.error_code == "WEB_BLOCKED_URL" else "refused"
    assert wanted in ("allowed", "blocked", "refused"), f"unknown value of fetch: {wanted}"
    kept_out = wanted in (found, "refused") and found != "allowed" and not seen.dialled
    return None if (found == wanted if wanted == "allowed" else kept_out) else f"{found}: {seen.content[:300]}"


def _link(wanted: bool, seen: Seen) -> str | None:
    found = safe_link(seen.notes["url"])
    return None if (found is not None) == wanted else repr(found)


def _href(wanted: str, seen: Seen) -> str | None:
    found = safe_link(seen.notes["url"])
    return None if found is not None and same_url(found, wanted) else repr(found)


def _hrefs_exact(wanted: list[str], seen: Seen) -> str | None:
    found = safe_link(seen.notes["url"])
    return None if [found] == wanted else repr(found)


def _round_trip(wanted: bool, seen: Seen) -> str | None:
    url = seen.notes["url"]
    found = links(f"See [the page]({link_destination(url)}) there.")
    survives = len(found) == 1 and same_url(found[0][1], url)
    return None if survives == wanted else repr(found)


OWN: dict[str, Check] = {
    "fetch": _fetch,
    "link": _link,
    "href": _href,
    "hrefs_exact": _hrefs_exact,
    "markdown_round_trip": _round_trip,
}
