"""What the tests of the formats share: reading rows, and telling a call in short."""

import json
from typing import Any

from webcards import logs
from webcards.contract.views import WebFetchResultView, WebSearchResultView

A, B = "https://a.example/", "https://b.example/"


def read_rows(*rows: Any) -> list[logs.LoggedCall]:
    """The calls of a log of these rows."""
    return list(logs.read("\n".join(json.dumps(row) for row in rows).encode()))


def told(call: logs.LoggedCall) -> Any:
    """A call in short: what its card lists, or its page, or that there is none."""
    match view := logs.view_of(call):
        case WebSearchResultView():
            return [source.url for source in view.sources], view.answer if isinstance(view.answer, str) else None
        case WebFetchResultView():
            return view.url, view.status_code if isinstance(view.status_code, int) else None
        case _:
            return "error" if call.is_error else "unfinished" if call.unfinished else view


def rows_of(*urls: str) -> list[dict[str, str]]:
    """A row of search results for each of these addresses."""
    return [{"url": url, "title": url.upper(), "snippet": "s"} for url in urls]
